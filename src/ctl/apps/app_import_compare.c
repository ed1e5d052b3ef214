#include "app_import_steps.h"
#include "base/memory.h"

static bool is_used(const struct import *import, const char *slug)
{
	for (size_t i = 0; i < import->count; i++)
		if (import->apps[i].slug && strcmp(import->apps[i].slug, slug) == 0)
			return true;
	return false;
}

static const struct app_import_state_row *find_state(const struct ctl_rows *rows, const char *slug)
{
	const struct app_import_state_row *states = rows->rows;

	for (unsigned i = 0; i < rows->count; i++)
		if (str_equal(states[i].slug, str_from(slug)))
			return &states[i];
	return NULL;
}

static bool is_same(const struct import_app *app, const struct app_import_state_row *state)
{
	return state->is_own && str_equal(state->imported_as, str_from(app->origin));
}

/* The first slug that nobody has, or if it is known, that it has itself. */
static void choose(const struct import *import, const struct ctl_rows *rows, struct import_app *app,
		   bool is_known)
{
	for (unsigned i = 0; i < IMPORT_SLUGS_MAX && !app->slug; i++) {
		const char *slug = app->slugs[i];
		const struct app_import_state_row *state = find_state(rows, slug);

		if (!slug[0] || is_used(import, slug) || is_known != (state != NULL) ||
		    (state && !is_same(app, state)))
			continue;
		app->slug = slug;
		app->state = state;
	}
}

/* Chooses slugs: first the apps that have one keep it, regardless of their order. */
static void choose_all(struct import *import, const struct ctl_rows *rows)
{
	for (int is_known = 1; is_known >= 0; is_known--)
		for (size_t i = 0; i < import->count; i++)
			if (import->apps[i].outcome == IMPORT_WAITS && !import->apps[i].slug)
				choose(import, rows, &import->apps[i], is_known);
	for (size_t i = 0; i < import->count; i++)
		if (import->apps[i].outcome == IMPORT_WAITS && !import->apps[i].slug)
			import_fail(&import->apps[i], "there is another app %s in %.*s",
				    import->apps[i].slugs[0], STR_ARG(import->collection));
}

enum ctl_exit import_compare(struct import *import)
{
	struct ctl *ctl = import->ctl;
	struct str *slugs =
	    arena_zalloc(&ctl->arena, import->count * IMPORT_SLUGS_MAX * sizeof(*slugs));
	unsigned count = 0;
	struct ctl_rows rows;
	enum ctl_exit code;

	for (size_t i = 0; i < import->count; i++)
		for (unsigned j = 0; j < IMPORT_SLUGS_MAX; j++)
			if (import->apps[i].slugs[j][0])
				slugs[count++] = str_from(import->apps[i].slugs[j]);
	statement_app_import_state(ctl_new_query(ctl),
				   &(struct app_import_state_parameters){
				       .account_id = import->account_id,
				       .collection_id = import->collection_id,
				       .slugs = {slugs, count},
				   },
				   NULL);
	code = ctl_query(ctl, &rows);
	if (code == CTL_DONE)
		choose_all(import, &rows);
	return code;
}

bool import_has_content(const struct import_app *app)
{
	return app->state && str_equal(app->state->version, str_from(app->version));
}

bool import_has_picture(const struct import_app *app)
{
	struct str hash = {(const char *)app->picture_hash, sizeof(app->picture_hash)};

	if (!app->state)
		return false;
	return app->picture_name ? str_equal(app->state->picture_hash, hash)
				 : app->state->picture_hash.length == 0;
}

bool import_has_details(const struct import_app *app)
{
	const struct app_import_state_row *state = app->state;
	const struct app_manifest *manifest = &app->manifest;

	return state && str_equal(state->name, str_from(import_name(app))) &&
	       str_equal(state->description, str_from(app->description)) &&
	       str_equal(state->author, str_from(manifest->author ? manifest->author : "")) &&
	       str_equal(state->category, str_from(manifest->category ? manifest->category : "")) &&
	       str_equal(state->tags, import_tags(app)) &&
	       str_equal(state->broken_reason, import_broken_reason(app));
}
