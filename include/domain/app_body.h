/* Bodies of requests about an app's form: one struct for all of them, each of which uses some
 * members. */
#pragma once

#include "domain/settings.h"
#include "record/record.h"

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

/* POST .../devices/{deviceId}/apps; .../handler, .../preview of an app, of a draft, and of a
 * version in review; PUT .../settings. */
extern const struct record installing_record;
extern const struct record handler_call_record;
extern const struct record preview_request_record;
extern const struct record draft_handler_call_record;
extern const struct record draft_preview_request_record;
extern const struct record review_handler_call_record;
extern const struct record review_preview_request_record;
extern const struct record settings_change_record;
