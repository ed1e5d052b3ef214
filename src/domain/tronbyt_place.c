#include "domain/device_place.h"
#include "tronbyt_reader.h"

static bool has_member(const struct json_value *object, const char *name)
{
	const struct json_value *value = json_member(object, name);
	struct str text;

	return value && !json_is_null(value) && (!json_get_str(value, &text) || text.length);
}

struct str tronbyt_take_place(struct tronbyt_reader *reader)
{
	const struct json_value *location = tronbyt_member(reader, "location");
	const char *fault;
	struct str place;

	if (!location)
		return STR("");
	if (!json_is_object(location)) {
		tronbyt_say(reader, "location", "is not a place in the file: left out");
	} else if (has_member(location, "lat") && has_member(location, "lng")) {
		fault = device_place_read(location, reader->faults->arena, &place);
		if (!fault)
			return place;
		tronbyt_say(reader, "location", "%s: left out", fault);
	} else if (has_member(location, "lat") || has_member(location, "lng") ||
		   has_member(location, "description")) {
		tronbyt_say(reader, "location", "has no coordinates in the file: left out");
	}
	return STR("");
}
