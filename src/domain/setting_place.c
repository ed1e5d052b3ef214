#include "setting_place.h"
#include "base/memory.h"
#include "base/zones.h"
#include "domain/place.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ZONE_NAME_BYTES_MAX = 64, DEGREES_BYTES_MAX = 32 };

enum part { LAT, LNG, DESCRIPTION, LOCALITY, PLACE_ID, TIMEZONE, PART_COUNT };

static const char *const part_names[PART_COUNT] = {"lat",      "lng",	   "description",
						   "locality", "place_id", "timezone"};

static bool read_decimal(struct str text, double *ret_degrees)
{
	char copy[DEGREES_BYTES_MAX];
	char *end;

	if (text.length == 0 || text.length >= sizeof(copy))
		return false;
	memcpy(copy, text.data, text.length);
	copy[text.length] = '\0';
	if (strspn(copy, "+-.0123456789") < text.length)
		return false;
	*ret_degrees = strtod(copy, &end);
	return *end == '\0';
}

/* Writes the fewest digits that mean the same number, never with an exponent. */
static struct str write_degrees(double degrees, struct arena *arena)
{
	char text[400];
	double same;
	int length = 0;

	for (int digits = 0; digits <= 17; digits++) {
		length = snprintf(text, sizeof(text), "%.*f", digits, degrees);
		same = strtod(text, NULL);
		if (same == degrees)
			break;
	}
	return arena_copy(arena, (struct str){text, (size_t)length});
}

/* Whether a number that is equal to max as a double is larger as it was written. */
static bool is_beyond(struct str literal, double max)
{
	size_t start = literal.length && (literal.data[0] == '-' || literal.data[0] == '+');
	struct str digits = str_from_offset(literal, start), whole = digits;
	double integer;

	whole.length = str_find(digits, '.');
	if (!read_decimal(whole, &integer) || integer < max)
		return false;
	for (size_t i = whole.length + 1; i < digits.length && digits.data[i] <= '9'; i++)
		if (digits.data[i] != '0')
			return true;
	return false;
}

/* Reads a number, or a text that is a number, as a text, which apps expect. */
static bool read_degrees(const struct json_value *value, double max, struct arena *arena,
			 struct str *ret_text)
{
	double degrees;
	struct str literal;

	if (!value)
		return false;
	if (json_get_str(value, ret_text)) {
		if (!read_decimal(*ret_text, &degrees))
			return false;
		literal = *ret_text;
	} else if (json_get_number(value, &degrees)) {
		*ret_text = write_degrees(degrees, arena);
		literal = json_get_literal(value);
	} else {
		return false;
	}
	return fabs(degrees) < max || (fabs(degrees) <= max && !is_beyond(literal, max));
}

static void read_texts(const struct json_value *object, struct str *parts)
{
	for (unsigned i = DESCRIPTION; i < PART_COUNT; i++) {
		const struct json_value *value = json_member(object, part_names[i]);

		parts[i] = STR("");
		if (value)
			(void)json_get_str(value, &parts[i]);
	}
	/* Places of older forms have a name alone. */
	if (parts[LOCALITY].length == 0 && parts[DESCRIPTION].length == 0 &&
	    json_member(object, "name"))
		(void)json_get_str(json_member(object, "name"), &parts[DESCRIPTION]);
	if (parts[LOCALITY].length == 0) {
		parts[LOCALITY] = parts[DESCRIPTION];
		parts[LOCALITY].length = str_find(parts[LOCALITY], ',');
	}
	if (parts[DESCRIPTION].length == 0)
		parts[DESCRIPTION] = parts[LOCALITY];
}

/* Finds the zone, since apps use it as given, and show UTC if it is empty. */
static struct str zone_at(const struct str *parts)
{
	double latitude = 0, longitude = 0;
	struct str zone;

	(void)read_decimal(parts[LAT], &latitude);
	(void)read_decimal(parts[LNG], &longitude);
	zone = places_zone_at(latitude, longitude);
	return zones_find(zone) ? zone : STR("");
}

static bool is_part(struct str name)
{
	for (unsigned i = 0; i < PART_COUNT; i++)
		if (str_equal(name, str_from(part_names[i])))
			return true;
	return false;
}

static void write_member(struct buffer *json, struct str name, struct str text)
{
	buffer_append_char(json, buffer_length(json) ? ',' : '{');
	json_write_str(json, name);
	buffer_append_char(json, ':');
	json_write_str(json, text);
}

static struct str write_place(const struct json_value *object, bool keeps_rest,
			      const struct str *parts, struct arena *arena)
{
	struct json_walk walk = json_walk(object);
	const struct json_value *value;
	struct buffer json = {0};
	struct str name, text;

	for (unsigned i = 0; i < PART_COUNT; i++)
		write_member(&json, str_from(part_names[i]), parts[i]);
	while (keeps_rest && json_next_member(&walk, &name, &value))
		if (!is_part(name) && json_get_str(value, &text))
			write_member(&json, name, text);
	buffer_append_char(&json, '}');
	text = arena_copy(arena, buffer_view(&json));
	buffer_finish(&json);
	return text;
}

const char *setting_place_check(const struct json_value *object, bool keeps_rest,
				struct arena *arena, struct str *ret_normal)
{
	struct str parts[PART_COUNT];
	const struct json_value *zone = json_member(object, part_names[TIMEZONE]);

	const struct json_value *lat = json_member(object, part_names[LAT]),
				*lng = json_member(object, part_names[LNG]);

	if (!json_is_object(object) || !lat || !lng)
		return "must be the JSON of a place with \"lat\" and \"lng\"";
	if (!read_degrees(lat, 90, arena, &parts[LAT]) ||
	    !read_degrees(lng, 180, arena, &parts[LNG]))
		return "must have a latitude of -90 to 90 and a longitude of -180 to 180 degrees";
	read_texts(object, parts);
	if (zone && !json_is_null(zone) && !json_get_str(zone, &parts[TIMEZONE]))
		return "has an unknown time zone";
	if (parts[TIMEZONE].length > ZONE_NAME_BYTES_MAX ||
	    (parts[TIMEZONE].length && !zones_find(parts[TIMEZONE])))
		return "has an unknown time zone";
	if (parts[TIMEZONE].length == 0)
		parts[TIMEZONE] = zone_at(parts);
	*ret_normal = write_place(object, keeps_rest, parts, arena);
	return NULL;
}
