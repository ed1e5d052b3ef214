/* Home Assistant's device discovery: one retained message makes a panel appear with all its
 * entities (https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload).
 *
 * The names of components are part of the entities' IDs there, so they never change. */
#pragma once

#include "device.h"

/* Writes the message of a device whose documents are known; base is PREFIX/ACCOUNT. gone names the
 * entries that were in an earlier message and are removed: the last parts of their topics, NULL at
 * the end. The caller frees the text with free(). Returns NULL if it is too large. */
char *discovery_write(const struct device *device, const char *base, const char *const *gone,
		      size_t *ret_length);
