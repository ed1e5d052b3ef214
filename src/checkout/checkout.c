#include "checkout/checkout.h"
#include "base/memory.h"
#include "domain/app_import.h"
#include "domain/studio.h"
#include "record/json.h"

#include <text/base64.h>
#include <text/utf8.h>

void import_app_finish(struct import_app *app)
{
	buffer_finish(&app->script);
	buffer_finish(&app->picture);
	arena_finish(&app->arena);
}

/* ---- its texts ---- */

static const char *last_part(struct str name)
{
	const char *slash = strrchr(name.data, '/');

	return slash ? slash + 1 : name.data;
}

static void make_slugs(struct import_app *app)
{
	const struct str names[IMPORT_SLUGS_MAX] = {app->manifest.id, app->manifest.package,
						    str_from(last_part(app->name))};
	unsigned count = 0;

	for (unsigned i = 0; i < IMPORT_SLUGS_MAX; i++) {
		struct str slug = app_slug_of(names[i], &app->arena);

		if (slug.length && !app_slug_check(slug))
			app->slugs[count++] = slug;
	}
	if (count == 0)
		import_fail(app, STR("its name has no letters a to z and no digits"));
}

/* Returns the summary and the description; only one of them if the description begins with the
 * summary, or both are too long. */
static struct str make_description(struct import_app *app)
{
	struct str summary = app->manifest.summary, more = app->manifest.description, text;

	if (!summary.data || !more.data || str_starts_with_ignore_case(more, summary))
		return more.data ? more : summary.data ? summary : STR("");
	text = ARENA_JOIN(&app->arena, summary, STR("\n"), more);
	return utf8_length(text) <= APP_DESCRIPTION_LENGTH_MAX ? text : summary;
}

void import_app_describe(struct import_app *app)
{
	app->origin = app->manifest.id.data ? app->manifest.id : app->name;
	app->description = make_description(app);
	if (app->manifest.is_broken)
		app->broken_reason = app->manifest.broken_reason.data
					 ? app->manifest.broken_reason
					 : STR("Its collection gives no reason.");
	if (app->outcome == IMPORT_WAITS)
		make_slugs(app);
}

void import_app_name_version(struct import_app *app)
{
	char checksum[APP_CHECKSUM_LENGTH + 1];
	struct str script = buffer_view(&app->script);

	if (script.length == 0)
		import_fail(app, STR("its script is empty"));
	else if (!utf8_is_valid(script) || memchr(script.data, '\0', script.length))
		import_fail(app, STR("its script or the name of a file is not UTF-8"));
	app_checksum(import_language(app), script, checksum);
	app->version = arena_copy(&app->arena, import_version(checksum));
}

/* ---- the choice of slugs ---- */

/* Appends a field of a line of the request. Tabs and line feeds in it become spaces. */
static void append_field(struct buffer *lines, struct str text)
{
	for (size_t i = 0; i < text.length; i++)
		buffer_append_char(
		    lines, text.data[i] == '\t' || text.data[i] == '\n' ? ' ' : text.data[i]);
}

void import_write_lines(const struct import_app *apps, size_t count, struct buffer *lines)
{
	bool is_first = true;

	for (size_t i = 0; i < count; i++) {
		const struct import_app *app = &apps[i];

		if (app->outcome != IMPORT_WAITS)
			continue;
		if (!is_first)
			buffer_append_char(lines, '\n');
		is_first = false;
		append_field(lines, app->origin);
		buffer_append_char(lines, '\t');
		append_field(lines, app->manifest.author);
		for (unsigned j = 0; j < IMPORT_SLUGS_MAX; j++) {
			buffer_append_char(lines, '\t');
			append_field(lines, app->slugs[j]);
		}
	}
}

struct choice {
	struct import_app *apps;
	size_t count;
	const struct import_state *states;
	unsigned state_count;
};

static bool is_used(const struct choice *choice, struct str slug)
{
	for (size_t i = 0; i < choice->count; i++)
		if (choice->apps[i].slug.data && str_equal(choice->apps[i].slug, slug))
			return true;
	return false;
}

static const struct import_state *find_state(const struct choice *choice, struct str slug)
{
	for (unsigned i = 0; i < choice->state_count; i++)
		if (str_equal(choice->states[i].slug, slug))
			return &choice->states[i];
	return NULL;
}

/* Chooses the first free slug; if is_known is set, the slug that the app has on the server already.
 */
static void choose(const struct choice *choice, struct import_app *app, bool is_known)
{
	for (unsigned i = 0; i < IMPORT_SLUGS_MAX && app->slugs[i].data && !app->slug.data; i++) {
		const struct import_state *state = find_state(choice, app->slugs[i]);

		if (is_used(choice, app->slugs[i]) || is_known != (state != NULL) ||
		    (state && !str_equal(state->origin, app->origin)))
			continue;
		app->slug = app->slugs[i];
		app->state = state;
	}
}

void import_choose_slugs(struct import_app *apps, size_t count, const struct import_state *states,
			 unsigned state_count, struct str collection)
{
	const struct choice choice = {apps, count, states, state_count};

	/* Apps that have one on the server keep it, so they come first. */
	for (int is_known = 1; is_known >= 0; is_known--)
		for (size_t i = 0; i < count; i++)
			if (apps[i].outcome == IMPORT_WAITS)
				choose(&choice, &apps[i], is_known);
	for (size_t i = 0; i < count; i++)
		if (apps[i].outcome == IMPORT_WAITS && !apps[i].slug.data)
			import_fail(&apps[i],
				    ARENA_JOIN(&apps[i].arena, STR("there is another app "),
					       apps[i].slugs[0], STR(" in "), collection));
}

/* ---- what is new ---- */

/* Hashes as sql/query/app_collection_choose.sql does. */
bool import_has_all(const struct import_app *app)
{
	const struct app_manifest *manifest = &app->manifest;
	char hash[IMPORT_HASH_BYTES];
	struct buffer text = {0};

	buffer_printf(&text, "%.*s\n%.*s\n%.*s\n%.*s\n%.*s\n%.*s\n%.*s\n%s",
		      STR_ARG(import_name(app)), STR_ARG(app->description),
		      STR_ARG(manifest->author), STR_ARG(manifest->category),
		      STR_ARG(manifest->tags), STR_ARG(app->broken_reason), STR_ARG(app->version),
		      app->picture_hash);
	import_hash(buffer_view(&text), hash);
	buffer_finish(&text);
	return app->state && str_equal(app->state->content, str_from(hash));
}

/* ---- the request ---- */

static void append_member(struct buffer *body, const char *name, struct str text)
{
	if (!text.data)
		return;
	buffer_printf(body, ",\"%s\":", name);
	json_write_str(body, text);
}

void import_write_body(const struct import_app *app, bool only_check, struct buffer *body)
{
	const struct app_manifest *manifest = &app->manifest;

	buffer_printf(body, "{\"onlyCheck\":%s,\"tags\":", only_check ? "true" : "false");
	buffer_append_str(body, manifest->tags);
	append_member(body, "slug", app->slug);
	append_member(body, "name", import_name(app));
	append_member(body, "description", app->description);
	append_member(body, "author", manifest->author);
	append_member(body, "origin", app->origin);
	append_member(body, "category", manifest->category);
	append_member(body, "brokenReason", app->broken_reason);
	append_member(body, "scriptLanguage", import_language(app));
	append_member(body, "scriptContent", buffer_view(&app->script));
	if (app->picture_name.data) {
		buffer_append_str(body, STR(",\"picture\":\""));
		buffer_append_base64(body, buffer_view(&app->picture));
		buffer_append_char(body, '"');
	}
	buffer_append_char(body, '}');
}
