#include "domain/place.h"
#include "base/utf8.h"
#include "places.h"

extern const struct place_row place_rows[];
extern const struct place_key place_keys[];
extern const unsigned place_keys_count;
extern const struct place_zone place_zones[];
extern const struct place_country place_countries[];
extern const unsigned place_countries_count;
extern const struct place_range place_ranges[];
extern const unsigned place_ranges_count;
extern const struct place_fold place_folds[];
extern const char place_texts[];

/* A character becomes three bytes at most, and has one at least. */
enum { FOLDED_BYTES_MAX = 3 * PLACE_SEARCH_BYTES_MAX };

struct folded {
	char text[FOLDED_BYTES_MAX];
	size_t length;
};

struct finding {
	struct folded name;
	struct folded area; /* behind the comma; empty: anywhere */
	const struct place_row *rows[PLACES_MAX];
	unsigned count;
};

static struct str text_at(uint32_t offset)
{
	return str_from(place_texts + offset);
}

/* ---- folding, as tools/embed_places.py folds the list ---- */

static const struct place_fold *fold_of(uint32_t code_point)
{
	unsigned begin = 0;

	for (unsigned i = 0; i < place_ranges_count; i++) {
		const struct place_range *range = &place_ranges[i];

		if (code_point >= range->begin && code_point < range->end)
			return &place_folds[begin + code_point - range->begin];
		begin += range->end - range->begin;
	}
	return NULL;
}

static void append(struct folded *folded, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		bool is_space = text[i] == ' ';

		/* One space between words, and none before the first. */
		if (is_space && (folded->length == 0 || folded->text[folded->length - 1] == ' '))
			continue;
		folded->text[folded->length++] = text[i];
	}
}

static void fold(struct str text, struct folded *ret)
{
	ret->length = 0;
	while (text.length) {
		const char *character = text.data;
		const struct place_fold *fold = fold_of(utf8_next(&text));

		if (fold)
			append(ret, fold->text, fold->length);
		else
			append(ret, character, (size_t)(text.data - character));
	}
}

/* Of a name that was searched for the last space stays: "san " is not the beginning of "santos". */
static void trim(struct folded *folded)
{
	if (folded->length && folded->text[folded->length - 1] == ' ')
		folded->length--;
}

static bool begins(struct str text, const struct folded *wanted)
{
	struct folded folded;

	if (text.length > PLACE_SEARCH_BYTES_MAX)
		return false;
	fold(text, &folded);
	return folded.length >= wanted->length &&
	       memcmp(folded.text, wanted->text, wanted->length) == 0;
}

/* ---- finding ---- */

static int compare(const struct folded *wanted, const struct place_key *key)
{
	struct str name = text_at(key->name);
	size_t common = name.length < wanted->length ? name.length : wanted->length;
	int order = memcmp(wanted->text, name.data, common);

	/* 0: the name begins with it. */
	return order ? order : wanted->length > name.length;
}

static unsigned first_key(const struct folded *wanted)
{
	unsigned low = 0;
	unsigned high = place_keys_count;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (compare(wanted, &place_keys[middle]) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_in_area(const struct place_row *row, const struct folded *area)
{
	if (area->length == 0 || begins(text_at(row->region), area) ||
	    begins((struct str){row->country, sizeof(row->country)}, area))
		return true;
	for (unsigned i = 0; i < place_countries_count; i++)
		if (memcmp(place_countries[i].code, row->country, sizeof(row->country)) == 0)
			return begins(text_at(place_countries[i].name), area);
	return false;
}

/* The largest first. */
static void keep(struct finding *finding, const struct place_row *row)
{
	unsigned at = finding->count;

	for (unsigned i = 0; i < finding->count; i++)
		if (finding->rows[i] == row)
			return;
	while (at > 0 && finding->rows[at - 1]->population < row->population)
		at--;
	if (at == PLACES_MAX)
		return;
	if (finding->count < PLACES_MAX)
		finding->count++;
	memmove(&finding->rows[at + 1], &finding->rows[at],
		(finding->count - 1 - at) * sizeof(finding->rows[0]));
	finding->rows[at] = row;
}

static struct place place_of(const struct place_row *row)
{
	return (struct place){
	    .name = text_at(row->name),
	    .region = text_at(row->region),
	    .country = {row->country, sizeof(row->country)},
	    .timezone = text_at(place_zones[row->zone].name),
	    .latitude = row->latitude / 10000.0,
	    .longitude = row->longitude / 10000.0,
	};
}

unsigned places_find(struct str search, struct place ret_places[static PLACES_MAX])
{
	size_t comma = str_find(search, ',');
	struct finding finding = {0};

	if (search.length > PLACE_SEARCH_BYTES_MAX || !utf8_is_valid(search))
		return 0;
	fold((struct str){search.data, comma}, &finding.name);
	if (comma < search.length)
		fold(str_from_offset(search, comma + 1), &finding.area);
	if (comma < search.length)
		trim(&finding.name);
	trim(&finding.area);
	if (finding.name.length == 0)
		return 0;
	for (unsigned i = first_key(&finding.name);
	     i < place_keys_count && compare(&finding.name, &place_keys[i]) == 0; i++) {
		const struct place_row *row = &place_rows[place_keys[i].row];

		if (is_in_area(row, &finding.area))
			keep(&finding, row);
	}
	for (unsigned i = 0; i < finding.count; i++)
		ret_places[i] = place_of(finding.rows[i]);
	return finding.count;
}
