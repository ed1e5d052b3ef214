/* Home Assistant's device discovery: one retained message makes a panel appear with all that it has
 * (https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload).
 *
 * The names of components are part of the entities' IDs there: a name that is given stays. */
#pragma once

#include "device.h"

/* The message of a device that is known; base is PREFIX/ACCOUNT. Entries whose switches were told
 * before, and are gone, are to be named: gone has their topics' last parts, NULL at the end. For
 * free(). NULL: it is too large. */
char *discovery_write(const struct device *device, const char *base, const char *const *gone,
		      size_t *ret_length);
