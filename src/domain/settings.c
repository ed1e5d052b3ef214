#include "domain/settings.h"
#include "setting_value.h"

#include <stdlib.h>

static struct str member_of(const struct settings *settings)
{
	return settings->member.data ? settings->member : STR("settings");
}

static int compare_names(struct str a, struct str b)
{
	size_t common = a.length < b.length ? a.length : b.length;
	int order = common ? memcmp(a.data, b.data, common) : 0;

	return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare(const void *a, const void *b)
{
	return compare_names(((const struct setting *)a)->name, ((const struct setting *)b)->name);
}

static void sort(struct settings *settings)
{
	if (settings->count)
		qsort(settings->items, settings->count, sizeof(settings->items[0]), compare);
}

/* ---- reading ---- */

/* Value of a setting that is not a text, as a text. */
static struct str make_text(const struct json_value *value, struct arena *arena)
{
	struct buffer json = {0};
	struct str text;

	json_write_value(&json, value);
	text = arena_copy(arena, buffer_view(&json));
	buffer_finish(&json);
	return text;
}

static const char *read_setting(const struct json_value *value, bool takes_any, struct arena *arena,
				struct setting *setting)
{
	if (json_is_null(value)) {
		setting->is_removed = true;
		return NULL;
	}
	if (!json_get_str(value, &setting->value) && !takes_any)
		return "must be a string";
	if (!json_get_str(value, &setting->value))
		setting->value = make_text(value, arena);
	if (str_find(setting->value, '\0') < setting->value.length)
		return "must not contain U+0000";
	return NULL;
}

/* Returns the bytes of the object's settings, also of those that are wrong. */
static size_t read_members(const struct json_value *object, bool takes_any, struct faults *faults,
			   struct settings *settings)
{
	struct json_walk walk = json_walk(object);
	const struct json_value *value;
	struct setting setting = {0};
	size_t bytes = 0;

	if (walk.left > SETTINGS_READ_MAX) {
		faults_add(faults, member_of(settings),
			   "has %zu members, of which the first %d are read", walk.left,
			   SETTINGS_READ_MAX);
		walk.left = SETTINGS_READ_MAX;
	}
	settings->items = arena_alloc(faults->arena, walk.left * sizeof(settings->items[0]) + 1);
	while (json_next_member(&walk, &setting.name, &value)) {
		const char *wrong;

		setting.is_removed = false;
		setting.value = (struct str){"", 0};
		wrong = read_setting(value, takes_any, faults->arena, &setting);
		if (setting.name.length == 0 || setting.name.length > FORM_ID_BYTES_MAX ||
		    str_find(setting.name, '\0') < setting.name.length)
			wrong = "is not a valid field name";
		bytes += setting.name.length + setting.value.length;
		if (wrong)
			faults_add_in(faults, member_of(settings), setting.name, "%s", wrong);
		else if (!takes_any || !setting.is_removed)
			settings->items[settings->count++] = setting;
	}
	sort(settings);
	return bytes;
}

static void check_bytes(size_t bytes, struct str member, struct faults *faults)
{
	if (bytes > SETTINGS_BYTES_MAX)
		faults_add(faults, member, "must have at most %d bytes in total, have %zu",
			   SETTINGS_BYTES_MAX, bytes);
}

static void read_object(const struct json_value *object, struct str name, bool takes_any,
			struct faults *faults, struct settings *ret_settings)
{
	*ret_settings = (struct settings){.member = name};
	if (!object)
		return;
	if (!json_is_object(object))
		faults_add(faults, name, "must be an object");
	else if (json_walk(object).left > SETTINGS_MAX)
		faults_add(faults, name, "must have at most %d members", SETTINGS_MAX);
	else
		check_bytes(read_members(object, takes_any, faults, ret_settings), name, faults);
}

void settings_read_member(const struct json_value *object, struct str name, struct faults *faults,
			  struct settings *ret_settings)
{
	read_object(object, name, false, faults, ret_settings);
}

void settings_read_any(const struct json_value *object, struct str name, struct faults *faults,
		       struct settings *ret_settings)
{
	read_object(object, name, true, faults, ret_settings);
}

void settings_read_all(const struct json_value *object, struct str name, struct faults *faults,
		       struct settings *ret_settings)
{
	*ret_settings = (struct settings){.member = name};
	if (json_is_object(object))
		(void)read_members(object, true, faults, ret_settings);
	else if (object)
		faults_add(faults, name, "must be an object");
}

void settings_read(const struct json_value *object, struct faults *faults,
		   struct settings *ret_settings)
{
	settings_read_member(object, STR("settings"), faults, ret_settings);
}

void settings_parse(struct str json, struct arena *arena, struct settings *ret_settings)
{
	struct json_document document = {0};
	struct faults faults;
	struct str reason;

	*ret_settings = (struct settings){0};
	if (!json_parse(json, arena, &document, &reason))
		return;
	faults_init(&faults, arena);
	settings_read(document.root, &faults, ret_settings);
	json_document_finish(&document);
}

/* ---- checks against the form ---- */

/* Several fields may share an ID, mostly with only one visible: the value must fit one of them. */
static const char *check_value(const struct setting *setting, const struct form_field *field,
			       const struct form *form, struct arena *arena, struct str *ret_normal)
{
	const char *wrong = setting_value_check(field, setting->value, arena, ret_normal);

	for (const struct form_field *next = field + 1; wrong && next < form->fields + form->count;
	     next++)
		if (str_equal(next->id, field->id) &&
		    !setting_value_check(next, setting->value, arena, ret_normal))
			return NULL;
	return wrong;
}

/* Checks one setting of the body's member. */
static void check_one(struct str member, const struct setting *setting,
		      const struct form_field *field, const struct form *form,
		      struct faults *faults, struct settings *open, struct settings *secret)
{
	struct setting normal = {.name = setting->name};
	const char *wrong;

	if (setting->is_removed) {
		if (field->is_secret)
			secret->items[secret->count++] = *setting;
		return;
	}
	wrong = check_value(setting, field, form, faults->arena, &normal.value);
	if (wrong)
		faults_add_in(faults, member, setting->name, "%s", wrong);
	else if (field->is_secret)
		secret->items[secret->count++] = normal;
	else
		open->items[open->count++] = normal;
}

void settings_check(const struct settings *settings, const struct form *form, struct faults *faults,
		    struct settings *ret_open, struct settings *ret_secret)
{
	size_t size = settings->count * sizeof(settings->items[0]) + 1;
	bool is_unknown_secret = form_makes_more(form);

	*ret_open = (struct settings){.items = arena_alloc(faults->arena, size)};
	*ret_secret = (struct settings){.items = arena_alloc(faults->arena, size)};
	for (unsigned i = 0; i < settings->count; i++) {
		const struct form_field *field = form_find(form, settings->items[i].name);

		if (field)
			check_one(member_of(settings), &settings->items[i], field, form, faults,
				  ret_open, ret_secret);
		else if (is_unknown_secret)
			ret_secret->items[ret_secret->count++] = settings->items[i];
	}
}

/* Leaves out those of no field, the last by name, where there are more than SETTINGS_MAX in all. */
static void fit_count(struct settings *settings, const struct form *form, unsigned *room,
		      struct faults *faults)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < settings->count; i++) {
		bool has_field = form_find(form, settings->items[i].name);

		if (has_field || *room > 0)
			settings->items[kept++] = settings->items[i];
		else
			faults_add(faults, settings->items[i].name,
				   "is one too many: an entry has at most %d settings",
				   SETTINGS_MAX);
		*room -= !has_field && *room > 0;
	}
	settings->count = kept;
}

static unsigned count_of_fields(const struct settings *settings, const struct form *form)
{
	unsigned count = 0;

	for (unsigned i = 0; i < settings->count; i++)
		count += form_find(form, settings->items[i].name) != NULL;
	return count;
}

static struct setting *find_largest(const struct settings *settings, struct setting *largest)
{
	for (unsigned i = 0; i < settings->count; i++)
		if (!largest || settings->items[i].value.length > largest->value.length)
			largest = &settings->items[i];
	return largest;
}

static void leave_out(struct settings *settings, const struct setting *setting)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < settings->count; i++)
		if (&settings->items[i] != setting)
			settings->items[kept++] = settings->items[i];
	settings->count = kept;
}

static size_t bytes_of(const struct settings *settings)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < settings->count; i++)
		bytes += settings->items[i].name.length + settings->items[i].value.length;
	return bytes;
}

void settings_fit(struct settings *open, struct settings *secret, const struct form *form,
		  struct faults *faults)
{
	unsigned of_fields = count_of_fields(open, form) + count_of_fields(secret, form);
	unsigned room = of_fields < SETTINGS_MAX ? SETTINGS_MAX - of_fields : 0;

	fit_count(open, form, &room, faults);
	fit_count(secret, form, &room, faults);
	while (bytes_of(open) + bytes_of(secret) > SETTINGS_BYTES_MAX) {
		const struct setting *largest = find_largest(secret, find_largest(open, NULL));

		faults_add(faults, largest->name,
			   "has %zu bytes: the settings of an entry have at most %d in total",
			   largest->value.length, SETTINGS_BYTES_MAX);
		leave_out(open, largest);
		leave_out(secret, largest);
	}
}

void settings_keep(struct settings *settings, const struct form *form, bool are_secret)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < settings->count; i++) {
		const struct form_field *field = form_find(form, settings->items[i].name);

		if ((field && field->is_secret) == are_secret)
			settings->items[kept++] = settings->items[i];
	}
	settings->count = kept;
}

void settings_keep_secret(struct settings *settings, const struct form *form)
{
	bool is_unknown_secret = form_makes_more(form);
	unsigned kept = 0;

	for (unsigned i = 0; i < settings->count; i++) {
		const struct form_field *field = form_find(form, settings->items[i].name);

		if (field ? field->is_secret : is_unknown_secret)
			settings->items[kept++] = settings->items[i];
	}
	settings->count = kept;
}

const struct setting *settings_find(const struct settings *settings, struct str name)
{
	for (unsigned i = 0; i < settings->count; i++)
		if (str_equal(settings->items[i].name, name))
			return &settings->items[i];
	return NULL;
}

static void settings_add(struct settings *settings, const struct setting *setting)
{
	if (!setting->is_removed)
		settings->items[settings->count++] = *setting;
}

void settings_merge(const struct settings *first, const struct settings *second,
		    struct arena *arena, struct settings *ret_settings)
{
	struct settings all = {
	    .items = arena_alloc(arena, (first->count + second->count) * sizeof(all.items[0]) + 1)};

	for (unsigned i = 0; i < first->count; i++)
		if (!settings_find(second, first->items[i].name))
			settings_add(&all, &first->items[i]);
	for (unsigned i = 0; i < second->count; i++)
		settings_add(&all, &second->items[i]);
	sort(&all);
	*ret_settings = all;
}

static bool stays(const struct setting *setting, const struct settings *sent,
		  const struct form *form, struct arena *arena)
{
	const struct form_field *field = form_find(form, setting->name);
	struct str normal;

	if (settings_find(sent, setting->name))
		return false;
	if (!field)
		return form_makes_more(form);
	return !field->is_secret && !check_value(setting, field, form, arena, &normal);
}

void settings_change(const struct settings *stored, const struct settings *sent,
		     const struct form *form, struct faults *faults, struct settings *ret_settings)
{
	size_t size = (stored->count + sent->count) * sizeof(sent->items[0]) + 1, bytes = 0;
	struct settings all = {.items = arena_alloc(faults->arena, size), .member = sent->member};

	for (unsigned i = 0; i < stored->count; i++)
		if (stays(&stored->items[i], sent, form, faults->arena))
			all.items[all.count++] = stored->items[i];
	for (unsigned i = 0; i < sent->count; i++)
		all.items[all.count++] = sent->items[i];
	sort(&all);
	for (unsigned i = 0; i < all.count; i++)
		bytes += all.items[i].name.length + all.items[i].value.length;
	check_bytes(bytes, member_of(sent), faults);
	*ret_settings = all;
}

void settings_write(const struct settings *settings, struct buffer *buffer)
{
	buffer_append_char(buffer, '{');
	for (unsigned i = 0; i < settings->count; i++) {
		if (i)
			buffer_append_char(buffer, ',');
		json_write_str(buffer, settings->items[i].name);
		buffer_append_char(buffer, ':');
		json_write_str(buffer, settings->items[i].value);
	}
	buffer_append_char(buffer, '}');
}

struct str settings_to_text(const struct settings *settings, struct arena *arena)
{
	struct buffer json = {0};
	struct str text;

	settings_write(settings, &json);
	text = arena_copy(arena, buffer_view(&json));
	buffer_finish(&json);
	return text;
}

/* Decides as the pages do: by the value of the field that its rule names, or by that field's
 * default. */
static bool is_hidden(const struct form_field *field, const struct settings *settings,
		      const struct form *form)
{
	const struct form_visibility *rule = &field->visibility;
	const struct setting *setting = settings_find(settings, rule->variable);
	const struct form_field *other = form_find(form, rule->variable);
	struct str value = setting ? setting->value : other ? other->default_value : STR("");

	return field->has_visibility && str_equal(rule->type, STR("invisible")) &&
	       str_equal(value, rule->value) == str_equal(rule->condition, STR("equal"));
}

const struct form_field *settings_find_asking(const struct settings *settings,
					      const struct form *form, struct str id)
{
	const struct form_field *first = NULL;

	for (const struct form_field *field = form->fields; field < form->fields + form->count;
	     field++) {
		if (!str_equal(field->id, id) || !form_has_handler(field))
			continue;
		if (!is_hidden(field, settings, form))
			return field;
		if (!first)
			first = field;
	}
	return first;
}

bool settings_has_unknown(const struct settings *settings, const struct form *form)
{
	for (unsigned i = 0; i < settings->count; i++)
		if (!form_find(form, settings->items[i].name))
			return true;
	return false;
}

struct str settings_of_source(const struct settings *settings, const struct form *form,
			      const struct form_field *field)
{
	const struct setting *setting = settings_find(settings, field->source);
	const struct form_field *source = form_find(form, field->source);

	if (setting)
		return setting->value;
	return source && source->default_value.data ? source->default_value : STR("");
}
