#include "app_import_steps.h"
#include "base/memory.h"
#include "domain/studio.h"

#include <fcntl.h>
#include <text/utf8.h>
#include <unistd.h>

/* Reads what is in front of a file: the section of the origin is there. */
static struct str read_config(struct arena *arena, const char *path)
{
	enum { BYTES_MAX = 64 * 1024 };
	char *name = NULL, *text = arena_alloc(arena, BYTES_MAX);
	ssize_t length;
	int file;

	if (asprintf(&name, "%s/.git/config", path) < 0)
		abort();
	file = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	free(name);
	length = file < 0 ? -1 : read(file, text, BYTES_MAX);
	if (file >= 0)
		close(file);
	return (struct str){text, length > 0 ? (size_t)length : 0};
}

/* The address of the repository that the folder is a checkout of; empty: it is none. */
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

/* The last so many parts of a path or an address: "https://github.com/tronbyt/apps.git" is
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

/* An address without a name or password for it. */
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

static enum ctl_exit take(struct import *import, const struct ctl_rows *rows, struct str name)
{
	const struct app_collection_choose_row *row = rows->rows;

	if (rows->count == 0 || !row->name.data)
		return ctl_fail(CTL_REFUSED,
				"there is a collection \"%.*s\" from elsewhere: --collection "
				"\"%.*s\" brings it up to date, another name adds a second one",
				STR_ARG(name), STR_ARG(name));
	import->collection_id = row->id;
	import->collection = row->name;
	return CTL_DONE;
}

enum ctl_exit import_choose(struct import *import, const char *path)
{
	struct ctl *ctl = import->ctl;
	struct str given = ctl_value(ctl, "collection"), name, source;
	struct str *origins = arena_zalloc(&ctl->arena, import->count * sizeof(*origins));
	struct str *authors = arena_zalloc(&ctl->arena, import->count * sizeof(*authors));
	unsigned count = 0;
	struct ctl_rows rows;
	enum ctl_exit code;

	for (size_t i = 0; i < import->count; i++) {
		const struct import_app *app = &import->apps[i];

		if (app->outcome != IMPORT_WAITS)
			continue;
		origins[count] = str_from(app->origin);
		authors[count++] = str_from(app->manifest.author ?: "");
	}
	find_source(import, path, &source, &name);
	statement_app_collection_choose(ctl_new_query(ctl),
					&(struct app_collection_choose_parameters){
					    .account_id = import->account_id,
					    .name = given.data ? given : name,
					    .is_given = given.data,
					    .source = source,
					    .origins = {origins, count},
					    .authors = {authors, count},
					    .is_dry = import->is_dry,
					},
					NULL);
	code = ctl_query(ctl, &rows);
	return code == CTL_DONE ? take(import, &rows, given.data ? given : name) : code;
}
