#include "app_import_steps.h"
#include "base/limits.h"
#include "base/memory.h"

/* Stores imported apps. Workers get hints at the end; a server that misses them, since the import
 * was interrupted, looks by itself within 30 s. */
#define REVIEW_SUMMARY "Imported from a checkout of the community's apps; nobody has read it."

static enum ctl_exit query(struct import *import, const struct import_app *app,
			   struct ctl_rows *ret_rows)
{
	enum { TRIES = 2 };
	enum ctl_exit code;

	/* Another import may have stored the same version meanwhile: it is found then. */
	for (int tries = 0; tries < TRIES; tries++) {
		statement_app_import(
		    ctl_new_query(import->ctl),
		    &(struct app_import_parameters){
			.id = id_new(),
			.account_id = import->account_id,
			.collection_id = import->collection_id,
			.slug = str_from(app->slug),
			.name = str_from(import_name(app)),
			.description = str_from(app->description),
			.author = str_from(app->manifest.author),
			.imported_as = str_from(app->origin),
			.category = str_from(app->manifest.category ?: ""),
			.tags = import_tags(app),
			.broken_reason = import_broken_reason(app),
			.version_id = id_new(),
			.version = str_from(app->version),
			.script_language = import_language(app),
			.script_content = buffer_view(&app->script),
			.checksum = str_from(app->checksum),
			.review_summary = STR(REVIEW_SUMMARY),
			.picture = app->picture_name ? buffer_view(&app->picture) : (struct str){0},
		    },
		    NULL);
		code = ctl_query(import->ctl, ret_rows);
		if (code != CTL_DONE || ret_rows->refusal != REFUSAL_VERSION_NAME_USED)
			break;
	}
	return code;
}

/* Reports the constraint that forbids the import of the app. */
static void refuse(const struct import *import, struct import_app *app, const struct ctl_rows *rows)
{
	switch (rows->refusal) {
	case REFUSAL_TOO_MANY_APPS:
		import_fail(app, "the account has %d apps already", LIMIT_ACCOUNT_APPS);
		break;
	case REFUSAL_TOO_MANY_VERSIONS:
		import_fail(app, "it has as many versions as an app may have");
		break;
	case REFUSAL_VERSION_NAME_USED:
		import_fail(app, "it has another version %s", app->version);
		break;
	default: /* made since the import began */
		import_fail(app, "there is another app %s in %.*s", app->slug,
			    STR_ARG(import->collection));
	}
}

/* Keeps the row for import_tell(). */
static void keep(struct import *import, const struct app_import_row *row)
{
	struct arena *arena = &import->ctl->arena;

	if (!import->ids) {
		import->ids = arena_zalloc(arena, import->count * sizeof(*import->ids));
		import->generations =
		    arena_zalloc(arena, import->count * sizeof(*import->generations));
	}
	import->ids[import->stored_count] = row->id;
	import->generations[import->stored_count++] = row->generation;
}

enum ctl_exit import_store(struct import *import, struct import_app *app)
{
	struct ctl_rows rows = {0};
	enum ctl_exit code;

	if (import_has_content(app) && import_has_details(app) && import_has_picture(app)) {
		app->outcome = IMPORT_UNCHANGED;
		return CTL_DONE;
	}
	if (!import->is_dry) {
		code = query(import, app, &rows);
		if (code != CTL_DONE)
			return code;
		if (rows.count == 0) {
			refuse(import, app, &rows);
			return CTL_DONE;
		}
		keep(import, rows.rows);
	}
	app->outcome = app->state ? IMPORT_UPDATED : IMPORT_MADE;
	return CTL_DONE;
}

enum ctl_exit import_tell(struct import *import)
{
	struct ctl_rows rows;

	if (import->stored_count == 0)
		return CTL_DONE;
	statement_app_import_tell(ctl_new_query(import->ctl),
				  &(struct app_import_tell_parameters){
				      .ids = {import->ids, import->stored_count},
				      .generations = {import->generations, import->stored_count},
				  },
				  NULL);
	return ctl_query(import->ctl, &rows);
}
