#include "base/zones.h"
#include "base/map.h"
#include "base/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	NAME_LENGTH_MAX = 63,
	FILE_BYTES_MAX = 32 * 1024, /* the largest file of tzdata has 4 KiB */
	FOLDERS_DEEP_MAX = 3,	    /* America/Argentina/Buenos_Aires */
};

struct named_zone {
	struct map_node by_name;
	struct zone *zone;
	char name[];
};

static struct map table;
static const char **sorted_names; /* of the table, sorted */
static bool is_loaded;

static bool has_name_form(const char *name)
{
	/* No dot: neither "..", nor the tables that lie beside the zones. */
	return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				 "0123456789_+-")] == '\0';
}

/* Whether a file or folder beside the zones is not a zone. */
static bool is_reserved(const char *name)
{
	static const char *const names[] = {"posix", "right", "posixrules", "localtime", "Factory"};

	for (size_t i = 0; i < array_length(names); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static void add_file(int fd, const char *name, struct zones_count *count)
{
	char bytes[FILE_BYTES_MAX];
	ssize_t size = read(fd, bytes, sizeof(bytes));
	size_t length = strlen(name);
	struct named_zone *named;
	struct zone *zone;

	if (size < 4 || memcmp(bytes, "TZif", 4) != 0)
		return;
	zone = zone_parse((struct str){bytes, (size_t)size});
	if (!zone) {
		count->refused++;
		return;
	}
	count->loaded++;
	named = memory_alloc(sizeof(*named) + length + 1);
	named->zone = zone;
	memcpy(named->name, name, length + 1);
	map_insert(&table, &named->by_name, (struct str){named->name, length});
}

/* Adds all zones below the folder; name is the folder's own name, "" for the top. Takes ownership
 * of fd. */
static void add_folder(int fd, const char *name, unsigned depth, struct zones_count *count)
{
	DIR *folder = fdopendir(fd);
	struct dirent *entry;

	if (!folder) {
		close(fd);
		return;
	}
	while ((entry = readdir(folder))) {
		char path[NAME_LENGTH_MAX + 1];
		struct stat status;
		int file, length;

		length =
		    snprintf(path, sizeof(path), "%s%s%s", name, *name ? "/" : "", entry->d_name);
		if (!has_name_form(entry->d_name) || is_reserved(path) ||
		    length >= (int)sizeof(path))
			continue;
		file = openat(dirfd(folder), entry->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (file < 0)
			continue;
		if (fstat(file, &status) < 0)
			status.st_mode = 0;
		if (S_ISDIR(status.st_mode) && depth < FOLDERS_DEEP_MAX) {
			add_folder(file, path, depth + 1, count);
			continue;
		}
		if (S_ISREG(status.st_mode))
			add_file(file, path, count);
		close(file);
	}
	closedir(folder);
}

static void unload(void)
{
	struct map_node *node;

	while ((node = map_next(&table, NULL))) {
		struct named_zone *named = container_of(node, struct named_zone, by_name);

		map_remove(&table, node);
		zone_destroy(named->zone);
		free(named);
	}
	map_finish(&table);
	table = (struct map){0};
	free(sorted_names);
	sorted_names = NULL;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_names(void)
{
	struct map_node *node = NULL;
	size_t count = 0;

	sorted_names = memory_alloc((table.count + 1) * sizeof(*sorted_names));
	while ((node = map_next(&table, node)))
		sorted_names[count++] = container_of(node, struct named_zone, by_name)->name;
	qsort(sorted_names, count, sizeof(*sorted_names), compare_names);
}

struct zones_count zones_load(const char *folder)
{
	struct zones_count count = {0};
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	unload();
	is_loaded = true;
	if (fd >= 0)
		add_folder(fd, "", 0, &count);
	sort_names();
	return count;
}

const struct zone *zones_find(struct str name)
{
	struct map_node *node;

	if (!is_loaded)
		zones_load(ZONES_FOLDER);
	node = map_find(&table, name);
	return node ? container_of(node, struct named_zone, by_name)->zone : NULL;
}

const char *const *zones_names(unsigned *ret_count)
{
	if (!is_loaded)
		zones_load(ZONES_FOLDER);
	*ret_count = (unsigned)table.count;
	return sorted_names;
}
