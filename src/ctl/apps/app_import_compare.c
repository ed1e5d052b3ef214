#include "app_import_steps.h"
#include "base/hex.h"

#include <sodium.h>

static bool is_used(const struct import *import, const char *slug)
{
	for (size_t i = 0; i < import->count; i++)
		if (import->apps[i].slug && strcmp(import->apps[i].slug, slug) == 0)
			return true;
	return false;
}

static const struct import_state *find_state(const struct import *import, const char *slug)
{
	for (unsigned i = 0; i < import->state_count; i++)
		if (str_equal(import->states[i].slug, str_from(slug)))
			return &import->states[i];
	return NULL;
}

static bool is_same(const struct import_app *app, const struct import_state *state)
{
	return state->is_own && str_equal(state->origin, str_from(app->origin));
}

/* The first slug that nobody has, or if it is known, that it has itself. */
static void choose(const struct import *import, struct import_app *app, bool is_known)
{
	for (unsigned i = 0; i < IMPORT_SLUGS_MAX && !app->slug; i++) {
		const char *slug = app->slugs[i];
		const struct import_state *state = find_state(import, slug);

		if (!slug[0] || is_used(import, slug) || is_known != (state != NULL) ||
		    (state && !is_same(app, state)))
			continue;
		app->slug = slug;
		app->state = state;
	}
}

/* First the apps that have one keep it, regardless of their order. */
void import_compare(struct import *import)
{
	for (int is_known = 1; is_known >= 0; is_known--)
		for (size_t i = 0; i < import->count; i++)
			if (import->apps[i].outcome == IMPORT_WAITS && !import->apps[i].slug)
				choose(import, &import->apps[i], is_known);
	for (size_t i = 0; i < import->count; i++)
		if (import->apps[i].outcome == IMPORT_WAITS && !import->apps[i].slug)
			import_fail(&import->apps[i], "there is another app %s in %.*s",
				    import->apps[i].slugs[0], STR_ARG(import->collection));
}

/* The hash that the server tells of what the manifest says (sql/query/app_collection_choose.sql).
 */
static void hash_details(const struct import_app *app, char ret_hash[static IMPORT_HASH_BYTES])
{
	struct str broken = import_broken_reason(app);
	struct buffer text = {0};
	struct str view;
	uint8_t hash[crypto_hash_sha256_BYTES];

	buffer_printf(&text, "%s\n%s\n%s\n%s\n%.*s\n%.*s", import_name(app), app->description,
		      app->manifest.author ?: "", app->manifest.category ?: "",
		      STR_ARG(import_tags(app)), STR_ARG(broken));
	view = buffer_view(&text);
	crypto_hash_sha256(hash, (const uint8_t *)view.data, view.length);
	hex_encode(hash, sizeof(hash), ret_hash);
	buffer_finish(&text);
}

bool import_has_all(const struct import_app *app)
{
	char details[IMPORT_HASH_BYTES];

	if (!app->state || !str_equal(app->state->version, str_from(app->version)) ||
	    !str_equal(app->state->picture, str_from(app->picture_hash)))
		return false;
	hash_details(app, details);
	return str_equal(app->state->details, str_from(details));
}
