/* Where scripts call for their widgets, each place once: so an error that is found as the tree is
 * painted has a place, too. */
#include "run.h"

#include "source_map.h"

#include <stdlib.h>
#include <string.h>

enum { SITES_MAX = 1024, SLOTS = 2 * SITES_MAX };

/* The names alone have their room beside the places. */
struct sites {
	unsigned count;
	struct site slots[SLOTS];
};

static size_t hash(const char *name, const struct place *place)
{
	uint64_t mixed = (uintptr_t)name ^ (uint64_t)(uintptr_t)place->file << 7;

	mixed = (mixed ^ place->line) * UINT64_C(0x9e3779b97f4a7c15);
	mixed = (mixed ^ mixed >> 29 ^ place->column) * UINT64_C(0xbf58476d1ce4e5b9);
	return (size_t)(mixed >> 40);
}

static bool is_same(const struct place *one, const struct place *other)
{
	return one->file == other->file && one->line == other->line && one->column == other->column;
}

const struct site *sites_find(struct run *run, const char *name, const struct place *place)
{
	static const struct place nowhere;
	struct site *site;

	if (!run->sites)
		run->sites = calloc(1, sizeof(*run->sites));
	if (!run->sites)
		return NULL;
	if (run->sites->count >= SITES_MAX)
		place = &nowhere;
	for (size_t at = hash(name, place);; at++) {
		site = &run->sites->slots[at % SLOTS];
		if (site->name == name && is_same(&site->called, place))
			return site;
		if (!site->name)
			break;
	}
	*site = (struct site){.name = name, .called = *place};
	run->sites->count += place->file != NULL;
	return site;
}

static int compare(const void *one, const void *other)
{
	const struct place *a = &(*(struct site *const *)one)->called;
	const struct place *b = &(*(struct site *const *)other)->called;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->column < b->column ? -1 : a->column > b->column;
}

/* Each file's map is read once, from its beginning to its end. */
static void map_places(struct site **list, unsigned count)
{
	const struct file *file = NULL;
	struct source_map *map = NULL;

	for (unsigned i = 0; i < count; i++) {
		struct site *site = list[i];

		site->place = site->called;
		if (site->called.file != file) {
			file = site->called.file;
			source_map_close(map);
			map = source_map_open(file->data, file->length);
		}
		if (map)
			source_map_go(map, site->called.line, site->called.column,
				      &site->place.line, &site->place.column);
		site->number = i + 1;
	}
	source_map_close(map);
}

void sites_write(struct run *run, struct text *to)
{
	struct site *list[SITES_MAX];
	unsigned count = 0;

	for (size_t at = 0; run->sites && at < SLOTS; at++)
		if (run->sites->slots[at].called.file)
			list[count++] = &run->sites->slots[at];
	if (count > 0)
		qsort(list, count, sizeof(*list), compare);
	map_places(list, count);
	text_add_str(to, "[");
	for (unsigned i = 0; i < count; i++) {
		const struct place *place = &list[i]->place;

		text_add_str(to, i > 0 ? ",[" : "[");
		text_add_json(to, place->file->name, strlen(place->file->name));
		text_add_format(to, ",%u,%u]", place->line, place->column);
	}
	text_add_str(to, "]");
}

void sites_finish(struct run *run)
{
	free(run->sites);
	run->sites = NULL;
}
