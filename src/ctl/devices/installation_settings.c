#include "installation_settings.h"

#include "api/app_name.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "ctl/apps/app_engine.h"
#include "domain/settings.h"
#include "domain/studio.h"
#include "main/secret_key.h"
#include "render/engine.h"
#include "settings_file.h"
#include "settings_key.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>

struct work {
	struct ctl *ctl;
	unsigned first;
	const struct device *device;
	struct str installation_id;
	const struct app_source_row *source;
	struct form form;
	struct settings given;
	struct settings open, secret;
	struct settings_key key;
	bool has_key;
};

bool installation_settings_are_given(const struct ctl *ctl, unsigned first)
{
	return ctl->options.positional_count > first || ctl_value(ctl, "settings").data;
}

/* ---- what is given ---- */

static int compare_names(const void *left, const void *right)
{
	struct str a = ((const struct setting *)left)->name;
	struct str b = ((const struct setting *)right)->name;
	int order = memcmp(a.data, b.data, a.length < b.length ? a.length : b.length);

	return order ? order : (a.length > b.length) - (a.length < b.length);
}

/* KEY=VALUE of the arguments, of which none may be secret. */
static enum ctl_exit read_arguments(struct work *work, struct settings *ret_settings)
{
	const struct options *options = &work->ctl->options;
	unsigned count = options->positional_count - work->first;

	if (count > SETTINGS_MAX)
		return ctl_fail(CTL_USAGE, "more than %d settings", SETTINGS_MAX);
	ret_settings->items = arena_zalloc(&work->ctl->arena, (count + 1) * sizeof(struct setting));
	for (unsigned i = 0; i < count; i++) {
		struct str text = str_from(options->positionals[work->first + i]);
		size_t sign = str_find(text, '=');
		struct str name = arena_copy(&work->ctl->arena, (struct str){text.data, sign});
		const struct form_field *field = form_find(&work->form, name);

		if (sign == 0 || sign == text.length)
			return ctl_fail(CTL_USAGE, "a setting is KEY=VALUE%s",
					sign ? "" : ", and the key is missing");
		if (!utf8_is_valid(text))
			return ctl_fail(CTL_USAGE, "settings must be UTF-8");
		if (field && field->is_secret)
			return ctl_fail(CTL_USAGE,
					"the setting %.*s is secret, and others read arguments: "
					"give it by --settings FILE",
					STR_ARG(name));
		ret_settings->items[i] =
		    (struct setting){.name = name, .value = str_from_offset(text, sign + 1)};
	}
	qsort(ret_settings->items, count, sizeof(struct setting), compare_names);
	for (unsigned i = 1; i < count; i++)
		if (str_equal(ret_settings->items[i - 1].name, ret_settings->items[i].name))
			return ctl_fail(CTL_USAGE, "the setting %.*s is given twice",
					STR_ARG(ret_settings->items[i].name));
	ret_settings->count = count;
	return CTL_DONE;
}

/* ---- the form ---- */

static enum ctl_exit find_script(struct work *work, struct str *ret_script)
{
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_app_script(ctl_new_query(work->ctl),
			     &(struct app_script_parameters){.app_id = work->source->app_id,
							     .id = work->source->version_id},
			     NULL);
	code = ctl_query(work->ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_REFUSED, "no version of this app is deployed");
	*ret_script = ((const struct app_script *)rows.rows)->script_content;
	return CTL_DONE;
}

/* By running the script, without network. */
static enum ctl_exit ask_form(struct work *work, struct str script, struct str *ret_schema)
{
	const struct app_source_row *source = work->source;
	yyjson_mut_doc *head = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *root = yyjson_mut_obj(head);
	struct renderer_answer answer = {0};
	char why[RENDERER_WHY_MAX];
	struct app_engine *engine =
	    app_engine_start(str_equal(source->language, STR("TYPESCRIPT")), why);
	enum ctl_exit code = CTL_DONE;
	yyjson_val *schema;
	char *text;

	yyjson_mut_doc_set_root(head, root);
	yyjson_mut_obj_add_str(head, root, "what", "schema");
	yyjson_mut_obj_add_str(head, root, "app", "form");
	yyjson_mut_obj_add_sint(head, root, "now_ms", clock_wall_us() / 1000);
	yyjson_mut_obj_add_str(head, root, "timezone", "UTC");
	yyjson_mut_obj_add_strncpy(head, root, "locale", source->locale.data,
				   source->locale.length);
	if (!engine || app_engine_ask(engine, head, script, &answer, why) < 0) {
		code = ctl_fail(CTL_FAILED, "the app's form is not there: %s", why);
	} else if (yyjson_obj_get(yyjson_doc_get_root(answer.head), "error")) {
		code = ctl_fail(CTL_REFUSED,
				"the app's form is not there: its script fails without network; "
				"look at it in the web application once, and try again");
	} else {
		schema = yyjson_obj_get(yyjson_doc_get_root(answer.head), "schema");
		text = yyjson_is_obj(schema) ? yyjson_val_write(schema, 0, NULL) : NULL;
		*ret_schema = arena_copy(&work->ctl->arena, str_from(text ? text : ""));
		free(text);
	}
	app_engine_finish_answer(&answer);
	app_engine_stop(engine);
	yyjson_mut_doc_free(head);
	return code;
}

static enum ctl_exit find_app(struct work *work, struct str app, bool is_new)
{
	struct app_name name = app_name_of(app);
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_app_source(ctl_new_query(work->ctl),
			     &(struct app_source_parameters){
				 .account_id = work->device->account_id,
				 .app_id = name.id,
				 .slug = name.slug,
				 .device_id = work->device->id,
				 .installation_id = is_new ? STR("") : work->installation_id,
				 .engine = str_from(engines_version()),
				 .is_looked_at = true,
			     },
			     NULL);
	code = ctl_query(work->ctl, &rows);
	if (code != CTL_DONE)
		return code;
	work->source = rows.rows;
	if (rows.count == 0 && is_new)
		return ctl_fail(CTL_NOT_FOUND, "there is no app %.*s that this device can install",
				STR_ARG(app));
	if (rows.count == 0 || (!is_new && !work->source->is_installed))
		return ctl_fail(CTL_NOT_FOUND, "the device has no installation %.*s of an app",
				STR_ARG(work->installation_id));
	if (!work->source->language.length)
		return ctl_fail(CTL_REFUSED, "no version of this app is deployed");
	return CTL_DONE;
}

static enum ctl_exit find_form(struct work *work)
{
	struct str schema = work->source->schema, script, reason;
	enum ctl_exit code = CTL_DONE;

	if (!work->source->has_schema)
		code = find_script(work, &script);
	if (!work->source->has_schema && code == CTL_DONE)
		code = ask_form(work, script, &schema);
	if (code == CTL_DONE &&
	    !form_read(schema.data ? schema : STR(""), &work->ctl->arena, &work->form, &reason))
		return ctl_fail(CTL_REFUSED, "the app's form is not there: %.*s", STR_ARG(reason));
	return code;
}

/* ---- what is stored ---- */

static enum ctl_exit find_key(struct work *work)
{
	const struct config *config = &work->ctl->config;
	struct reason why;
	int found = secret_key_find(config->state_dir, config->secret_key_file, &work->key, &why);

	if (found < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	if (found == 0)
		return ctl_fail(CTL_FAILED,
				"the server's key for secret settings is not there: give its "
				"--state-dir, or its configuration file");
	work->has_key = true;
	return settings_key_check(work->ctl, &work->key);
}

/* Merges as web/app_work.c does: the current form decides which settings are secret. */
static enum ctl_exit merge_stored(struct work *work, struct settings *changed)
{
	const struct app_source_row *source = work->source;
	struct arena *arena = &work->ctl->arena;
	struct settings open, marked, secret = {0};
	enum ctl_exit code = CTL_DONE;
	struct str json;

	settings_parse(source->settings, arena, &open);
	settings_parse(source->settings, arena, &marked);
	settings_keep(&open, &work->form, false);
	settings_keep(&marked, &work->form, true);
	if (source->secret_settings.length > 0) {
		code = find_key(work);
		if (code == CTL_DONE &&
		    !settings_open(&work->key, work->device->id, work->installation_id,
				   source->secret_settings, arena, &json))
			return ctl_fail(CTL_REFUSED, "%s", settings_open_failed);
		if (code == CTL_DONE)
			settings_parse(json, arena, &secret);
		settings_keep_sealed(&secret, &work->form);
	}
	settings_merge(&marked, &secret, arena, &secret);
	settings_merge(&secret, changed, arena, &work->secret);
	settings_merge(&open, &work->open, arena, &work->open);
	return code;
}

static enum ctl_exit seal(struct work *work, struct installation_settings *ret)
{
	enum ctl_exit code = CTL_DONE;

	if (work->secret.count && !work->has_key)
		code = find_key(work);
	if (code == CTL_DONE)
		stored_settings_make(&work->key, work->device->id, work->installation_id,
				     &work->open, &work->secret, &work->ctl->arena, &ret->stored);
	return code;
}

/* Joins both; the arguments override the file. Unlike settings_merge(), keeps removed settings. */
static void join(struct work *work, const struct settings *of_file,
		 const struct settings *of_arguments)
{
	struct settings *given = &work->given;

	given->items = arena_zalloc(&work->ctl->arena, (of_file->count + of_arguments->count + 1) *
							   sizeof(struct setting));
	for (unsigned i = 0; i < of_arguments->count; i++)
		given->items[given->count++] = of_arguments->items[i];
	for (unsigned i = 0; i < of_file->count; i++)
		if (!settings_find(of_arguments, of_file->items[i].name))
			given->items[given->count++] = of_file->items[i];
	qsort(given->items, given->count, sizeof(struct setting), compare_names);
}

static enum ctl_exit take_given(struct work *work)
{
	struct settings of_file = {0}, of_arguments = {0}, changed;
	struct faults faults;
	enum ctl_exit code = settings_file_read(work->ctl, &of_file);

	if (code == CTL_DONE)
		code = read_arguments(work, &of_arguments);
	if (code != CTL_DONE)
		return code;
	join(work, &of_file, &of_arguments);
	faults_init(&faults, &work->ctl->arena);
	for (unsigned i = 0; i < work->given.count; i++)
		if (!form_find(&work->form, work->given.items[i].name))
			faults_add(&faults, work->given.items[i].name, "is none of this app's");
	settings_check(&work->given, &work->form, &faults, &work->open, &changed);
	return faults.count ? settings_file_fail(&faults) : merge_stored(work, &changed);
}

enum ctl_exit installation_settings_read(struct ctl *ctl, unsigned first,
					 const struct device *device, struct str app,
					 struct str installation_id, bool is_new,
					 struct installation_settings *ret)
{
	struct work work = {
	    .ctl = ctl, .first = first, .device = device, .installation_id = installation_id};
	enum ctl_exit code = find_app(&work, app, is_new);

	*ret = (struct installation_settings){0};
	if (code == CTL_DONE)
		code = find_form(&work);
	if (code == CTL_DONE)
		code = take_given(&work);
	if (code == CTL_DONE)
		code = seal(&work, ret);
	if (code == CTL_DONE) {
		ret->seen_hash = work.source->settings_hash;
		ret->version_id = work.source->version_id;
	}
	sodium_memzero(&work.key, sizeof(work.key));
	return code;
}
