/* Removes the settings that scripts were given from what they write.
 *
 *   log, problem --settings_mask(secrets)--> shown to the owner
 *   problem --settings_mask(settings_parts(all))--> shown to the app's author
 *   hosts --settings_mask_hosts(settings_parts(all))--> shown to everybody */
#pragma once

#include "domain/settings.h"

/* Shorter values are not masked: they would hide half of any text. */
enum { SECRET_MASKED_BYTES_MIN = 4 };

/* Replaces secret values in the text by "****": verbatim, percent-encoded (RFC 3986, section 2.1),
 * or escaped with backslashes. At the end of the text also the beginning of a value, since the text
 * may have been cut. Returns a text in the arena, or the text itself. */
struct str settings_mask(const struct settings *secret, struct str text, struct arena *arena);

/* Lists all values, the hosts of values that are URLs, and the texts within values that are JSON
 * objects (locations, found options); without names, "true", "false" and empty texts. */
void settings_parts(const struct settings *all, struct arena *arena, struct settings *ret_values);

/* Removes from hosts, which are separated by spaces, those that a value contains, and those that
 * contain a value: they reveal settings of one owner. In the arena. */
struct str settings_mask_hosts(const struct settings *values, struct str hosts,
			       struct arena *arena);
