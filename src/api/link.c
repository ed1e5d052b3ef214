#include "delivery/delivery.h"
#include "domain/device_reference.h"
#include "endpoints.h"
#include "http/websocket.h"

/* GET /d/{deviceId}/next and GET /d/{deviceId}/ws - how panels connect.
 *
 * What is wrong is 404 and a small picture, never 401, 403 or 5xx: firmware repeats those every
 * second, and waits after a 404. The header names are spelled as the firmware looks for them. */

struct link {
	struct panel_lookup lookup;
	struct task *task;
	struct panel *panel; /* valid in the step that follows the look-up */
};

static struct verdict refuse(struct task *task)
{
	task_add_field(task, STR("Tronbyt-Brightness"), STR("20"));
	task_add_field(task, STR("Cache-Control"), STR("no-store"));
	return task_reply(task, 404, STR("image/webp"), delivery_unknown_picture());
}

static void on_found(struct panel_lookup *lookup, struct panel *panel)
{
	struct link *link = container_of(lookup, struct link, lookup);

	link->panel = panel;
	task_resume(link->task);
}

/* Firmware from v1.6.1 on cuts the key out of the query and sends it as a bearer token. */
static struct str link_key(struct task *task)
{
	struct http_request *request = task_request(task);
	struct str key = http_request_query(request, STR("key"));
	struct str authorization;

	if (key.data)
		return key;
	authorization = http_request_field(request, STR("authorization"));
	if (authorization.length > 7 &&
	    str_equal_ignore_case((struct str){authorization.data, 7}, STR("bearer ")))
		return str_trim(str_from_offset(authorization, 7));
	return (struct str){0};
}

static struct verdict find(struct task *task, task_step *next)
{
	struct link *link = task_state(task);
	struct str key = link_key(task);
	struct device_reference reference = device_reference_parse(task_path_parameter(task, 0));

	link->task = task;
	link->lookup.done = on_found;
	if (!link_key_is_well_formed(key))
		return refuse(task);
	if (delivery_find(api_delivery(task), &link->lookup, &reference, key, &link->panel))
		return task_continue(task, next);
	return task_wait(task, next);
}

static void log_device(struct task *task, const struct panel *panel)
{
	char text[ID_TEXT_LENGTH + 1];

	id_format(delivery_panel_id(panel), text);
	task_request(task)->log_device = arena_copy(task_arena(task), str_from(text));
}

static struct verdict next_found(struct task *task)
{
	struct link *link = task_state(task);
	struct arena *arena = task_arena(task);
	struct poll_picture picture;

	if (!link->panel)
		return refuse(task);
	log_device(task, link->panel);
	if (!delivery_poll(api_delivery(task), link->panel, &link->lookup,
			   task_request(task)->method == HTTP_HEAD, arena, &picture))
		return task_wait(task, next_found);
	task_add_field(task, STR("Tronbyt-Brightness"), arena_decimal(arena, picture.brightness));
	task_add_field(task, STR("Tronbyt-Dwell-Secs"), arena_decimal(arena, picture.dwell_s));
	task_add_field(task, STR("Cache-Control"), STR("no-store"));
	return task_reply(task, 200, STR("image/webp"), picture.webp);
}

static struct verdict next_begin(struct task *task)
{
	return find(task, next_found);
}

static struct verdict ws_found(struct task *task)
{
	struct link *link = task_state(task);

	if (!link->panel)
		return refuse(task);
	log_device(task, link->panel);
	delivery_connect(api_delivery(task), link->panel, task_request(task));
	return task_given_up(task);
}

static struct verdict ws_begin(struct task *task)
{
	if (!websocket_is_handshake(task_request(task))) {
		task_add_field(task, STR("Upgrade"), STR("websocket"));
		return task_fail(task, 426, "a WebSocket handshake is needed here");
	}
	return find(task, ws_found);
}

const struct endpoint endpoint_link_next = {
    .name = "link_next",
    .handler = next_begin,
    .state_size = sizeof(struct link),
};
const struct endpoint endpoint_link_ws = {
    .name = "link_ws",
    .handler = ws_begin,
    .state_size = sizeof(struct link),
};
