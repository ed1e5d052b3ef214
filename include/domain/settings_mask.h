/* Removes the settings that scripts were given from what they write.
 *
 *   log, problem --settings_mask(secrets)--> what the owner is shown
 *   problem --settings_mask(settings_parts(all))--> what the app's author is shown
 *   hosts --settings_mask_hosts(settings_parts(all))--> what everybody is shown */
#pragma once

#include "domain/settings.h"

/* Values of fewer bytes would hide half of any text, and stay. */
enum { SECRET_MASKED_BYTES_MIN = 4 };

/* Has "****" in place of the secret values that the text names, as they are, percent-encoded (RFC
 * 3986, section 2.1), and escaped with backslashes; also of a value's beginning, at the text's end:
 * the text may have been cut. In the arena, or the text itself. */
struct str settings_mask(const struct settings *secret, struct str text, struct arena *arena);

/* All values, the hosts of those that are addresses, and the texts within those that are JSON
 * objects (locations, options that were found); without names, and without "true" and "false".
 * Empty ones are left out. */
void settings_parts(const struct settings *all, struct arena *arena, struct settings *ret_values);

/* hosts: separated by spaces. Leaves out those that a value contains, and those that contain a
 * value: they tell of one owner. In the arena. */
struct str settings_mask_hosts(const struct settings *values, struct str hosts,
			       struct arena *arena);
