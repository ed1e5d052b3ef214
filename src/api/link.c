#include "access_device_key.h"
#include "endpoints.h"
#include "http/websocket.h"
#include "visitor.h"

/* GET /d/{deviceId}/next and GET /d/{deviceId}/ws - how panels connect. GET /{alias}/next and GET
 * /{alias}/ws - how panels connect that use their device's address on another server. */

static void add_order(struct task *task, const struct poll_picture *picture)
{
	if (picture->url.data)
		task_add_field(task, STR("Tronbyt-Image-URL"), picture->url);
	if (picture->image_url.data)
		task_add_field(task, STR("Tronbyt-OTA-URL"), picture->image_url);
	if (picture->reboot)
		task_add_field(task, STR("Tronbyt-Reboot"), STR("1"));
}

static struct step_result next(struct task *task)
{
	struct panel *panel = access_panel(task);
	struct http_request *request = task_request(task);
	bool is_peek = request->method == HTTP_HEAD || visitor_is_one(request);
	struct arena *arena = task_arena(task);
	struct poll_picture picture;

	if (!panel)
		return access_refuse_panel(task);
	if (!delivery_poll(api_delivery(task), panel, access_panel_lookup(task), is_peek, arena,
			   &picture))
		return task_wait(task, next);
	if (!is_peek)
		delivery_told_version(api_delivery(task), panel,
				      http_request_field(request, STR("x-firmware-version")));
	add_order(task, &picture);
	/* Header names are spelled as the firmware searches for them. */
	task_add_field(task, STR("Tronbyt-Brightness"), arena_decimal(arena, picture.brightness));
	task_add_field(task, STR("Tronbyt-Dwell-Secs"), arena_decimal(arena, picture.dwell_s));
	task_add_field(task, STR("Cache-Control"), STR("no-store"));
	return task_reply(task, 200, STR("image/webp"), picture.webp);
}

static struct step_result connect_panel(struct task *task)
{
	if (!websocket_is_handshake(task_request(task))) {
		/* RFC 9110 section 15.5.22, RFC 6455 section 4.4 */
		task_add_field(task, STR("Connection"), STR("Upgrade"));
		task_add_field(task, STR("Upgrade"), STR("websocket"));
		task_add_field(task, STR("Sec-WebSocket-Version"), STR("13"));
		return task_fail(task, PROBLEM_WEBSOCKET_NEEDED,
				 "a WebSocket handshake is needed here");
	}
	delivery_connect(api_delivery(task), access_panel(task), access_panel_lookup(task),
			 task_request(task));
	return task_given_up(task);
}

const struct endpoint endpoint_link_next = {
    .name = "link_next",
    .handler = next,
    .access = &access_device_key,
};
const struct endpoint endpoint_link_ws = {
    .name = "link_ws",
    .handler = connect_panel,
    .access = &access_device_key,
};
const struct endpoint endpoint_alias_next = {
    .name = "alias_next",
    .handler = next,
    .access = &access_device_alias,
};
const struct endpoint endpoint_alias_ws = {
    .name = "alias_ws",
    .handler = connect_panel,
    .access = &access_device_alias,
};
