/* Reads one Starlark script of a folder, with what it loads there. */
#include "app_beside.h"

#include "base/memory.h"

#include <dirent.h>
#include <fcntl.h>

enum { FILES_MAX = 2000 };

/* The files' names in the folder, the script's own first. */
struct beside {
	char *folder; /* up to its last slash, or "" */
	char *names[FILES_MAX];
	unsigned count;
};

static char *join(const struct beside *beside, const char *name)
{
	char *path = NULL;

	if (asprintf(&path, "%s%s", beside->folder, name) < 0)
		abort();
	return path;
}

/* Whether the name leads to nothing above the folder, and to nothing hidden. */
static bool stays_below(const char *name)
{
	return name[0] != '\0' && name[0] != '/' && name[0] != '.' && !strstr(name, "/.") &&
	       !strpbrk(name, "\\\n\r");
}

/* Takes name, which is of malloc(). */
static void add_name(struct beside *beside, char *name)
{
	char *path = join(beside, name);
	struct stat about;
	bool is_new = stays_below(name) && beside->count < FILES_MAX && lstat(path, &about) == 0 &&
		      S_ISREG(about.st_mode);

	for (unsigned i = 0; i < beside->count; i++)
		is_new = is_new && strcmp(beside->names[i], name) != 0;
	free(path);
	if (is_new)
		beside->names[beside->count++] = name;
	else
		free(name);
}

/* The name in the next load("NAME", ...) of rest, for free(); NULL if there is none. */
static char *next_load(struct str *rest)
{
	static const char word[] = "load(";
	const char *end = rest->data + rest->length, *at, *close;
	char quote;

	while ((at = memmem(rest->data, rest->length, word, strlen(word)))) {
		at += strlen(word);
		while (at < end && strchr(" \t\r\n", *at))
			at++;
		*rest = str_from_offset(*rest, (size_t)(at - rest->data));
		quote = at < end ? *at : '\0';
		close = quote == '"' || quote == '\''
			    ? memchr(at + 1, quote, (size_t)(end - at - 1))
			    : NULL;
		if (!close)
			continue;
		at += strncmp(at + 1, "./", 2) == 0 ? 3 : 1;
		return at < close ? strndup(at, (size_t)(close - at)) : memory_strdup("");
	}
	return NULL;
}

static void add_locales(struct beside *beside)
{
	char *path = join(beside, "locales");
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		char *name = NULL;

		if (!app_disk_ends_with(entry->d_name, ".json"))
			continue;
		if (asprintf(&name, "locales/%s", entry->d_name) < 0)
			abort();
		add_name(beside, name);
	}
	if (folder)
		closedir(folder);
	free(path);
}

/* Adds what the script loads. */
static int look_into(struct beside *beside, const char *script,
		     char ret_fault[static APP_FAULT_MAX])
{
	static const char translations[] = "i18n.star";
	char *path = join(beside, script);
	struct buffer text = {0};
	int status = app_disk_read(path, 0, &text, ret_fault);
	struct str rest = buffer_view(&text);
	char *name;

	if (rest.length > 0 && strncmp(rest.data, "-- ", 3) == 0)
		rest.length = 0; /* it is several files already */
	if (rest.length > 0 && memmem(rest.data, rest.length, translations, strlen(translations)))
		add_locales(beside);
	while (rest.length > 0 && (name = next_load(&rest)))
		add_name(beside, name);
	buffer_finish(&text);
	free(path);
	return status;
}

static int add_files(const struct beside *beside, struct buffer *script,
		     char ret_fault[static APP_FAULT_MAX])
{
	int status = 0;

	for (unsigned i = 0; status == 0 && i < beside->count; i++) {
		char *path = join(beside, beside->names[i]);

		status = app_disk_add(beside->names[i], path, i == 0 ? 0 : O_NOFOLLOW, script,
				      ret_fault);
		free(path);
	}
	return status;
}

/* Finds all files. To be finished, also if it fails. */
static int find(struct beside *beside, const char *path, char ret_fault[static APP_FAULT_MAX])
{
	const char *slash = strrchr(path, '/');
	const char *own = slash ? slash + 1 : path;
	int status = 0;

	beside->folder = strndup(path, (size_t)(own - path));
	beside->names[beside->count++] = memory_strdup(own);
	for (unsigned i = 0; status == 0 && i < beside->count; i++)
		if (app_disk_ends_with(beside->names[i], ".star"))
			status = look_into(beside, beside->names[i], ret_fault);
	return status;
}

static void finish(struct beside *beside)
{
	for (unsigned i = 0; i < beside->count; i++)
		free(beside->names[i]);
	free(beside->folder);
}

int app_beside_pack(const char *path, struct buffer *script, char ret_fault[static APP_FAULT_MAX])
{
	struct beside beside = {0};
	int status = find(&beside, path, ret_fault);

	if (status == 0 && beside.count > 1)
		status = add_files(&beside, script, ret_fault);
	else if (status == 0)
		status = app_disk_read(path, 0, script, ret_fault);
	finish(&beside);
	return status;
}

uint64_t app_beside_add_state(const char *path, uint64_t state)
{
	struct beside beside = {0};
	char fault[APP_FAULT_MAX];

	(void)find(&beside, path, fault); /* what it has found */
	for (unsigned i = 0; i < beside.count; i++) {
		char *file = join(&beside, beside.names[i]);

		state = app_disk_add_state(file, state);
		free(file);
	}
	finish(&beside);
	return state;
}

char *app_beside_folder(const char *path, struct str script)
{
	const char *slash = strrchr(path, '/');
	const char *own = slash ? slash + 1 : path;
	size_t length = strlen(own);

	if (script.length < length + 3 || strncmp(script.data, "-- ", 3) != 0 ||
	    strncmp(script.data + 3, own, length) != 0)
		return NULL;
	return slash ? strndup(path, (size_t)(own - path)) : memory_strdup(".");
}
