#include "app_import_steps.h"
#include "app_report.h"

#include "base/memory.h"
#include "record/json.h"

#include <yyjson.h>

static const char *const outcome_names[] = {
    [IMPORT_WAITS] = "waiting",	      [IMPORT_MADE] = "made",	  [IMPORT_UPDATED] = "updated",
    [IMPORT_UNCHANGED] = "unchanged", [IMPORT_FAILED] = "failed",
};

/* ---- the report ---- */

static unsigned count_of(const struct import *import, enum import_outcome outcome)
{
	unsigned count = 0;

	for (size_t i = 0; i < import->count; i++)
		count += import->apps[i].outcome == outcome;
	return count;
}

static unsigned count_broken(const struct import *import)
{
	unsigned count = 0;

	for (size_t i = 0; i < import->count; i++)
		count +=
		    import->apps[i].outcome != IMPORT_FAILED && import->apps[i].manifest.is_broken;
	return count;
}

/* Counts the apps that bring a picture along. */
static unsigned count_pictures(const struct import *import)
{
	unsigned count = 0;

	for (size_t i = 0; i < import->count; i++)
		count += import->apps[i].outcome != IMPORT_FAILED && import->apps[i].picture_name;
	return count;
}

static void add_text(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *name,
		     const char *value)
{
	if (value && value[0])
		yyjson_mut_obj_add_strcpy(doc, object, name, value);
	else
		yyjson_mut_obj_add_null(doc, object, name);
}

static void add_app(yyjson_mut_doc *doc, yyjson_mut_val *array, const struct import_app *app)
{
	yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, array);

	add_text(doc, object, "folder", app->name);
	add_text(doc, object, "slug", app->slug);
	add_text(doc, object, "version", app->version);
	add_text(doc, object, "outcome", outcome_names[app->outcome]);
	add_text(doc, object, "remark", app->remark);
	add_text(doc, object, "picture", app->picture_name);
}

static void print_json(const struct import *import)
{
	yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *root = yyjson_mut_obj(doc), *apps;
	struct buffer json = {0};
	char *text;

	yyjson_mut_doc_set_root(doc, root);
	yyjson_mut_obj_add_strncpy(doc, root, "collection", import->collection.data,
				   import->collection.length);
	for (int i = IMPORT_MADE; i <= IMPORT_FAILED; i++)
		yyjson_mut_obj_add_uint(doc, root, outcome_names[i],
					count_of(import, (enum import_outcome)i));
	yyjson_mut_obj_add_uint(doc, root, "broken", count_broken(import));
	yyjson_mut_obj_add_uint(doc, root, "pictures", count_pictures(import));
	apps = yyjson_mut_obj_add_arr(doc, root, "apps");
	for (size_t i = 0; i < import->count; i++)
		add_app(doc, apps, &import->apps[i]);
	text = yyjson_mut_write(doc, YYJSON_WRITE_ALLOW_INVALID_UNICODE, NULL);
	if (text) {
		json_write_text(&json, str_from(text));
		buffer_append_char(&json, '\n');
		(void)ctl_print(&json);
	}
	buffer_finish(&json);
	free(text);
	yyjson_mut_doc_free(doc);
}

/* Prints remarks about single apps, and the number of each outcome. */
static void print_text(const struct import *import)
{
	for (size_t i = 0; i < import->count; i++) {
		const struct import_app *app = &import->apps[i];
		struct buffer line = {0};

		if (!app->remark)
			continue;
		app_report_text(app->name, &line);
		buffer_append_str(&line, STR(": "));
		if (app->outcome == IMPORT_FAILED)
			buffer_append_str(&line, STR("not imported: "));
		app_report_text(app->remark, &line);
		printf("%.*s\n", STR_ARG(buffer_view(&line)));
		buffer_finish(&line);
	}
	for (int i = IMPORT_MADE; i <= IMPORT_FAILED; i++)
		printf("%-10s %u\n", outcome_names[i], count_of(import, (enum import_outcome)i));
	if (count_broken(import) > 0)
		printf("%-10s %u\n", "broken", count_broken(import));
	if (count_pictures(import) > 0)
		printf("%-10s %u\n", "pictures", count_pictures(import));
}

/* ---- the command ---- */

static enum ctl_exit run(struct import *import, const char *path)
{
	struct ctl *ctl = import->ctl;
	enum ctl_exit code = import_scan(import, path);

	if (code == CTL_DONE)
		code = import_choose(import, path);
	if (code != CTL_DONE)
		return code;
	import_compare(import);
	import->done_count = count_of(import, IMPORT_FAILED);
	code = import_send(import);
	if (ctl->json)
		print_json(import);
	else
		print_text(import);
	if (fflush(stdout) != 0)
		code = CTL_FAILED;
	if (code == CTL_DONE && count_of(import, IMPORT_FAILED) == import->count)
		return ctl_fail(CTL_FAILED, "no app was imported");
	return code;
}

enum ctl_exit ctl_app_import(struct ctl *ctl)
{
	struct import import = {.ctl = ctl, .is_dry = ctl_value(ctl, "dry-run").data};
	enum ctl_exit code = run(&import, ctl->options.positionals[0]);

	for (size_t i = 0; i < import.count; i++) {
		struct import_app *app = &import.apps[i];

		app_manifest_finish(&app->manifest);
		buffer_finish(&app->script);
		buffer_finish(&app->picture);
		free(app->picture_name);
		free(app->description);
		free(app->remark);
		free(app->path);
	}
	free(import.apps);
	return code;
}
