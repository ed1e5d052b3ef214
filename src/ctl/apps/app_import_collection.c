#include "app_folder.h"
#include "app_import_steps.h"
#include "ctl/server/client.h"
#include "domain/studio.h"

#include <stdlib.h>
#include <text/utf8.h>

/* Reads a Git configuration; empty if it fails. */
static struct str read_config(struct arena *arena, const char *path)
{
	enum { BYTES_MAX = 64 * 1024 };
	struct str name = ARENA_JOIN(arena, str_from(path), STR("/.git/config")), text;
	struct buffer file = {0};

	(void)!app_file_read(name.data, false, BYTES_MAX, &file);
	text = arena_copy(arena, buffer_view(&file));
	buffer_finish(&file);
	return text;
}

/* Returns the address of the repository of which the folder is a checkout; empty if there is none.
 */
static struct str find_origin(struct arena *arena, const char *path)
{
	struct str text = read_config(arena, path), line;
	bool is_origin = false;

	while (str_next(&text, '\n', &line)) {
		size_t equals;

		line = str_trim(line);
		if (line.length > 0 && line.data[0] == '[')
			is_origin = str_equal(line, STR("[remote \"origin\"]"));
		equals = str_find(line, '=');
		if (is_origin && equals < line.length &&
		    str_equal(str_trim((struct str){line.data, equals}), STR("url")))
			return str_trim(str_from_offset(line, equals + 1));
	}
	return STR("");
}

static struct str without_end(struct str text, struct str end)
{
	if (text.length > end.length &&
	    str_equal(str_from_offset(text, text.length - end.length), end))
		text.length -= end.length;
	return text;
}

/* Returns the last count parts of a path or an address: "https://github.com/tronbyt/apps.git" is
 * "tronbyt/apps". */
static struct str last_parts(struct str text, unsigned count)
{
	size_t start;

	text = without_end(without_end(text, STR("/")), STR(".git"));
	for (start = text.length; start > 0; start--)
		if ((text.data[start - 1] == '/' || text.data[start - 1] == ':') && count-- == 1)
			break;
	return str_from_offset(text, start);
}

/* Returns the address without user name and password. */
static struct str without_user(struct arena *arena, struct str address)
{
	size_t scheme = str_find(address, ':'), begin = scheme + 3, end, host = begin;

	if (!str_starts_with(str_from_offset(address, scheme), STR("://")))
		return address;
	end = begin + str_find(str_from_offset(address, begin), '/');
	for (size_t i = begin; i < end; i++)
		host = address.data[i] == '@' ? i + 1 : host;
	return ARENA_JOIN(arena, (struct str){address.data, begin}, str_from_offset(address, host));
}

static bool is_name(struct str name)
{
	return name.length > 0 && utf8_is_valid(name) && !app_text_check(name) &&
	       utf8_length(name) <= APP_NAME_LENGTH_MAX && !memchr(name.data, '\n', name.length);
}

/* Finds the folder's source, and the name of its collection if none was given. */
static void find_source(struct import *import, const char *path, struct str *ret_source,
			struct str *ret_name)
{
	struct arena *arena = &import->ctl->arena;
	char *real = realpath(path, NULL);
	struct str folder = arena_copy(arena, str_from(real ? real : path));
	struct str origin = find_origin(arena, real ? real : path);
	struct str name = last_parts(origin, 2);

	free(real);
	if (is_name(name) && is_name(origin)) {
		*ret_source = without_user(arena, origin);
		*ret_name = name;
		return;
	}
	name = last_parts(folder, 1);
	*ret_source = utf8_is_valid(folder) && folder.length <= 4096 ? folder : STR("?");
	*ret_name = is_name(name) ? name : STR("apps");
}

/* Appends a field of a line of the request. Tabs and line feeds in it become spaces. */
static void append_field(struct buffer *lines, struct str text, char end)
{
	for (size_t i = 0; i < text.length; i++)
		buffer_append_char(
		    lines, text.data[i] == '\t' || text.data[i] == '\n' ? ' ' : text.data[i]);
	buffer_append_char(lines, end);
}

static struct str write_lines(struct import *import)
{
	struct buffer lines = {0};
	struct str text;

	for (size_t i = 0; i < import->count; i++) {
		const struct import_app *app = &import->apps[i];

		if (app->outcome != IMPORT_WAITS)
			continue;
		append_field(&lines, app->origin, '\t');
		append_field(&lines, app->manifest.author, '\t');
		for (unsigned j = 0; j < IMPORT_SLUGS_MAX; j++)
			append_field(&lines, app->slugs[j], j + 1 < IMPORT_SLUGS_MAX ? '\t' : '\n');
	}
	text = buffer_view(&lines);
	text.length -= text.length > 0; /* without the last line feed */
	text = arena_copy(&import->ctl->arena, text);
	buffer_finish(&lines);
	return text;
}

static const struct record_field state_fields[] = {
    RECORD_STR(struct import_state, slug, .name = "slug"),
    RECORD_STR(struct import_state, origin, .name = "origin"),
    RECORD_STR(struct import_state, content, .name = "content"),
};
static const struct record state_record = RECORD(struct import_state, state_fields);

/* ---- slugs ---- */

static bool is_used(const struct import *import, struct str slug)
{
	for (size_t i = 0; i < import->count; i++)
		if (import->apps[i].slug.data && str_equal(import->apps[i].slug, slug))
			return true;
	return false;
}

static const struct import_state *find_state(const struct import *import, struct str slug)
{
	for (unsigned i = 0; i < import->state_count; i++)
		if (str_equal(import->states[i].slug, slug))
			return &import->states[i];
	return NULL;
}

/* Chooses the first free slug; if is_known is set, the slug that the app has on the server already.
 */
static void choose(const struct import *import, struct import_app *app, bool is_known)
{
	for (unsigned i = 0; i < IMPORT_SLUGS_MAX && app->slugs[i].data && !app->slug.data; i++) {
		const struct import_state *state = find_state(import, app->slugs[i]);

		if (is_used(import, app->slugs[i]) || is_known != (state != NULL) ||
		    (state && !str_equal(state->origin, app->origin)))
			continue;
		app->slug = app->slugs[i];
		app->state = state;
	}
}

/* Chooses a slug for each app. Apps that have one on the server keep it, so they come first. */
static void choose_slugs(struct import *import)
{
	for (int is_known = 1; is_known >= 0; is_known--)
		for (size_t i = 0; i < import->count; i++)
			if (import->apps[i].outcome == IMPORT_WAITS)
				choose(import, &import->apps[i], is_known);
	for (size_t i = 0; i < import->count; i++) {
		struct import_app *app = &import->apps[i];

		if (app->outcome == IMPORT_WAITS && !app->slug.data)
			import_fail(app,
				    ARENA_JOIN(&app->arena, STR("there is another app "),
					       app->slugs[0], STR(" in "), import->collection));
	}
}

/* ---- the collection ---- */

enum ctl_exit import_choose(struct import *import, const char *path)
{
	struct ctl *ctl = import->ctl;
	struct str given = ctl_value(ctl, "collection"), name, source;
	struct ctl_request request = {.method = "POST",
				      .path = STR("/web/admin/collections"),
				      .account = ctl_value(ctl, "account")};
	struct ctl_rows rows = {0};
	struct str chosen = {0};
	enum ctl_exit code;

	find_source(import, path, &source, &name);
	if (given.data)
		name = given;
	request.body = ctl_body(
	    ctl, CTL_MEMBERS(ctl_text("name", name), ctl_flag("isGiven", given.data),
			     ctl_text("source", source), ctl_text("lines", write_lines(import)),
			     ctl_flag("onlyCheck", import->is_dry)));
	request.sentences[0] = (struct ctl_sentence){
	    409, NULL,
	    ARENA_JOIN(&ctl->arena, STR("there is a collection \""), name,
		       STR("\" from elsewhere: --collection \""), name,
		       STR("\" brings it up to date, another name adds a second one"))};
	code = ctl_ask_json(ctl, &request, &chosen);
	if (code == CTL_DONE)
		code = ctl_read_rows(ctl, ctl_json_part(ctl, chosen, "apps"), &state_record, &rows);
	(void)id_parse(ctl_json_text(ctl, chosen, "collectionId"), &import->collection_id);
	import->collection = ctl_json_text(ctl, chosen, "collection");
	import->states = rows.rows;
	import->state_count = rows.count;
	if (code == CTL_DONE)
		choose_slugs(import);
	return code;
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
