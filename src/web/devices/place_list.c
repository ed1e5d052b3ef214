#include "base/buffer.h"
#include "domain/place.h"
#include "record/json.h"
#include "task/list.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/places - places by the beginning of their names, for settings that are a location. The
 * list is built in, so that no third party learns where a user lives. */

static void write_place(const struct place *place, struct buffer *json)
{
	buffer_append_str(json, STR("{\"name\":"));
	json_write_str(json, place->name);
	buffer_append_str(json, STR(",\"region\":"));
	json_write_str(json, place->region);
	buffer_append_str(json, STR(",\"country\":"));
	json_write_str(json, place->country);
	buffer_printf(json, ",\"latitude\":%.4f,\"longitude\":%.4f,\"timezone\":", place->latitude,
		      place->longitude);
	json_write_str(json, place->timezone);
	buffer_append_char(json, '}');
}

static struct step_result place_list_begin(struct task *task)
{
	struct place places[PLACES_MAX];
	struct buffer json = {0};
	struct step_result answer;
	struct str wanted;
	unsigned count;

	if (task_has_bad_text(task, "search", &wanted, &answer))
		return answer;
	count = places_find(wanted, places);
	buffer_append_char(&json, '[');
	for (unsigned i = 0; i < count; i++) {
		if (i)
			buffer_append_char(&json, ',');
		write_place(&places[i], &json);
	}
	buffer_append_char(&json, ']');
	answer = task_reply_json(task, 200, &json);
	buffer_finish(&json);
	return answer;
}

ENDPOINT_PLACE_LIST(.handler = place_list_begin);
