#include "domain/app_body.h"
#include "base/limits.h"
#include "base/zones.h"

const char *app_body_zone_check(struct str name)
{
	return zones_find(name) ? NULL : "must be a known time zone";
}

const char *app_body_draft_check(struct str script)
{
	return script.length <= LIMIT_SCRIPT_BYTES ? NULL : "must have at most 1000000 bytes";
}

void app_body_check_settings(void *body, uint64_t seen, struct faults *faults)
{
	struct app_body *app = body;

	(void)seen;
	settings_read(app->settings_value, faults, &app->settings);
}
