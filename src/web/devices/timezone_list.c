#include "base/buffer.h"
#include "base/zones.h"
#include "record/json.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/timezones - the time zones that a device can have. They are those of the system: plans
 * of sleep need them in the process, and the database would read each of its files at each request.
 */

/* Names without a region, such as "EST", are other spellings for tools. A device can have them,
 * too. */
static bool has_region(const char *name)
{
	return *name >= 'A' && *name <= 'Z' && strchr(name, '/');
}

static struct step_result timezone_list_begin(struct task *task)
{
	struct buffer json = {0};
	struct step_result answer;
	unsigned count;
	const char *const *names = zones_names(&count);
	const char *before = "{\"names\":[";

	for (unsigned i = 0; i < count; i++) {
		if (!has_region(names[i]) && strcmp(names[i], "UTC") != 0)
			continue;
		buffer_append_str(&json, str_from(before));
		json_write_str(&json, str_from(names[i]));
		before = ",";
	}
	buffer_append_str(&json, STR("]}"));
	answer = task_reply_json(task, 200, &json);
	buffer_finish(&json);
	return answer;
}

ENDPOINT_TIMEZONE_LIST(.handler = timezone_list_begin);
