/* Time zone in the settings that a script gets. */
#pragma once

#include <text/str.h>

#include <yyjson.h>

/* Member in which community apps find the time zone of their device. */
#define CONFIG_ZONE "$tz"

/* Sets the member in config, which is an object of the document. The name is copied. */
void config_set_zone(yyjson_mut_doc *document, yyjson_mut_val *config, struct str zone);
