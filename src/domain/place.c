#include "domain/place.h"
#include "places.h"

#include <math.h>
#include <text/utf8.h>

extern const struct place_row place_rows[];
extern const unsigned place_rows_count;
extern const uint16_t places_by_latitude[];
extern const unsigned places_by_latitude_count;
extern const struct place_key place_keys[];
extern const unsigned place_keys_count;
extern const struct place_zone place_zones[];
extern const struct place_area_key place_area_keys[];
extern const unsigned place_area_keys_count;
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
	uint64_t areas[PLACE_AREAS_MAX / 64]; /* a bit for each area to search */
	uint16_t rows[PLACES_MAX];	      /* ascending */
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

		/* Keep one space between words, and none before the first. */
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

/* Removes a last space. It stays in a searched name: "san " is not the beginning of "santos". */
static void trim(struct folded *folded)
{
	if (folded->length && folded->text[folded->length - 1] == ' ')
		folded->length--;
}

/* ---- finding ---- */

/* Compares a search with the beginning of a folded name. */
static int compare(const struct folded *wanted, uint32_t name_offset)
{
	const char *name = place_texts + name_offset;
	size_t length = strnlen(name, wanted->length);
	int order = memcmp(wanted->text, name, length);

	return order ? order : wanted->length > length;
}

/* Finds the run of sorted names that begin with the search. Keys of any kind have the name's offset
 * first. */
static void find_run(const struct folded *wanted, const void *keys, size_t key_size, unsigned count,
		     unsigned *ret_begin, unsigned *ret_end)
{
	for (int is_end = 0; is_end < 2; is_end++) {
		unsigned low = is_end ? *ret_begin : 0;
		unsigned high = count;

		while (low < high) {
			unsigned middle = low + (high - low) / 2;
			uint32_t name;

			memcpy(&name, (const char *)keys + middle * key_size, sizeof(name));
			if (compare(wanted, name) > -is_end)
				low = middle + 1;
			else
				high = middle;
		}
		*(is_end ? ret_end : ret_begin) = low;
	}
}

/* Marks the areas that begin with the search. Returns false if there are none. */
static bool find_areas(const struct folded *wanted, struct finding *finding)
{
	unsigned begin, end;

	memset(finding->areas, 0, sizeof(finding->areas));
	find_run(wanted, place_area_keys, sizeof(*place_area_keys), place_area_keys_count, &begin,
		 &end);
	for (unsigned i = begin; i < end; i++)
		finding->areas[place_area_keys[i].area / 64] |= 1ULL
								<< place_area_keys[i].area % 64;
	return begin < end;
}

static bool is_searched(const struct finding *finding, unsigned area)
{
	return finding->areas[area / 64] >> area % 64 & 1;
}

/* Keeps the places with the lowest rows, which are the largest. A place may have several names. */
static void keep(struct finding *finding, uint16_t row)
{
	unsigned at = finding->count;

	if (at == PLACES_MAX && row >= finding->rows[at - 1])
		return;
	while (at > 0 && finding->rows[at - 1] >= row)
		at--;
	if (at < finding->count && finding->rows[at] == row)
		return;
	if (finding->count < PLACES_MAX)
		finding->count++;
	memmove(&finding->rows[at + 1], &finding->rows[at],
		(finding->count - 1 - at) * sizeof(finding->rows[0]));
	finding->rows[at] = row;
}

static void find_rows(const struct folded *name, struct finding *finding)
{
	unsigned begin, end;

	find_run(name, place_keys, sizeof(*place_keys), place_keys_count, &begin, &end);
	for (unsigned i = begin; i < end; i++)
		if (is_searched(finding, place_keys[i].area))
			keep(finding, place_keys[i].row);
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

/* Returns false if it finds none. */
static bool find_in_area(struct folded *name, struct str area_text, struct finding *finding)
{
	struct folded area;

	trim(name);
	fold(area_text, &area);
	trim(&area);
	if (name->length > 0 && area.length > 0 && find_areas(&area, finding))
		find_rows(name, finding);
	return finding->count > 0;
}

/* Finds "Portland, ME", and also what people write behind an area: "Portland, ME 04101", "Paris,
 * Texas, US". */
static void find_behind_comma(struct str search, size_t comma, struct finding *finding)
{
	struct str area = str_from_offset(search, comma + 1);
	struct folded name;

	fold((struct str){search.data, comma}, &name);
	while (!find_in_area(&name, area, finding) && area.length > 0) {
		do
			area.length--;
		while (area.length > 0 && area.data[area.length] != ' ' &&
		       area.data[area.length] != ',');
	}
}

/* Finds "San Francisco"; else "Portland ME", whose last words are the area. */
static void find_without_comma(struct str search, struct finding *finding)
{
	struct folded name;

	fold(search, &name);
	memset(finding->areas, 0xff, sizeof(finding->areas));
	if (name.length > 0)
		find_rows(&name, finding);
	for (size_t i = search.length; i-- > 1 && finding->count == 0;) {
		if (search.data[i] != ' ')
			continue;
		fold((struct str){search.data, i}, &name);
		find_in_area(&name, str_from_offset(search, i + 1), finding);
	}
}

unsigned places_find(struct str search, struct place ret_places[static PLACES_MAX])
{
	size_t comma = str_find(search, ',');
	struct finding finding = {0};

	if (search.length > PLACE_SEARCH_BYTES_MAX || !utf8_is_valid(search))
		return 0;
	/* The area is still to be typed. */
	if (comma < search.length && str_trim(str_from_offset(search, comma)).length == 1)
		search = str_trim((struct str){search.data, comma});
	if (comma < search.length)
		find_behind_comma(search, comma, &finding);
	else
		find_without_comma(search, &finding);
	for (unsigned i = 0; i < finding.count; i++)
		ret_places[i] = place_of(&place_rows[finding.rows[i]]);
	return finding.count;
}

struct nearest {
	double latitude, longitude;
	double shrunk; /* a degree of longitude, in degrees of latitude */
	double least;  /* square of the distance, in degrees of latitude */
	const struct place_row *row;
};

/* Returns false if no place further in this direction is nearer. */
static bool look_at(struct nearest *nearest, unsigned index)
{
	const struct place_row *row = &place_rows[places_by_latitude[index]];
	double up = row->latitude / 10000.0 - nearest->latitude;
	double along = fabs(row->longitude / 10000.0 - nearest->longitude);
	double distance;

	if (up * up >= nearest->least)
		return false;
	/* The other way around the globe may be shorter. */
	along = nearest->shrunk * (along > 180 ? 360 - along : along);
	distance = up * up + along * along;
	if (distance < nearest->least) {
		nearest->least = distance;
		nearest->row = row;
	}
	return true;
}

/* Index of the first place that is not further south. */
static unsigned first_from(double latitude)
{
	unsigned low = 0, high = places_by_latitude_count;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (place_rows[places_by_latitude[middle]].latitude / 10000.0 < latitude)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct str places_zone_at(double latitude, double longitude)
{
	/* A form may have 200 places. In the middle of an ocean, any zone will do. */
	enum { LOOKS_MAX = 4096 };
	struct nearest nearest = {latitude, longitude, cos(latitude * M_PI / 180), INFINITY, NULL};
	unsigned north = place_rows_count ? first_from(latitude) : 0, south = north;

	for (unsigned i = 0; i < LOOKS_MAX && south > 0 && look_at(&nearest, south - 1); i++)
		south--;
	for (unsigned i = 0; i < LOOKS_MAX && north < place_rows_count && look_at(&nearest, north);
	     i++)
		north++;
	return nearest.row ? text_at(place_zones[nearest.row->zone].name) : (struct str){"", 0};
}
