#include "source_map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <text/base64.h>

static const char comment[] = SOURCE_MAP_COMMENT;
static const char field[] = "\"mappings\"";

/* Returns the start of the base64 in the last comment, or NULL. */
static const char *find_comment(const char *script, size_t length)
{
	size_t size = sizeof(comment) - 1;

	for (size_t at = length < size ? 0 : length - size + 1; at > 0; at--)
		if (memcmp(script + at - 1, comment, size) == 0)
			return script + at - 1 + size;
	return NULL;
}

/* Returns the map's JSON, NUL-terminated, which the caller frees. */
static char *decode(const char *from, const char *end)
{
	char *json = malloc(base64_decoded_max((size_t)(end - from)) + 1);
	size_t size = 0;
	const char *at = from;

	while (at < end && (base64_value(*at) >= 0 || *at == '='))
		at++;
	if (json &&
	    base64_decode((struct str){from, (size_t)(at - from)}, (uint8_t *)json, &size) < 0)
		size = 0;
	if (json)
		json[size] = '\0';
	return json;
}

/* Reads a number in base64 VLQ. Returns false if there is none. */
static bool read_number(const char **from, int64_t *ret_number)
{
	uint64_t number = 0;
	unsigned shift = 0;
	int value;

	do {
		value = base64_value(**from);
		if (value < 0 || shift > 40)
			return false;
		number |= (uint64_t)(value & 31) << shift;
		shift += 5;
		(*from)++;
	} while (value & 32);
	*ret_number = number & 1 ? -(int64_t)(number >> 1) : (int64_t)(number >> 1);
	return true;
}

/* Current position of the segments: column of the script, then file, line and column of the
 * source. */
struct source_location {
	int64_t at[4];
};

/* Reads one segment. Returns false if it is faulty. */
static bool read_segment(const char **from, struct source_location *location)
{
	int64_t step;

	for (int i = 0; i < 5 && **from != ',' && **from != ';' && **from != '"' && **from; i++) {
		if (!read_number(from, &step))
			return false;
		if (i < 4)
			location->at[i] += step;
	}
	return true;
}

struct source_map {
	const char *at;	       /* position in the script: */
	unsigned line, column; /* column in units of UTF-16, as in maps */
	char *json;
	const char *from; /* the rest of the map */
	struct source_location here,
	    next; /* the last segment before the position, and the one behind it */
	unsigned here_line, next_line;
	bool has_next;
};

static void read_next(struct source_map *map)
{
	for (; *map->from == ';' || *map->from == ','; map->from++)
		if (*map->from == ';') {
			map->next_line++;
			map->next.at[0] = 0;
		}
	map->has_next = *map->from && *map->from != '"' && read_segment(&map->from, &map->next);
}

struct source_map *source_map_open(const char *script, size_t length)
{
	const char *from = find_comment(script, length), *mappings;
	struct source_map *map = from ? calloc(1, sizeof(*map)) : NULL;

	if (!map)
		return NULL;
	map->json = decode(from, script + length);
	mappings = map->json ? strstr(map->json, field) : NULL;
	if (mappings) {
		mappings += sizeof(field) - 1;
		mappings += strspn(mappings, " \t\r\n:");
	}
	if (!mappings || *mappings != '"') {
		source_map_close(map);
		return NULL;
	}
	map->from = mappings + 1;
	map->at = script;
	map->line = map->column = 1;
	map->next_line = 1;
	read_next(map);
	return map;
}

/* Moves on in the script; a character of four bytes counts as two units. */
static void advance(struct source_map *map, const char *to)
{
	for (; map->at < to; map->at++) {
		unsigned char c = (unsigned char)*map->at;

		if (c == '\n') {
			map->line++;
			map->column = 1;
		} else if (c < 0x80 || c >= 0xc0) {
			map->column += c >= 0xf0 ? 2 : 1;
		}
	}
}

bool source_map_go(struct source_map *map, const char *at, unsigned *ret_line, unsigned *ret_column)
{
	const int64_t *here = map->here.at;
	unsigned line, column;

	advance(map, at);
	line = map->line;
	column = map->column;
	while (map->has_next &&
	       (map->next_line < line ||
		(map->next_line == line && (map->next.at[0] < column || map->here_line != line)))) {
		map->here = map->next;
		map->here_line = map->next_line;
		read_next(map);
	}
	if (map->here_line != line || here[2] < 0 || here[2] >= INT32_MAX || here[3] < 0 ||
	    here[3] >= INT32_MAX)
		return false;
	*ret_line = (unsigned)here[2] + 1;
	*ret_column = (unsigned)here[3] + 1;
	return true;
}

void source_map_close(struct source_map *map)
{
	if (map)
		free(map->json);
	free(map);
}

const char *source_map_seek(const char *script, size_t length, unsigned line, unsigned column)
{
	const char *at = script, *end = script + length;

	while (line > 1 && at < end) {
		const char *next = memchr(at, '\n', (size_t)(end - at));

		at = next ? next + 1 : end;
		line--;
	}
	return column > 0 && column - 1 < (size_t)(end - at) ? at + column - 1 : end;
}

bool source_map_find(const char *script, size_t length, unsigned line, unsigned column,
		     unsigned *ret_line, unsigned *ret_column)
{
	struct source_map *map = source_map_open(script, length);
	bool found = map && source_map_go(map, source_map_seek(script, length, line, column),
					  ret_line, ret_column);

	source_map_close(map);
	return found;
}
