#include "app_import_steps.h"

#include "base/memory.h"
#include "ctl/server/text.h"

#include <stdlib.h>

/* ---- the report ---- */

static const char *const outcome_names[IMPORT_OUTCOMES] = {
    [IMPORT_WAITS] = "waiting",	      [IMPORT_MADE] = "made",	  [IMPORT_UPDATED] = "updated",
    [IMPORT_UNCHANGED] = "unchanged", [IMPORT_FAILED] = "failed",
};

struct report {
	int64_t counts[IMPORT_OUTCOMES];
	int64_t broken, pictures; /* number among the apps that have not failed */
};

static const struct record_field row_fields[] = {
    RECORD_STR(struct import_app, name, .name = "folder"),
    RECORD_STR(struct import_app, slug, .name = "slug", .nullable = true),
    RECORD_STR(struct import_app, version, .name = "version", .nullable = true),
    RECORD_STR(struct import_app, outcome_name, .name = "outcome"),
    RECORD_STR(struct import_app, remark, .name = "remark", .nullable = true),
    RECORD_STR(struct import_app, picture_name, .name = "picture", .nullable = true),
};
static const struct record row_record = RECORD(struct import_app, row_fields);

static void count_apps(struct import *import, struct report *ret_report)
{
	*ret_report = (struct report){0};
	for (size_t i = 0; i < import->count; i++) {
		struct import_app *app = &import->apps[i];
		bool has_failed = app->outcome == IMPORT_FAILED;

		app->outcome_name = str_from(outcome_names[app->outcome]);
		ret_report->counts[app->outcome]++;
		ret_report->broken += !has_failed && app->manifest.is_broken;
		ret_report->pictures += !has_failed && app->picture_name.data;
	}
}

static enum ctl_exit print_json(const struct import *import, const struct report *report)
{
	struct ctl *ctl = import->ctl;
	const int64_t *counts = report->counts;
	struct buffer json = {0};
	enum ctl_exit code;

	for (size_t i = 0; i < import->count; i++) {
		buffer_append_char(&json, i ? ',' : '[');
		record_write_json(&row_record, &import->apps[i], &json);
	}
	buffer_append_char(&json, ']');
	code = ctl_print_members(ctl,
				 CTL_MEMBERS(ctl_text("collection", import->collection),
					     ctl_number(ctl, "made", counts[IMPORT_MADE]),
					     ctl_number(ctl, "updated", counts[IMPORT_UPDATED]),
					     ctl_number(ctl, "unchanged", counts[IMPORT_UNCHANGED]),
					     ctl_number(ctl, "failed", counts[IMPORT_FAILED]),
					     ctl_number(ctl, "broken", report->broken),
					     ctl_number(ctl, "pictures", report->pictures),
					     {"apps", buffer_view(&json), true}));
	buffer_finish(&json);
	return code;
}

static void print_count(const char *name, int64_t count, struct buffer *text)
{
	buffer_printf(text, "%-10s %lld\n", name, (long long)count);
}

/* Prints the remarks about apps, and the number of each outcome. */
static enum ctl_exit print_text(const struct import *import, const struct report *report)
{
	struct buffer text = {0};
	enum ctl_exit code;

	for (size_t i = 0; i < import->count; i++) {
		const struct import_app *app = &import->apps[i];

		if (!app->remark.data)
			continue;
		ctl_append_visible(app->name, "\t", &text);
		buffer_append_str(&text, STR(": "));
		if (app->outcome == IMPORT_FAILED)
			buffer_append_str(&text, STR("not imported: "));
		ctl_append_visible(app->remark, "\t", &text);
		buffer_append_char(&text, '\n');
	}
	for (int i = IMPORT_MADE; i <= IMPORT_FAILED; i++)
		print_count(outcome_names[i], report->counts[i], &text);
	if (report->broken > 0)
		print_count("broken", report->broken, &text);
	if (report->pictures > 0)
		print_count("pictures", report->pictures, &text);
	code = ctl_print(&text);
	buffer_finish(&text);
	return code;
}

/* ---- the command ---- */

static enum ctl_exit app_import_run(struct import *import, const char *path)
{
	struct report report;
	enum ctl_exit code = import_scan(import, path), printed;

	if (code == CTL_DONE)
		code = import_choose(import, path);
	if (code != CTL_DONE)
		return code;
	code = import_send(import);
	count_apps(import, &report);
	printed = import->ctl->json ? print_json(import, &report) : print_text(import, &report);
	if (printed != CTL_DONE)
		return printed;
	if (code == CTL_DONE && report.counts[IMPORT_FAILED] == (int64_t)import->count)
		return ctl_fail(CTL_FAILED, "no app was imported");
	return code;
}

enum ctl_exit ctl_app_import(struct ctl *ctl)
{
	struct import import = {.ctl = ctl, .is_dry = ctl_value(ctl, "dry-run").data};
	enum ctl_exit code = app_import_run(&import, ctl->options.positionals[0]);

	for (size_t i = 0; i < import.count; i++)
		import_app_finish(&import.apps[i]);
	free(import.apps);
	return code;
}
