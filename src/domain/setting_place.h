/* Checks settings that are a place on earth. */
#pragma once

#include "record/json.h"

/* Returns NULL and the place as apps read it: a JSON object with the texts lat, lng, description,
 * locality, place_id and timezone, in this order. Numbers become texts; a missing text becomes
 * empty, except that description and locality replace each other. Further texts are kept if
 * keeps_rest. Otherwise
 * returns the fault ("must ..."). */
const char *setting_place_check(const struct json_value *object, bool keeps_rest,
				struct arena *arena, struct str *ret_normal);
