/* Settings that are a place on Earth. */
#pragma once

#include "record/json.h"

/* NULL, and the place as apps read it: a JSON object with the texts lat, lng, description,
 * locality, place_id and timezone, in this order. Numbers become texts; a missing text becomes
 * empty, but description and locality stand in for each other. Further texts are kept. Otherwise
 * what is wrong with it ("must ..."). */
const char *setting_place_check(const struct json_value *object, struct arena *arena,
				struct str *ret_normal);
