#include "domain/device_place.h"
#include "base/memory.h"
#include "domain/settings.h"
#include "setting_place.h"

#include <string.h>
#include <text/utf8.h>

/* Others are not stored: apps do not read them. */
static const char *const members[] = {"lat",	  "lng",      "description",
				      "locality", "place_id", "timezone"};

static bool is_member(struct str name)
{
	for (size_t i = 0; i < array_length(members); i++)
		if (str_equal(name, str_from(members[i])))
			return true;
	return false;
}

static bool has_controls(struct str text)
{
	while (text.length) {
		if (utf8_is_control(utf8_next(&text)))
			return true;
	}
	return false;
}

static const char *check_texts(const struct json_value *object)
{
	struct json_walk walk = json_walk(object);
	const struct json_value *value;
	struct str name, text;

	while (json_next_member(&walk, &name, &value)) {
		if (!is_member(name) || !json_get_str(value, &text))
			continue;
		if (utf8_length(text) > DEVICE_PLACE_TEXT_MAX)
			return "must have at most 100 characters in each text";
		if (has_controls(text))
			return "must have no control characters";
	}
	return NULL;
}

const char *device_place_read(const struct json_value *object, struct arena *arena,
			      struct str *ret_normal)
{
	const char *fault = setting_place_check(object, false, arena, ret_normal);

	return fault ? fault : check_texts(object);
}

static const char *check_names(const struct json_value *object)
{
	struct json_walk walk = json_walk(object);
	const struct json_value *value;
	struct str name;

	while (json_next_member(&walk, &name, &value))
		if (!is_member(name))
			return "must have no other members than lat, lng, description, locality, "
			       "place_id and timezone";
	return NULL;
}

static const char *read(struct str place, struct arena *arena, struct str *ret_normal)
{
	struct json_document document = {0};
	const char *fault;
	struct str reason;

	*ret_normal = place;
	if (place.length == 0)
		return NULL;
	if (!json_parse(place, arena, &document, &reason))
		return "must be JSON";
	fault = device_place_read(document.root, arena, ret_normal);
	if (!fault)
		fault = check_names(document.root);
	json_document_finish(&document);
	return fault;
}

const char *device_place_check(struct str place)
{
	struct arena arena = {0};
	struct str normal;
	const char *fault = read(place, &arena, &normal);

	arena_finish(&arena);
	return fault;
}

struct str device_place_normal(struct str place, struct arena *arena)
{
	struct str normal;

	return read(place, arena, &normal) ? place : normal;
}

struct str device_place_or(struct str value, struct str place)
{
	return str_equal(value, STR(DEVICE_PLACE_SETTING)) ? place : value;
}

struct str device_place_settle(struct str settings, struct str place, struct arena *arena)
{
	static const char escaped[] = "{\\\"place\\\":\\\"device\\\"}";
	struct settings all;
	unsigned count = 0;

	if (!memmem(settings.data, settings.length, escaped, strlen(escaped)))
		return settings;
	settings_parse(settings, arena, &all);
	for (unsigned i = 0; i < all.count; i++) {
		struct setting setting = all.items[i];

		bool is_of_device = str_equal(setting.value, STR(DEVICE_PLACE_SETTING));

		setting.value = device_place_or(setting.value, place);
		if (!is_of_device || place.length)
			all.items[count++] = setting;
	}
	all.count = count;
	return settings_to_text(&all, arena);
}
