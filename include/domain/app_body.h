/* Bodies of requests about an app's form: one struct for all of them, each of which uses some
 * members. */
#pragma once

#include "domain/app_body_records.h"
#include "domain/settings.h"

struct app_body {
	struct str app; /* ID or slug */
	struct str script_language;
	struct str script_content;
	struct str field_id;
	struct str parameter;
	struct str device_id;
	struct str installation_id;
	struct str timezone;
	const struct json_value *settings_value;
	struct settings settings; /* after the check */
};
