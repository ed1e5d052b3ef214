/* Checks values against the fields of an app's form. */
#pragma once

#include "domain/form.h"

/* Returns NULL and the value in its normal form; or the fault ("must ..."). */
const char *setting_value_check(const struct form_field *field, struct str value,
				struct arena *arena, struct str *ret_normal);
