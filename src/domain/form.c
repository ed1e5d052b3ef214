#include "domain/form.h"
#include "base/memory.h"
#include "base/require.h"
#include "record/json.h"

static const char *const type_names[FORM_TYPE_COUNT] = {
    [FORM_COLOR] = "color",	    [FORM_DATETIME] = "datetime",
    [FORM_DROPDOWN] = "dropdown",   [FORM_GENERATED] = "generated",
    [FORM_LOCATION] = "location",   [FORM_LOCATIONBASED] = "locationbased",
    [FORM_OAUTH1] = "oauth1",	    [FORM_OAUTH2] = "oauth2",
    [FORM_ONOFF] = "onoff",	    [FORM_PNG] = "png",
    [FORM_RADIO] = "radio",	    [FORM_TEXT] = "text",
    [FORM_TYPEAHEAD] = "typeahead",
};

/* ---- reading ---- */

struct reading {
	struct arena *arena;
	struct str *reason;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct reading *reading,
							 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	*reading->reason = arena_vprintf(reading->arena, format, args);
	va_end(args);
	return false;
}

/* Reads an optional text; empty if it is missing. */
static bool read_text(const struct reading *reading, const struct json_value *object,
		      const char *name, struct str *ret)
{
	const struct json_value *value = json_member(object, name);

	*ret = (struct str){"", 0};
	if (!value || json_is_null(value))
		return true;
	if (!json_get_str(value, ret))
		return refuse(reading, "its schema has a \"%s\" that is not text", name);
	return true;
}

static bool read_option(const struct reading *reading, const struct json_value *object,
			struct form_option *ret)
{
	if (!read_text(reading, object, "display", &ret->display) ||
	    !read_text(reading, object, "text", &ret->text) ||
	    !read_text(reading, object, "value", &ret->value))
		return false;
	if (ret->display.length == 0)
		ret->display = ret->text;
	if (ret->text.length == 0)
		ret->text = ret->display;
	return true;
}

static bool read_options(const struct reading *reading, const struct json_value *array,
			 struct form_option **ret_options, unsigned *ret_count)
{
	struct json_walk walk = json_walk(array);
	const struct json_value *item;
	struct form_option *options;

	*ret_options = NULL;
	*ret_count = 0;
	if (walk.left > FORM_OPTIONS_MAX)
		return refuse(reading, "there are more than %d options", FORM_OPTIONS_MAX);
	if (walk.left == 0)
		return true;
	options = arena_alloc(reading->arena, walk.left * sizeof(options[0]));
	while (json_next_item(&walk, &item)) {
		if (!json_is_object(item))
			return refuse(reading, "an option is not an object");
		if (!read_option(reading, item, &options[(*ret_count)++]))
			return false;
	}
	*ret_options = options;
	return true;
}

static bool read_palette(const struct reading *reading, const struct json_value *array,
			 struct form_field *field)
{
	struct json_walk walk = json_walk(array);
	const struct json_value *item;
	struct str *palette;

	if (walk.left > FORM_OPTIONS_MAX)
		return refuse(reading, "there are more than %d colours", FORM_OPTIONS_MAX);
	if (walk.left == 0)
		return true;
	palette = arena_alloc(reading->arena, walk.left * sizeof(palette[0]));
	while (json_next_item(&walk, &item)) {
		if (!json_get_str(item, &palette[field->palette_count++]))
			return refuse(reading, "a colour of its schema is not text");
	}
	field->palette = palette;
	return true;
}

static bool is_one_of(struct str text, const char *one, const char *other)
{
	return str_equal(text, str_from(one)) || str_equal(text, str_from(other));
}

static bool read_visibility(const struct reading *reading, const struct json_value *object,
			    struct form_field *field)
{
	struct form_visibility *visibility = &field->visibility;

	if (!object || json_is_null(object))
		return true;
	if (!read_text(reading, object, "type", &visibility->type) ||
	    !read_text(reading, object, "condition", &visibility->condition) ||
	    !read_text(reading, object, "variable", &visibility->variable) ||
	    !read_text(reading, object, "value", &visibility->value))
		return false;
	if (!is_one_of(visibility->type, "invisible", "disabled") ||
	    !is_one_of(visibility->condition, "equal", "not_equal"))
		return refuse(reading, "its schema has a visibility of an unknown kind");
	field->has_visibility = true;
	return true;
}

static bool read_type(const struct reading *reading, const struct json_value *object,
		      struct form_field *field)
{
	struct str name;

	if (!read_text(reading, object, "type", &name))
		return false;
	for (unsigned i = 0; i < FORM_TYPE_COUNT; i++) {
		if (str_equal(name, str_from(type_names[i]))) {
			field->type = (enum form_type)i;
			return true;
		}
	}
	return refuse(reading, "its schema has a field of the unknown type \"%.*s\"",
		      (int)(name.length < 40 ? name.length : 40), name.data);
}

static bool read_field(const struct reading *reading, const struct json_value *object,
		       struct form_field *field)
{
	struct form_option *options;
	const struct json_value *initial = json_member(object, "default");

	*field = (struct form_field){0};
	if (!json_is_object(object))
		return refuse(reading, "a field of its schema is not an object");
	if (!read_type(reading, object, field) || !read_text(reading, object, "id", &field->id) ||
	    !read_text(reading, object, "name", &field->name) ||
	    !read_text(reading, object, "description", &field->description) ||
	    !read_text(reading, object, "icon", &field->icon) ||
	    !read_text(reading, object, "default", &field->default_value) ||
	    !read_text(reading, object, "source", &field->source) ||
	    !read_text(reading, object, "handler", &field->handler) ||
	    !read_options(reading, json_member(object, "options"), &options,
			  &field->option_count) ||
	    !read_palette(reading, json_member(object, "palette"), field) ||
	    !read_visibility(reading, json_member(object, "visibility"), field))
		return false;
	field->options = options;
	field->has_default = initial && !json_is_null(initial);
	(void)json_get_bool(json_member(object, "secret"), &field->is_secret);
	if (field->id.length == 0 || field->id.length > FORM_ID_BYTES_MAX ||
	    str_find(field->id, '\0') < field->id.length)
		return refuse(reading,
			      "its schema has a field whose id does not have 1 to %d bytes",
			      FORM_ID_BYTES_MAX);
	return true;
}

static bool read_fields(const struct reading *reading, const struct json_value *root,
			struct form *form)
{
	const struct json_value *array = json_member(root, "schema");
	struct json_walk walk = json_walk(array ? array : root);
	const struct json_value *item;

	if (!array && json_is_object(root))
		return true;
	if (walk.left > FORM_FIELDS_MAX)
		return refuse(reading, "its schema has more than %d fields", FORM_FIELDS_MAX);
	if (walk.left == 0)
		return true;
	form->fields = arena_alloc(reading->arena, walk.left * sizeof(form->fields[0]));
	while (json_next_item(&walk, &item)) {
		struct form_field *field = &form->fields[form->count];

		if (!read_field(reading, item, field))
			return false;
		form->count++;
	}
	return true;
}

/* Makes all fields of an ID secret if one of them is. */
static void share_secrets(struct form *form)
{
	for (unsigned i = 0; i < form->count; i++) {
		for (unsigned k = 0; form->fields[i].is_secret && k < form->count; k++)
			if (str_equal(form->fields[k].id, form->fields[i].id))
				form->fields[k].is_secret = true;
	}
}

bool form_read(struct str schema, struct arena *arena, struct form *ret_form,
	       struct str *ret_reason)
{
	struct reading reading = {arena, ret_reason};
	struct json_document document = {0};
	bool is_good;

	*ret_form = (struct form){0};
	if (schema.length == 0)
		return true;
	if (!json_parse_long(schema, arena, &document, ret_reason))
		return false;
	is_good = read_fields(&reading, document.root, ret_form);
	share_secrets(ret_form);
	json_document_finish(&document);
	return is_good;
}

bool form_read_options(struct str result, struct arena *arena, struct form_option **ret_options,
		       unsigned *ret_count, struct str *ret_reason)
{
	struct reading reading = {arena, ret_reason};
	struct json_document document = {0};
	unsigned count;
	bool is_good;

	if (!json_parse_long(result, arena, &document, ret_reason))
		return false;
	is_good = json_get_array(document.root, &count)
		      ? read_options(&reading, document.root, ret_options, ret_count)
		      : refuse(&reading, "the handler returned no list of options");
	json_document_finish(&document);
	return is_good;
}

/* ---- using ---- */

const struct form_field *form_find(const struct form *form, struct str id)
{
	for (unsigned i = 0; i < form->count; i++)
		if (str_equal(form->fields[i].id, id))
			return &form->fields[i];
	return NULL;
}

void form_add(struct form *form, const struct form *more, struct arena *arena)
{
	struct form all = {
	    .fields = arena_alloc(arena, (form->count + more->count) * sizeof(all.fields[0]) + 1),
	    .count = form->count,
	    .has_made = form->has_made,
	};

	if (form->count)
		memcpy(all.fields, form->fields, form->count * sizeof(all.fields[0]));
	for (unsigned i = 0; i < more->count && all.count < FORM_FIELDS_MAX; i++)
		if (!form_find(&all, more->fields[i].id))
			all.fields[all.count++] = more->fields[i];
	*form = all;
}

bool form_makes_more(const struct form *form)
{
	for (unsigned i = 0; i < form->count && !form->has_made; i++)
		if (form->fields[i].type == FORM_GENERATED)
			return true;
	return false;
}

const struct form_field *form_next_maker(const struct form *form, unsigned own, unsigned *seen)
{
	while (*seen < own) {
		const struct form_field *field = &form->fields[(*seen)++];

		if (field->type == FORM_GENERATED)
			return field;
	}
	return NULL;
}

bool form_has_handler(const struct form_field *field)
{
	return field->handler.length &&
	       (field->type == FORM_GENERATED || field->type == FORM_LOCATIONBASED ||
		field->type == FORM_TYPEAHEAD);
}

/* ---- writing ---- */

static void write_member(struct buffer *buffer, const char *name, struct str text)
{
	buffer_printf(buffer, ",\"%s\":", name);
	json_write_str(buffer, text);
}

static void write_or_null(struct buffer *buffer, const char *name, bool is_there, struct str text)
{
	if (is_there)
		write_member(buffer, name, text);
	else
		buffer_printf(buffer, ",\"%s\":null", name);
}

void form_write_options(const struct form_option *options, unsigned count, struct buffer *buffer)
{
	buffer_append_char(buffer, '[');
	for (unsigned i = 0; i < count; i++) {
		buffer_append_str(buffer, i ? STR(",{\"display\":") : STR("{\"display\":"));
		json_write_str(buffer, options[i].display);
		write_member(buffer, "text", options[i].text);
		write_member(buffer, "value", options[i].value);
		buffer_append_char(buffer, '}');
	}
	buffer_append_char(buffer, ']');
}

static void write_palette(const struct form_field *field, struct buffer *buffer)
{
	buffer_append_str(buffer, STR(",\"palette\":["));
	for (unsigned i = 0; i < field->palette_count; i++) {
		if (i)
			buffer_append_char(buffer, ',');
		json_write_str(buffer, field->palette[i]);
	}
	buffer_append_char(buffer, ']');
}

static void write_visibility(const struct form_field *field, struct buffer *buffer)
{
	if (!field->has_visibility) {
		buffer_append_str(buffer, STR(",\"visibility\":null"));
		return;
	}
	buffer_append_str(buffer, STR(",\"visibility\":{\"type\":"));
	json_write_str(buffer, field->visibility.type);
	write_member(buffer, "condition", field->visibility.condition);
	write_member(buffer, "variable", field->visibility.variable);
	write_member(buffer, "value", field->visibility.value);
	buffer_append_char(buffer, '}');
}

/* Returns why the field cannot be filled in; empty: it can. */
static struct str unavailable(const struct form_field *field)
{
	if (field->type == FORM_OAUTH1 || field->type == FORM_OAUTH2)
		return STR("This app signs in to another service through its author's account "
			   "there. That is not possible here.");
	return STR("");
}

static void write_field(const struct form_field *field, struct buffer *buffer)
{
	struct str why = unavailable(field);

	buffer_append_str(buffer, STR("{\"id\":"));
	json_write_str(buffer, field->id);
	write_member(buffer, "type", str_from(type_names[field->type]));
	write_member(buffer, "name", field->name);
	write_member(buffer, "description", field->description);
	write_member(buffer, "icon", field->icon);
	write_or_null(buffer, "defaultValue", field->has_default, field->default_value);
	buffer_append_str(buffer, STR(",\"options\":"));
	form_write_options(field->options, field->option_count, buffer);
	write_palette(field, buffer);
	write_or_null(buffer, "source", field->source.length > 0, field->source);
	write_visibility(field, buffer);
	buffer_printf(buffer, ",\"secret\":%s", field->is_secret ? "true" : "false");
	write_or_null(buffer, "unavailable", why.length > 0, why);
	buffer_append_char(buffer, '}');
}

void form_write(const struct form *form, struct buffer *buffer)
{
	buffer_append_char(buffer, '[');
	for (unsigned i = 0; i < form->count; i++) {
		if (i)
			buffer_append_char(buffer, ',');
		write_field(&form->fields[i], buffer);
	}
	buffer_append_char(buffer, ']');
}
