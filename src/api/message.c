#include "base/buffer.h"
#include "base/clock.h"
#include "base/limits.h"
#include "endpoints.h"
#include "push_steps.h"
#include "render/engine.h"

#include <errno.h>

/* POST /v1/devices/{deviceId}/message - shows a text on a device.
 *
 *   begin -> message.star, in the sandbox, makes a picture of it -> drawn -> push_store() -> answer
 *
 * POST /v1/devices/{deviceId}/message/preview - draws its first frame, while a person types it.
 *
 *   begin -> message.star, as a sketch (render/engine.h) -> sketched: answer
 *
 * What the script prints is for this file: "missing CHARACTERS", "long" or "scrolls MILLISECONDS".
 */

enum {
	LONGEST_MS = 45 * 1000, /* longest time of a push */
	NO_RENDERER_RETRY_S = 60,
};

struct messaging {
	struct push_body body; /* first: the pre-handler checks read the request into it */
	struct push push;
	struct engine_job job;
	struct buffer config;
};

extern const struct str message_script;

static void write_member(struct buffer *json, const char *name, struct str value)
{
	buffer_printf(json, "%s\"%s\":", buffer_length(json) > 1 ? "," : "", name);
	json_write_str(json, value);
}

static void write_config(const struct push_message *message, bool is_still, struct buffer *json)
{
	buffer_append_char(json, '{');
	write_member(json, "text", message->text);
	write_member(json, "color", message->color);
	write_member(json, "background", message->background);
	write_member(json, "font", message->font);
	write_member(json, "align", message->align);
	write_member(json, "scroll", message->scroll);
	write_member(json, "icon", message->icon_base64);
	if (is_still)
		write_member(json, "still", STR("true"));
	buffer_append_char(json, '}');
}

static struct step_result fail_problem(struct task *task, const struct messaging *messaging)
{
	const struct engine_answer *answer = &messaging->job.answer;

	switch (answer->problem.kind) {
	case ENGINE_LATE:
	case ENGINE_NOT_AVAILABLE:
	case ENGINE_CANCELLED:
		return task_fail_busy(task, PROBLEM_SERVER_BUSY, 1,
				      "the machine is too busy to draw the text, try again");
	case ENGINE_WRONG_SCRIPT:
		if (messaging->body.message.icon_base64.length)
			return task_fail_field(
			    task, "icon",
			    "is not a PNG, GIF or WebP that can be drawn beside the text");
		break;
	default:
		break;
	}
	return task_fail_field(task, "text", "cannot be drawn: it takes too much time or memory");
}

static struct step_result fail_refused(struct task *task, const struct engine_answer *answer)
{
	struct str why = answer->log;
	const struct str missing = STR("missing ");

	while (why.length && why.data[why.length - 1] == '\n')
		why.length--;
	if (str_starts_with(why, missing))
		return task_fail_field(task, "text",
				       "has characters that are not in the font: %.*s; leave them "
				       "out, or choose another font",
				       STR_ARG(str_from_offset(why, missing.length)));
	return task_fail_field(
	    task, "text",
	    "takes longer than 45 s to scroll in this font: shorten it, or choose a "
	    "smaller font");
}

/* ---- a text to show ---- */

static struct step_result drawn(struct task *task)
{
	struct messaging *messaging = task_state(task);
	struct push *push = &messaging->push;
	const struct engine_answer *answer = &messaging->job.answer;

	if (answer->problem.kind != ENGINE_DONE)
		return fail_problem(task, messaging);
	if (answer->picture.length == 0)
		return fail_refused(task, answer);
	if (answer->cut.length)
		return task_fail_field_as(task, PROBLEM_PICTURE_TOO_LARGE, "text",
					  "makes a picture larger than the device's board accepts: "
					  "shorten it, or leave out the icon");
	push->picture = answer->picture;
	if (messaging->body.duration_s == 0)
		messaging->body.duration_s = push_duration_for(answer->duration_ms);
	push->is_done = push_answer;
	return push_store(task);
}

/* ---- a text that is being typed ---- */

static void write_sketch(void *argument, struct arena *arena, struct buffer *json)
{
	const struct engine_answer *answer = argument;
	struct str log = answer->log, scrolls = STR("scrolls "), line;
	unsigned long long duration_ms = 0;

	(void)arena;
	while (log.length && str_next(&log, '\n', &line)) {
		if (str_starts_with(line, scrolls))
			(void)str_to_uint64(str_from_offset(line, scrolls.length), UINT32_MAX,
					    &duration_ms);
	}
	buffer_append_str(json, STR("{\"picture\":"));
	if (answer->picture.length) {
		buffer_append_char(json, '"');
		buffer_append_base64(json, answer->picture);
		buffer_append_char(json, '"');
	} else {
		buffer_append_str(json, STR("null"));
	}
	buffer_printf(json, ",\"durationMs\":%llu}", duration_ms);
}

static struct step_result sketched(struct task *task)
{
	struct messaging *messaging = task_state(task);
	struct engine_answer *answer = &messaging->job.answer;
	bool is_too_slow = answer->problem.kind == ENGINE_LIMIT;

	if (answer->problem.kind != ENGINE_DONE && !is_too_slow)
		return fail_problem(task, messaging);
	if (answer->picture.length == 0 && !is_too_slow)
		return fail_refused(task, answer);
	return task_reply_written(task, 200, answer->picture.length, write_sketch, answer);
}

/* ---- both ---- */

static void on_done(struct engine_job *job)
{
	task_resume(container_of(job, struct messaging, job)->push.task);
}

static struct step_result submit(struct task *task, struct messaging *messaging, task_step *next)
{
	struct engines *engines = api_service(task)->engines;
	unsigned retry_after_s = 1;
	const char *why_not;

	if (!engines_has(engines, ENGINE_STARLARK, &why_not))
		return task_fail_busy(task, PROBLEM_TEXTS_UNAVAILABLE, NO_RENDERER_RETRY_S,
				      "texts cannot be drawn: %s", why_not);
	switch (engines_submit(engines, &messaging->job, &retry_after_s)) {
	case 0:
		return task_wait(task, next);
	case -ENOTSUP:
		return task_fail_busy(task, PROBLEM_TEXTS_UNAVAILABLE, NO_RENDERER_RETRY_S,
				      "texts cannot be drawn: their renderer crashed too often");
	case -EDQUOT:
		return task_fail_busy(task, PROBLEM_SERVER_BUSY, retry_after_s,
				      "too many texts of this account are being drawn, try again");
	default:
		return task_fail_busy(task, PROBLEM_SERVER_BUSY, retry_after_s,
				      "too many texts are being drawn, try again");
	}
}

static struct step_result draw(struct task *task, bool is_sketch)
{
	struct messaging *messaging = task_state(task);

	push_begin(task, &messaging->push, &messaging->body);
	write_config(&messaging->body.message, is_sketch, &messaging->config);
	messaging->job = (struct engine_job){
	    .account = task_account_id(task),
	    .what = ENGINE_PICTURE,
	    .language = ENGINE_STARLARK,
	    .script = message_script,
	    .scope = STR("message"),
	    .config = buffer_view(&messaging->config),
	    .now_ms = clock_wall_us() / 1000,
	    .max_duration_ms = LONGEST_MS,
	    .max_bytes = (size_t)task_device(task)->picture_limit_bytes,
	    .is_doubled = panel_size_of(task_device(task)->size) == PANEL_SIZE_128X64,
	    .is_message = true,
	    .is_sketch = is_sketch,
	    .done = on_done,
	};
	return submit(task, messaging, is_sketch ? sketched : drawn);
}

static struct step_result message_begin(struct task *task)
{
	struct step_result answer;

	return push_lacks_disk(task, &answer) ? answer : draw(task, false);
}

static struct step_result message_preview_begin(struct task *task)
{
	return draw(task, true);
}

static void message_finish(void *state)
{
	struct messaging *messaging = state;

	engine_job_finish(&messaging->job);
	buffer_finish(&messaging->config);
}

ENDPOINT_MESSAGE(.handler = message_begin, .state_size = sizeof(struct messaging),
		 .refused = push_refused, .finish = message_finish, .count = push_count);
ENDPOINT_MESSAGE_PREVIEW(.handler = message_preview_begin, .state_size = sizeof(struct messaging),
			 .finish = message_finish);
