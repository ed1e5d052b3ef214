#include "base/hex.h"
#include "base/limits.h"
#include "delivery/delivery.h"
#include "delivery/picture_size.h"
#include "delivery/recolouring.h"
#include "endpoints.h"
#include "http/stream.h"
#include "picture_request.h"

#include <panelimage/panelimage.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GET /v1/devices/{deviceId}/picture, .../picture.webp, .../picture.gif, .../picture.png - what the
 * panel shows now.
 *
 *   begin -> watch the panel: its worker, here or elsewhere, tells what it shows
 *         -> viewed -> 304 by the picture's hash and the form that is asked for
 *         -> database: the picture of that hash -> picture_found
 *         -> a lane: colours, size and limit of the panel, if the picture has others -> recoloured
 *         -> long lane: a GIF or a PNG of it -> exported */

/* The worker of a panel answers within milliseconds. No worker has an offline panel, which is known
 * after two hints without an answer (delivery/view_subscription.h). */
enum { WAIT_MS = 10 * 1000, PIECE_BYTES = 64 * 1024 };

struct device_picture {
	struct picture_request request;
	struct task *task;
	struct view_subscriber subscriber;
	struct deadline deadline;
	bool is_subscribed;
	bool is_waiting;
	struct picture_by_hash_row row;
	struct str webp; /* NULL data: the panel is dark */
	struct recolouring recolouring;
	enum color_filter filter;
	enum panel_size panel;
	uint16_t limit_kb;	    /* see struct picture_look */
	struct memory_share *share; /* share of the account; NULL: no memory was taken */
	size_t taken;
	struct panelimage_export_options options;
	struct panelimage_export *exporting;
	bool has_failed;
	uint8_t *data; /* malloc'ed */
	size_t size;
	size_t sent; /* bytes of it, in portions */
	char source[VIEW_PICTURE_TEXT_BYTES + 40];
};

static struct loop *loop_of(struct device_picture *picture)
{
	return task_service(picture->task)->loop;
}

static void unsubscribe(struct device_picture *picture)
{
	if (!picture->is_subscribed)
		return;
	picture->is_subscribed = picture->is_waiting = false;
	deadline_clear(loop_of(picture), &picture->deadline);
	delivery_unsubscribe_view(&picture->subscriber);
}

static struct str content_type(enum panelimage_format format)
{
	switch (format) {
	case PANELIMAGE_FORMAT_PNG:
		return STR("image/png");
	case PANELIMAGE_FORMAT_GIF:
		return STR("image/gif");
	default:
		return STR("image/webp");
	}
}

static void add_vary(struct task *task)
{
	const struct device_picture *picture = task_state(task);

	if (picture->request.is_negotiated)
		task_add_field(task, STR("Vary"), STR("Accept"));
}

/* Keeps the text that determines the answer. Returns true, with the answer 304, if the caller has
 * it. now: NULL: the panel is dark. */
static bool is_known(struct task *task, const struct view_picture *now,
		     struct step_result *ret_answer)
{
	struct device_picture *picture = task_state(task);
	const struct picture_request *request = &picture->request;
	char text[VIEW_PICTURE_TEXT_BYTES];
	struct str name = now ? view_picture_text(now, text) : STR("black");

	snprintf(picture->source, sizeof(picture->source), "%.*s %d %u %d%s %u", STR_ARG(name),
		 request->format, request->scale, request->has_leds,
		 picture->panel == PANEL_SIZE_64X32 ? "" : " wide", picture->limit_kb);
	if (!task_is_known(task, str_from(picture->source), ret_answer))
		return false;
	add_vary(task);
	return true;
}

/* An animation may have megabytes. */
static bool write_more(struct task *task, struct http_stream *stream)
{
	struct device_picture *picture = task_state(task);

	while (picture->sent < picture->size && !http_stream_is_full(stream)) {
		struct str piece = {(const char *)picture->data + picture->sent,
				    picture->size - picture->sent};

		if (piece.length > PIECE_BYTES)
			piece.length = PIECE_BYTES;
		http_stream_write(stream, piece);
		picture->sent += piece.length;
	}
	return picture->sent < picture->size;
}

/* data: in the arena; NULL: the converted picture, in portions. */
static struct step_result device_picture_reply(struct task *task, struct str data)
{
	const struct device_picture *picture = task_state(task);
	struct str type = content_type(picture->request.format);

	add_vary(task);
	task_add_tag(task, str_from(picture->source));
	return data.data ? task_reply(task, 200, type, data)
			 : task_reply_stream(task, 200, type, write_more);
}

/* ---- conversion ---- */

static struct step_result exported(struct task *task)
{
	const struct device_picture *picture = task_state(task);

	if (picture->has_failed)
		return task_fail_busy(task, PROBLEM_MEMORY_FULL, 1,
				      "no memory is left to convert the picture, try again");
	if (picture->size > PIECE_BYTES)
		return device_picture_reply(task, (struct str){0});
	return device_picture_reply(
	    task,
	    arena_copy(task_arena(task), (struct str){(const char *)picture->data, picture->size}));
}

static bool export_step(void *argument)
{
	struct device_picture *picture = argument;
	const struct panelimage_size panel = picture_pixels(picture->panel);
	struct panelimage_error error;
	enum panelimage_progress progress = PANELIMAGE_FAILED;

	if (!picture->exporting)
		picture->exporting =
		    panelimage_export_new((const uint8_t *)picture->webp.data, picture->webp.length,
					  panel, &picture->options, &error);
	if (picture->exporting)
		progress = panelimage_export_step(picture->exporting, &picture->data,
						  &picture->size, &error);
	picture->has_failed = progress == PANELIMAGE_FAILED;
	return progress == PANELIMAGE_MORE;
}

/* Bytes that the conversion takes: pixels and result. */
static size_t export_bytes(const struct device_picture *picture)
{
	enum { FIXED_BYTES = 64 * 1024, BYTES_OF_PIXEL = 2 };
	const struct panelimage_size panel = picture_pixels(picture->panel);
	size_t pixels = (size_t)panel.width * panel.height, scale = picture->options.scale;
	struct panelimage_info info = {.frame_count = 1};
	struct panelimage_error error;

	if (picture->options.format == PANELIMAGE_FORMAT_PNG)
		return FIXED_BYTES + pixels * 3 * 2 * scale * scale;
	if (picture->webp.data && panelimage_probe_webp((const uint8_t *)picture->webp.data,
							picture->webp.length, panel, &info, &error))
		info.frame_count = PANELIMAGE_FRAMES_MAX;
	return FIXED_BYTES + 2 * pixels * BYTES_OF_PIXEL * (size_t)info.frame_count;
}

/* Size of an animation whose conversion takes as long: the time of a PNG depends on its own pixels.
 */
static size_t work_size(const struct device_picture *picture)
{
	enum { PIXELS_OF_BYTE = 32 };
	struct panelimage_size panel = picture_pixels(picture->panel);
	size_t scale = picture->options.scale;

	return picture->options.format == PANELIMAGE_FORMAT_PNG
		   ? panel.width * panel.height / PIXELS_OF_BYTE * scale * scale
		   : picture->webp.length;
}

static struct step_result export(struct task *task)
{
	struct device_picture *picture = task_state(task);
	struct id account = task_account_id(task);

	if (picture->request.format == PANELIMAGE_FORMAT_WEBP && picture->webp.data)
		return device_picture_reply(task, picture->webp);
	picture->options =
	    (struct panelimage_export_options){.format = picture->request.format,
					       .scale = picture->request.scale ?: 1,
					       .has_leds = picture->request.has_leds};
	picture->taken = export_bytes(picture);
	picture->share =
	    memory_budget_join(&api_service(task)->images,
			       (struct str){(const char *)account.bytes, sizeof(account.bytes)});
	if (!memory_budget_take(picture->share, picture->taken, LIMIT_IMAGES_BYTES)) {
		picture->taken = 0;
		return task_fail_busy(task, PROBLEM_MEMORY_FULL, 1,
				      "the images being converted take too much memory, try again");
	}
	return task_work(task, LANE_LONG,
			 &(struct task_work){
			     .run = export_step, .argument = picture, .size = work_size(picture)},
			 exported);
}

/* ---- the picture ---- */

static struct step_result recoloured(struct task *task)
{
	struct device_picture *picture = task_state(task);

	picture->webp = arena_copy(task_arena(task), recolouring_result(&picture->recolouring));
	return export(task);
}

static bool recolour_step(void *argument)
{
	return recolouring_step(argument);
}

static struct picture_look look_of(const struct device_picture *picture)
{
	return (struct picture_look){.filter = (uint8_t)picture->filter,
				     .size = (uint8_t)picture->panel,
				     .limit_kb = picture->limit_kb};
}

static struct step_result recolour(struct task *task)
{
	struct device_picture *picture = task_state(task);
	struct recolouring *recolouring = &picture->recolouring;

	*recolouring = (struct recolouring){.webp = picture->webp, .look = look_of(picture)};
	return task_work(task, recolouring_lane(recolouring),
			 &(struct task_work){.run = recolour_step,
					     .argument = recolouring,
					     .size = picture->webp.length},
			 recoloured);
}

static struct step_result fail_none(struct task *task)
{
	return task_fail(task, PROBLEM_PANEL_PICTURE_UNKNOWN, "the panel's picture is not known");
}

static struct step_result picture_found(struct task *task)
{
	struct device_picture *picture = task_state(task);

	/* The picture was replaced, and the panel has not shown the new one yet. */
	if (task_row_count(task) == 0)
		return fail_none(task);
	picture->webp = picture->row.picture;
	return picture_look_is_plain(look_of(picture), picture_panel_size(picture->webp),
				     picture->webp.length)
		   ? export(task)
		   : recolour(task);
}

static struct step_result device_picture_find(struct task *task, const struct view_picture *now)
{
	struct device_picture *picture = task_state(task);
	char *hash = arena_alloc(task_arena(task), 2 * PICTURE_HASH_BYTES + 1);

	picture->filter = (enum color_filter)now->filter;
	picture->webp = delivery_built_in_picture(now->hash, picture->panel);
	if (picture->webp.data)
		return export(task);
	hex_encode(now->hash, PICTURE_HASH_BYTES, hash);
	statement_picture_by_hash(task_new_query(task),
				  &(struct picture_by_hash_parameters){
				      .device_id = task_device(task)->id, .hash = str_from(hash)},
				  &picture->row);
	return task_query(task, picture_found);
}

static struct step_result fail_offline(struct task *task)
{
	return task_fail(task, PROBLEM_PANEL_PICTURE_UNKNOWN,
			 "the panel is offline and shows nothing");
}

static struct step_result viewed(struct task *task)
{
	struct device_picture *picture = task_state(task);
	const struct panel_view *view = delivery_view(&picture->subscriber);
	struct panel_view seen = view ? *view : (struct panel_view){0};
	bool is_dark = seen.brightness == 0;
	struct step_result answer;

	unsubscribe(picture);
	if (!view)
		return task_fail_busy(task, PROBLEM_SERVER_BUSY, 1,
				      "no report of what the panel shows has arrived, try again");
	if (seen.connection == SHOWN_OFFLINE)
		return fail_offline(task);
	if (!is_dark && !seen.now.has_hash)
		return fail_none(task);
	if (is_known(task, is_dark ? NULL : &seen.now, &answer))
		return answer;
	return is_dark ? export(task) : device_picture_find(task, &seen.now);
}

/* ---- the panel ---- */

static void resume(struct device_picture *picture)
{
	if (!picture->is_waiting)
		return;
	picture->is_waiting = false;
	task_resume(picture->task);
}

/* Called during a walk over the subscribers, so none may unsubscribe. */
static void on_view(struct view_subscriber *subscriber)
{
	struct device_picture *picture =
	    container_of(subscriber, struct device_picture, subscriber);

	if (picture->is_waiting)
		deadline_set(loop_of(picture), &picture->deadline, 0);
}

static void on_change(struct view_subscriber *subscriber, enum view_change change)
{
	(void)subscriber;
	(void)change;
}

static void device_picture_on_deadline(struct deadline *deadline)
{
	resume(container_of(deadline, struct device_picture, deadline));
}

static struct step_result device_picture_begin(struct task *task)
{
	struct device_picture *picture = task_state(task);
	const char *fault = picture_request_read(task_request(task), &picture->request);
	const struct device *device = task_device(task);
	int64_t since_us;

	if (fault)
		return task_fail(task, PROBLEM_PARAMETER_INVALID, "%s", fault);
	/* Saves two hints that would remain unanswered. The device counts as once connected: a
	 * panel that polled may have been told to wait for minutes. */
	if (!delivery_is_online(api_delivery(task), device->id, device->last_online_us,
				/* has_connected= */ true, &since_us))
		return fail_offline(task);
	picture->task = task;
	picture->panel = panel_size_of(device->size);
	picture->limit_kb = (uint16_t)(device->picture_limit_bytes / 1000);
	picture->subscriber = (struct view_subscriber){.on_view = on_view, .on_change = on_change};
	deadline_init(&picture->deadline, device_picture_on_deadline);
	if (!delivery_subscribe_view(api_delivery(task), &picture->subscriber, device->id,
				     task_account_id(task)))
		return task_fail_busy(task, PROBLEM_STREAMS_TOO_MANY, 1,
				      "too many panels are being viewed, try again");
	picture->is_subscribed = true;
	if (delivery_view(&picture->subscriber))
		return task_continue(task, viewed);
	picture->is_waiting = true;
	deadline_set(loop_of(picture), &picture->deadline, WAIT_MS);
	return task_wait(task, viewed);
}

static void device_picture_finish(void *state)
{
	struct device_picture *picture = state;

	unsubscribe(picture);
	panelimage_export_free(picture->exporting);
	recolouring_finish(&picture->recolouring);
	free(picture->data);
	if (picture->share)
		memory_budget_leave(picture->share, picture->taken);
}

ENDPOINT_DEVICE_PICTURE(.handler = device_picture_begin,
			.state_size = sizeof(struct device_picture),
			.finish = device_picture_finish);
ENDPOINT_DEVICE_PICTURE_WEBP(.handler = device_picture_begin,
			     .state_size = sizeof(struct device_picture),
			     .finish = device_picture_finish);
ENDPOINT_DEVICE_PICTURE_GIF(.handler = device_picture_begin,
			    .state_size = sizeof(struct device_picture),
			    .finish = device_picture_finish);
ENDPOINT_DEVICE_PICTURE_PNG(.handler = device_picture_begin,
			    .state_size = sizeof(struct device_picture),
			    .finish = device_picture_finish);
