/* The source locations at which scripts make widgets, each once, so that an error while painting
 * the tree has a source location, too. */
#include "run.h"

#include "source_map.h"

#include <stdlib.h>
#include <string.h>

enum {
	SITES_MAX = 1024,
	SLOTS = 2 * SITES_MAX,
	PARAMETERS_MAX = 4096,	 /* parameters of all sites */
	PARAMETERS_OF_SITE = 64, /* more fields than any widget has */
	LOOK_MAX =
	    4 << 20, /* bytes of scripts that are read to find parameters, some several times */
};

/* All sites of a request; their fields are stored apart. */
struct sites {
	unsigned count;
	struct site slots[SLOTS];
	struct parameter *parameters;
};

/* A source location that is to be mapped. */
struct spot {
	const char *at;
	struct source_location *location; /* its file is known */
};

static size_t hash(const char *name, const struct source_location *location)
{
	uint64_t mixed = (uintptr_t)name ^ (uint64_t)(uintptr_t)location->file << 7;

	mixed = (mixed ^ location->line) * UINT64_C(0x9e3779b97f4a7c15);
	mixed = (mixed ^ mixed >> 29 ^ location->column) * UINT64_C(0xbf58476d1ce4e5b9);
	return (size_t)(mixed >> 40);
}

static bool is_same(const struct source_location *one, const struct source_location *other)
{
	return one->file == other->file && one->line == other->line && one->column == other->column;
}

const struct site *sites_find(struct run *run, const char *name,
			      const struct source_location *location)
{
	static const struct source_location nowhere;
	struct site *site;

	if (!run->sites)
		run->sites = calloc(1, sizeof(*run->sites));
	if (!run->sites)
		return NULL;
	if (run->sites->count >= SITES_MAX)
		location = &nowhere;
	for (size_t at = hash(name, location);; at++) {
		site = &run->sites->slots[at % SLOTS];
		if (site->name == name && is_same(&site->called, location))
			return site;
		if (!site->name)
			break;
	}
	*site = (struct site){.name = name, .called = *location};
	run->sites->count += location->file != NULL;
	return site;
}

static int compare_spots(const void *one, const void *other)
{
	const struct spot *a = one, *b = other;

	if (a->location->file != b->location->file)
		return a->location->file < b->location->file ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Maps all locations to the source. Each file's map is read once, from its beginning to its end. */
static void map_locations(struct spot *list, unsigned count)
{
	const struct file *file = NULL;
	struct source_map *map = NULL;

	qsort(list, count, sizeof(*list), compare_spots);
	for (unsigned i = 0; i < count; i++) {
		struct source_location *location = list[i].location;

		if (location->file != file) {
			file = location->file;
			source_map_close(map);
			map = source_map_open(file->data, file->length);
		}
		if (map)
			source_map_go(map, list[i].at, &location->line, &location->column);
	}
	source_map_close(map);
}

/* Finds the parameters of the site, whose call is at that position in the script. */
static unsigned find_parameters(struct site *site, const char *at, struct parameter *to,
				unsigned most, size_t *budget)
{
	const struct source_location *called = &site->called;
	unsigned count = parameters_find(called->file, at, budget, to,
					 most < PARAMETERS_OF_SITE ? most : PARAMETERS_OF_SITE);

	site->parameters = to;
	site->parameter_count = count;
	for (unsigned i = 0; i < count; i++)
		to[i].location = *called;
	return count;
}

static int compare_sites(const void *one, const void *other)
{
	const struct source_location *a = &(*(struct site *const *)one)->called;
	const struct source_location *b = &(*(struct site *const *)other)->called;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->column < b->column ? -1 : a->column > b->column;
}

/* Goes to the source location in the script, which comes behind the previous one: searches from
 * *line_begin on, the start of the previous one's line. */
static const char *seek(const struct source_location *location, const struct source_location *last,
			const char **line_begin)
{
	const struct file *file = location->file;
	const char *end = file->data + file->length;
	unsigned lines = location->line - 1;

	if (file == last->file)
		lines = location->line - last->line;
	else
		*line_begin = file->data;
	*line_begin = source_map_seek(*line_begin, (size_t)(end - *line_begin), lines + 1, 1);
	return source_map_seek(*line_begin, (size_t)(end - *line_begin), 1, location->column);
}

/* Maps the locations of all sites and their fields to the source. */
static void find_places(struct sites *sites, struct site **list, unsigned count)
{
	struct spot *spots = malloc((SITES_MAX + PARAMETERS_MAX) * sizeof(*spots));
	unsigned spot_count = 0, parameter_count = 0;
	size_t budget = LOOK_MAX;
	struct source_location last = {0};
	const char *line_begin = NULL;

	qsort(list, count, sizeof(struct site *), compare_sites);
	sites->parameters = malloc(PARAMETERS_MAX * sizeof(*sites->parameters));
	for (unsigned i = 0; i < count; i++) {
		struct site *site = list[i];
		const char *at = seek(&site->called, &last, &line_begin);

		last = site->called;
		site->number = i + 1;
		site->location = site->called;
		if (!spots || !sites->parameters)
			continue;
		spots[spot_count++] = (struct spot){at, &site->location};
		parameter_count += find_parameters(site, at, sites->parameters + parameter_count,
						   PARAMETERS_MAX - parameter_count, &budget);
	}
	for (unsigned i = 0; i < parameter_count; i++)
		spots[spot_count++] =
		    (struct spot){sites->parameters[i].at, &sites->parameters[i].location};
	if (spots)
		map_locations(spots, spot_count);
	free(spots);
}

static void write_site(const struct site *site, struct bytes *to)
{
	const struct source_location *location = &site->location;

	bytes_add_text(to, "[");
	bytes_add_json(to, location->file->name, strlen(location->file->name));
	bytes_add_format(to, ",%u,%u", location->line, location->column);
	for (unsigned i = 0; i < site->parameter_count; i++) {
		const struct parameter *parameter = &site->parameters[i];

		bytes_add_text(to, ",");
		bytes_add_json(to, parameter->name, parameter->length);
		bytes_add_format(to, ",%u,%u", parameter->location.line,
				 parameter->location.column);
	}
	bytes_add_text(to, "]");
}

void sites_write(struct run *run, struct bytes *to)
{
	struct site *list[SITES_MAX];
	unsigned count = 0;

	for (size_t at = 0; run->sites && at < SLOTS; at++)
		if (run->sites->slots[at].called.file)
			list[count++] = &run->sites->slots[at];
	if (count > 0)
		find_places(run->sites, list, count);
	bytes_add_text(to, "[");
	for (unsigned i = 0; i < count; i++) {
		bytes_add_text(to, i > 0 ? "," : "");
		write_site(list[i], to);
	}
	bytes_add_text(to, "]");
}

struct source_location site_location(const struct site *site, const char *field)
{
	for (unsigned i = 0; i < site->parameter_count; i++)
		if (strlen(field) == site->parameters[i].length &&
		    memcmp(field, site->parameters[i].name, site->parameters[i].length) == 0)
			return site->parameters[i].location;
	return site->location;
}

void sites_finish(struct run *run)
{
	if (run->sites)
		free(run->sites->parameters);
	free(run->sites);
	run->sites = NULL;
}
