#include "base/zone.h"
#include "base/memory.h"
#include "zone_rule.h"

#include <stdlib.h>

/* RFC 9636 section 3: a header and a block with times of 32 bits; from version 2 on a second
 * header, a block with times of 64 bits, which replaces the first, and a footer with a rule. */

enum {
	MAGIC_BYTES = 4,
	HEADER_BYTES = 44,
	COUNTS_AT = 20,
	TYPE_BYTES = 6,
	OFFSET_MIN_S = -89999, /* section 3.2: what readers must be able to take */
	OFFSET_MAX_S = 93599,
};

struct zone {
	int first_offset_s;  /* before the first change */
	int64_t rule_from_s; /* the rule applies from here on */
	bool has_rule;
	struct zone_rule rule;
	unsigned change_count;
	int *offset_s;	/* offset after each change; stored after at_s */
	int64_t at_s[]; /* ascending */
};

/* Counts, in the order of the file. */
struct counts {
	uint32_t ut_indicators;
	uint32_t standard_indicators;
	uint32_t leap_seconds;
	uint32_t transitions;
	uint32_t types;
	uint32_t characters;
};

/* Parts of a block, and its counts. */
struct block {
	struct counts counts;
	size_t time_bytes;
	const uint8_t *times;
	const uint8_t *type_of_times;
	const uint8_t *types;
	const uint8_t *characters;
	const uint8_t *standard_indicators;
	const uint8_t *ut_indicators;
};

static uint32_t read_uint32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static int64_t read_time(const uint8_t *bytes, size_t size)
{
	if (size == 4)
		return (int32_t)read_uint32(bytes);
	return (int64_t)((uint64_t)read_uint32(bytes) << 32 | read_uint32(bytes + 4));
}

static bool take_header(struct str *file, char *ret_version, struct counts *ret_counts)
{
	const uint8_t *bytes = (const uint8_t *)file->data;
	const uint8_t *counts = bytes + COUNTS_AT;

	if (file->length < HEADER_BYTES || memcmp(bytes, "TZif", MAGIC_BYTES) != 0)
		return false;
	*ret_version = file->data[MAGIC_BYTES];
	*ret_counts = (struct counts){
	    .ut_indicators = read_uint32(counts),
	    .standard_indicators = read_uint32(counts + 4),
	    .leap_seconds = read_uint32(counts + 8),
	    .transitions = read_uint32(counts + 12),
	    .types = read_uint32(counts + 16),
	    .characters = read_uint32(counts + 20),
	};
	*file = str_from_offset(*file, HEADER_BYTES);
	return *ret_version == '\0' || (*ret_version >= '2' && *ret_version <= '4');
}

static bool take_block(struct str *file, const struct counts *counts, size_t time_bytes,
		       struct block *ret_block)
{
	uint64_t leap_bytes = (uint64_t)counts->leap_seconds * (time_bytes + 4);
	uint64_t size = (uint64_t)counts->transitions * (time_bytes + 1) +
			(uint64_t)counts->types * TYPE_BYTES + counts->characters + leap_bytes +
			counts->standard_indicators + counts->ut_indicators;
	struct block block = {.counts = *counts, .time_bytes = time_bytes};

	if (size > file->length)
		return false;
	block.times = (const uint8_t *)file->data;
	block.type_of_times = block.times + counts->transitions * time_bytes;
	block.types = block.type_of_times + counts->transitions;
	block.characters = block.types + (size_t)counts->types * TYPE_BYTES;
	block.standard_indicators = block.characters + counts->characters + leap_bytes;
	block.ut_indicators = block.standard_indicators + counts->standard_indicators;
	*file = str_from_offset(*file, size);
	*ret_block = block;
	return true;
}

static int type_offset_s(const struct block *block, unsigned type)
{
	return (int32_t)read_uint32(block->types + (size_t)type * TYPE_BYTES);
}

static bool are_types_sound(const struct block *block)
{
	const struct counts *counts = &block->counts;

	/* A NUL at the end guarantees that every designation has one. */
	if (counts->types == 0 || counts->types > 256 || counts->characters == 0 ||
	    block->characters[counts->characters - 1] != '\0')
		return false;
	for (unsigned i = 0; i < counts->types; i++) {
		const uint8_t *type = block->types + (size_t)i * TYPE_BYTES;
		int offset_s = type_offset_s(block, i);

		if (offset_s < OFFSET_MIN_S || offset_s > OFFSET_MAX_S || type[4] > 1 ||
		    type[5] >= counts->characters)
			return false;
	}
	return true;
}

static bool are_transitions_sound(const struct block *block)
{
	int64_t before_s = INT64_MIN;

	for (uint32_t i = 0; i < block->counts.transitions; i++) {
		int64_t at_s = read_time(block->times + i * block->time_bytes, block->time_bytes);

		if ((i > 0 && at_s <= before_s) || block->type_of_times[i] >= block->counts.types)
			return false;
		before_s = at_s;
	}
	return true;
}

static bool are_indicators_sound(const struct block *block)
{
	const struct counts *counts = &block->counts;

	if ((counts->standard_indicators && counts->standard_indicators != counts->types) ||
	    (counts->ut_indicators && counts->ut_indicators != counts->types))
		return false;
	for (uint32_t i = 0; i < counts->standard_indicators; i++) {
		if (block->standard_indicators[i] > 1)
			return false;
	}
	/* A time in UT must be a standard time, too. */
	for (uint32_t i = 0; i < counts->ut_indicators; i++) {
		if (block->ut_indicators[i] > 1 ||
		    (block->ut_indicators[i] &&
		     !(counts->standard_indicators && block->standard_indicators[i])))
			return false;
	}
	return true;
}

/* "\nCET-1CEST,M3.5.0,M10.5.0/3\n", or "\n\n" if there is no rule. */
static bool read_footer(struct str footer, char version, struct zone *zone)
{
	struct str text;

	if (footer.length < 2 || footer.data[0] != '\n' || footer.data[footer.length - 1] != '\n')
		return false;
	text = (struct str){footer.data + 1, footer.length - 2};
	zone->has_rule = text.length > 0;
	return !zone->has_rule || zone_rule_parse(text, version, &zone->rule);
}

/* Keeps the transitions that change the offset. */
static struct zone *make_zone(const struct block *block)
{
	uint32_t transitions = block->counts.transitions;
	struct zone *zone = memory_zalloc(
	    sizeof(*zone) + transitions * (sizeof(zone->at_s[0]) + sizeof(zone->offset_s[0])));
	int offset_s = type_offset_s(block, 0);

	zone->first_offset_s = offset_s;
	zone->rule_from_s = INT64_MIN;
	zone->offset_s = (int *)(void *)(zone->at_s + transitions);
	for (uint32_t i = 0; i < transitions; i++) {
		zone->rule_from_s =
		    read_time(block->times + i * block->time_bytes, block->time_bytes);
		if (type_offset_s(block, block->type_of_times[i]) == offset_s)
			continue;
		offset_s = type_offset_s(block, block->type_of_times[i]);
		zone->at_s[zone->change_count] = zone->rule_from_s;
		zone->offset_s[zone->change_count++] = offset_s;
	}
	return zone;
}

struct zone *zone_parse(struct str file)
{
	struct counts counts;
	struct block block;
	char version, second_version;
	struct zone *zone;

	if (!take_header(&file, &version, &counts) || !take_block(&file, &counts, 4, &block))
		return NULL;
	if (version && (!take_header(&file, &second_version, &counts) ||
			second_version != version || !take_block(&file, &counts, 8, &block)))
		return NULL;
	if (counts.leap_seconds || !are_types_sound(&block) || !are_transitions_sound(&block) ||
	    !are_indicators_sound(&block))
		return NULL;
	zone = make_zone(&block);
	if (version ? !read_footer(file, version, zone) : file.length > 0) {
		zone_destroy(zone);
		return NULL;
	}
	return zone;
}

void zone_destroy(struct zone *zone)
{
	free(zone);
}

int zone_offset_s(const struct zone *zone, int64_t wall_s)
{
	unsigned low = 0, high;

	if (!zone)
		return 0;
	if (zone->has_rule && wall_s >= zone->rule_from_s)
		return zone_rule_offset_s(&zone->rule, wall_s);
	high = zone->change_count;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (zone->at_s[middle] <= wall_s)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? zone->first_offset_s : zone->offset_s[low - 1];
}

/* Returns the time of the next listed change after at_s; until_s if there is none.
 */
static int64_t next_listed(const struct zone *zone, int64_t at_s, int64_t until_s)
{
	for (unsigned i = 0; zone && i < zone->change_count && zone->at_s[i] < until_s; i++)
		if (zone->at_s[i] > at_s)
			return zone->at_s[i];
	return until_s;
}

/* Returns the time of the next change by the rule, whose halves of the year are longer than a step.
 */
static int64_t next_by_rule(const struct zone *zone, int64_t at_s, int64_t until_s)
{
	enum { STEP_S = 20 * 24 * 3600 };
	int offset_s = zone_offset_s(zone, at_s);
	int64_t before_s = at_s, behind_s;

	do {
		at_s = before_s;
		before_s = at_s + STEP_S < until_s ? at_s + STEP_S : until_s;
	} while (before_s < until_s && zone_offset_s(zone, before_s) == offset_s);
	if (zone_offset_s(zone, before_s) == offset_s)
		return until_s;
	for (behind_s = before_s; behind_s - at_s > 1;) {
		int64_t middle_s = at_s + (behind_s - at_s) / 2;

		if (zone_offset_s(zone, middle_s) == offset_s)
			at_s = middle_s;
		else
			behind_s = middle_s;
	}
	return behind_s;
}

unsigned zone_changes(const struct zone *zone, int64_t from_s, int64_t until_s,
		      struct zone_change *ret_changes, unsigned max)
{
	bool has_rule = zone && zone->has_rule;
	int64_t rule_from_s = has_rule ? zone->rule_from_s : until_s;
	int64_t at_s = from_s;
	unsigned count = 0;

	while (at_s < until_s && count < max) {
		int64_t next_s = until_s;

		ret_changes[count++] = (struct zone_change){at_s, zone_offset_s(zone, at_s)};
		if (at_s < rule_from_s)
			next_s =
			    next_listed(zone, at_s, rule_from_s < until_s ? rule_from_s : until_s);
		else if (has_rule)
			next_s = next_by_rule(zone, at_s, until_s);
		at_s = next_s;
	}
	return count;
}
