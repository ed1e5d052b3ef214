/* Place of a device: a text as settings of apps of the type location have it, which is set and
 * removed as a whole. */
#pragma once

#include "base/arena.h"
#include "record/json.h"

enum { DEVICE_PLACE_TEXT_MAX = 100 }; /* characters of each of its texts */

/* Value of a setting of the type location that means the device's place. */
#define DEVICE_PLACE_SETTING "{\"place\":\"device\"}"

/* Checks a place; empty: none. Returns NULL, or the fault ("must ..."). */
const char *device_place_check(struct str place);
/* Reads an object; other members are left out. Returns NULL and the place in its normal form, in
 * the arena; or the fault. */
const char *device_place_read(const struct json_value *object, struct arena *arena,
			      struct str *ret_normal);
/* Returns the normal form of a place that was checked, in the arena: equal places are equal texts.
 */
struct str device_place_normal(struct str place, struct arena *arena);

/* Returns the value of a setting; the device's place, which may be empty, if the value means that.
 */
struct str device_place_or(struct str value, struct str place);
/* Returns settings in which the device's place replaces DEVICE_PLACE_SETTING, in the arena. Without
 * a place such settings are left out, so that the app takes its default. settings: a JSON object of
 * texts. settled_settings_hash() in SQL does the same. */
struct str device_place_settle(struct str settings, struct str place, struct arena *arena);
