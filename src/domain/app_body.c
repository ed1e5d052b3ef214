#include "domain/app_body.h"
#include "base/limits.h"
#include "base/zones.h"
#include "domain/app.h"
#include "domain/studio.h"

enum { REFERENCE_LENGTH_MAX = 64, PARAMETER_LENGTH_MAX = 64 * 1024 };

static const char *zone_check(struct str name)
{
	return zones_find(name) ? NULL : "must be a known time zone";
}

static const char *draft_check(struct str script)
{
	return script.length <= LIMIT_SCRIPT_BYTES ? NULL : "must have at most 1000000 bytes";
}

static void check_settings(void *body, uint64_t seen, struct faults *faults)
{
	struct app_body *app = body;

	(void)seen;
	settings_read(app->settings_value, faults, &app->settings);
}

#define APP                                                                                        \
	RECORD_STR(struct app_body, app, .body = "app", .required = true, .minimum = 1,            \
		   .maximum = APP_SLUG_LENGTH_MAX)
#define SCRIPT                                                                                     \
	RECORD_STR(struct app_body, script_language, .body = "scriptLanguage", .required = true,   \
		   .check = app_language_check),                                                   \
	    RECORD_STR(struct app_body, script_content, .body = "scriptContent", .required = true, \
		       .check = draft_check)
#define FIELD                                                                                      \
	RECORD_STR(struct app_body, field_id, .body = "fieldId", .required = true, .minimum = 1,   \
		   .maximum = FORM_ID_BYTES_MAX),                                                  \
	    RECORD_STR(struct app_body, parameter, .body = "parameter", .required = true,          \
		       .minimum = 0, .maximum = PARAMETER_LENGTH_MAX)
#define DEVICE(is_required)                                                                        \
	RECORD_STR(struct app_body, device_id, .body = "deviceId", .required = (is_required),      \
		   .minimum = 1, .maximum = REFERENCE_LENGTH_MAX),                                 \
	    RECORD_STR(struct app_body, installation_id, .body = "installationId", .minimum = 1,   \
		       .maximum = REFERENCE_LENGTH_MAX)
#define ZONE                                                                                       \
	RECORD_STR(struct app_body, timezone, .body = "timezone", .minimum = 1,                    \
		   .maximum = REFERENCE_LENGTH_MAX, .check = zone_check)
#define SETTINGS(is_required)                                                                      \
	RECORD_ANY(struct app_body, settings_value, .body = "settings", .required = (is_required))

#define APP_BODY(name, ...)                                                                        \
	static const struct record_field name##_fields[] = {__VA_ARGS__};                          \
	const struct record name##_record =                                                        \
	    RECORD(struct app_body, name##_fields, .check = check_settings)

APP_BODY(installing, APP, SETTINGS(false));
APP_BODY(handler_call, FIELD, DEVICE(false), SETTINGS(false));
APP_BODY(preview_request, DEVICE(true), SETTINGS(false));
APP_BODY(draft_handler_call, SCRIPT, FIELD, ZONE, SETTINGS(false));
APP_BODY(draft_preview_request, SCRIPT, ZONE, SETTINGS(false));
APP_BODY(review_handler_call, FIELD, ZONE, SETTINGS(false));
APP_BODY(review_preview_request, ZONE, SETTINGS(false));
APP_BODY(settings_change, SETTINGS(true));
