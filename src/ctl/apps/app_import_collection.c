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

static const struct record_field state_fields[] = {
    RECORD_STR(struct import_state, slug, .name = "slug"),
    RECORD_STR(struct import_state, origin, .name = "origin"),
    RECORD_STR(struct import_state, content, .name = "content"),
};
static const struct record state_record = RECORD(struct import_state, state_fields);

static struct str write_lines(struct import *import)
{
	struct buffer lines = {0};
	struct str text;

	import_write_lines(import->apps, import->count, &lines);
	text = arena_copy(&import->ctl->arena, buffer_view(&lines));
	buffer_finish(&lines);
	return text;
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
		import_choose_slugs(import->apps, import->count, import->states,
				    import->state_count, import->collection);
	return code;
}
