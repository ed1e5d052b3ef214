#include "domain/push.h"
#include "api/still_cache.h"
#include "base/clock.h"
#include "base/limits.h"
#include "db/storage.h"
#include "delivery/delivery.h"
#include "endpoints.h"
#include "image_job.h"
#include "metric/metric.h"
#include "push_shown.h"

/* POST /v1/devices/{deviceId}/push - shows an image on a device.
 * POST /v0/devices/{deviceId}/push - the same for the bodies that /v0 has.
 *
 *   prologue: key -> body -> device -> begin
 *                                        | short lane: decode base64, detect the format, if it is
 *                                        | no still that was just pushed
 *                                      looked_at --------.
 *                                        | long lane     | a still: converted on the short lane
 *                                      converted <-------'
 *                                        | database: store, take the next generation; if entries
 *                                        | of the device have expired, or the account has no room
 *                                        | and some of it have, remove those and store again
 *                                      stored -> show it on this worker's panel
 *                                        | wait until a push stored just before it was answered
 *                                      answer -> tell the other workers, 200 */

/* Somebody has to make room. */
enum { FULL_DISK_RETRY_S = 30 };

/* Limit of attempts while entries expire. */
enum { STORE_TRIES = 8 };

struct push {
	struct push_body body; /* first: the prologue reads the request into it */
	struct image_job job;
	struct task *task;
	struct push_turn turn;
	struct push_stored stored;
	struct device_expire_row expired;
	unsigned tries;
	struct account_room room; /* if there is none */
	uint64_t looked_us;	  /* CPU time on the short lane, if the long lane has the rest */
};

static struct verdict answer(struct task *task)
{
	const struct push *push = task_state(task);

	api_tell_shown(task, &push->body, &push->stored);
	delivery_push_answered(api_delivery(task), task_device(task)->id, push->stored.generation);
	return task_reply_empty(task, 200);
}

static void on_turn(struct push_turn *turn)
{
	task_resume(container_of(turn, struct push, turn)->task);
}

/* Shows the push on this worker's panel before the answer is sent. */
static void show(struct task *task)
{
	const struct push *push = task_state(task);
	const struct panelimage_result *result = &push->job.result;
	struct stored_push stored = {
	    .generation = push->stored.generation,
	    .picture = {(const char *)result->data, result->size},
	    .duration_s = push->body.duration_s,
	    .expires_in_ms = push->body.expires_in_s * 1000,
	    .is_held = push->body.is_held,
	    .is_waking = push->body.is_waking,
	    .in_background = push->body.in_background,
	};

	if (push->body.is_installation)
		stored.installation_id = push->body.installation_id;
	delivery_push_stored(api_delivery(task), task_device(task)->id, &stored);
}

static struct verdict fail_full(struct task *task)
{
	const struct push *push = task_state(task);

	return api_fail_account_bytes(task, &push->room);
}

static struct verdict store(struct task *task);

static struct verdict expired(struct task *task)
{
	const struct push *push = task_state(task);

	if (task_row_count(task))
		delivery_device_changed(api_delivery(task), task_device(task)->id,
					push->expired.generation);
	return store(task);
}

/* Expired entries count no more for the device's limit, and their IDs are free. */
static struct verdict expire(struct task *task)
{
	struct push *push = task_state(task);

	if (++push->tries == STORE_TRIES)
		return task_fail_busy(task, 1, "entries expire all the time, try again");
	statement_device_expire(task_new_query(task),
				&(struct device_expire_parameters){task_device(task)->id},
				&push->expired);
	return task_query(task, expired);
}

static struct verdict made_room(struct task *task)
{
	struct push *push = task_state(task);

	return api_account_room_was_made(task, &push->room)
		   ? store(task)
		   : api_ask_account_bytes(task, &push->room, fail_full);
}

static struct verdict stored(struct task *task)
{
	struct push *push = task_state(task);
	struct delivery *delivery = api_delivery(task);
	struct id device_id = task_device(task)->id;

	if (task_row_count(task) == 0)
		return task_fail(task, 404, "there is no such device");
	if (push->stored.has_expired)
		return expire(task);
	if (push->stored.is_full)
		return api_make_account_room(task, &push->room, made_room);
	if (!push->stored.is_stored)
		return task_fail_field(task, push->body.id_member,
				       "is the ID of an app's installation on this device");
	byte_grants_stored(&api_service(task)->byte_grants, task_account_id(task),
			   (int64_t)push->job.result.size, &push->stored, clock_monotonic_ms());
	show(task);
	push->task = task;
	push->turn.come = on_turn;
	if (!push->stored.is_close || delivery_push_is_next(delivery, &push->turn, device_id,
							    push->stored.previous_generation))
		return task_continue(task, answer);
	/* Panels of other workers show it, too, before its answer's turn has come. */
	delivery_device_changed(delivery, device_id, push->stored.generation);
	return task_wait(task, answer);
}

static struct verdict store(struct task *task)
{
	struct push *push = task_state(task);
	const struct panelimage_result *result = &push->job.result;
	struct str picture = {(const char *)result->data, result->size};
	struct db_query *query = task_new_query(task);
	struct id device_id = task_device(task)->id;
	struct byte_grant grant = byte_grants_find(&api_service(task)->byte_grants,
						   task_account_id(task), clock_monotonic_ms());

	if (push->body.is_installation)
		statement_push_store_installation(
		    query,
		    &(struct push_store_installation_parameters){
			.device_id = device_id,
			.id = push->body.installation_id,
			.picture = picture,
			.in_background = push->body.in_background,
			.expires_in_s = (int32_t)push->body.expires_in_s,
			.is_held = push->body.is_held,
			.is_waking = push->body.is_waking,
			.granted_bytes = grant.bytes,
			.granted_limit = grant.limit,
		    },
		    &push->stored);
	else
		statement_push_store_temporary(query,
					       &(struct push_store_temporary_parameters){
						   .device_id = device_id,
						   .picture = picture,
						   .duration_s = (int32_t)push->body.duration_s,
						   .is_held = push->body.is_held,
						   .is_waking = push->body.is_waking,
						   .granted_bytes = grant.bytes,
						   .granted_limit = grant.limit,
					       },
					       &push->stored);
	return task_query(task, stored);
}

static void count_image(struct task *task, const struct push *push)
{
	static const unsigned formats[] = {
	    [PANELIMAGE_FORMAT_UNKNOWN] = METRIC_IMAGE_UNKNOWN,
	    [PANELIMAGE_FORMAT_PNG] = METRIC_IMAGE_PNG,
	    [PANELIMAGE_FORMAT_GIF] = METRIC_IMAGE_GIF,
	    [PANELIMAGE_FORMAT_WEBP] = METRIC_IMAGE_WEBP,
	};
	const struct image_job *job = &push->job;

	if (job->is_decoded)
		metric_observe(METRIC_IMAGE_CONVERSION,
			       formats[panelimage_detect(job->bytes, job->size)],
			       push->looked_us + task_work_cpu_us(task));
}

static void keep_still(struct task *task, const struct push *push)
{
	const struct image_job *job = &push->job;

	if (job->is_decoded && !job->has_failed)
		still_cache_keep(api_service(task)->stills, task_account_id(task), job->base64,
				 &job->result, job->is_quick);
}

/* Whether the account pushed the same still a moment ago. */
static bool find_still(struct task *task, struct push *push)
{
	struct image_job *job = &push->job;
	const struct panelimage_result *found;

	job->is_quick = lanes_have_waiting(api_service(task)->service.loop, LANE_SHORT);
	found = still_cache_find(api_service(task)->stills, task_account_id(task), job->base64,
				 job->is_quick);
	return found && image_job_reuse(job, found);
}

static struct verdict converted(struct task *task)
{
	struct push *push = task_state(task);
	const struct panelimage_result *result = &push->job.result;

	count_image(task, push);
	keep_still(task, push);
	if (push->job.has_failed && push->job.error.out_of_memory)
		return task_fail_busy(task, 1, "no memory is left to convert the image, try again");
	if (push->job.has_failed)
		faults_add(task_faults(task), STR("image"), "%s", push->job.error.text);
	else if ((int64_t)result->size > task_device(task)->picture_limit_bytes)
		faults_add(task_faults(task), STR("image"),
			   "takes %zu bytes as a WebP, and the device's board takes %lld",
			   result->size, (long long)task_device(task)->picture_limit_bytes);
	if (task_faults(task)->count)
		return task_fail_faults(task);
	return store(task);
}

static struct verdict fail_memory(struct task *task)
{
	return task_fail_busy(task, 1,
			      "the images that are being converted take too much memory, try "
			      "again");
}

static struct verdict looked_at(struct task *task)
{
	struct push *push = task_state(task);

	if (push->job.is_converted)
		return task_continue(task, converted);
	push->looked_us = task_work_cpu_us(task);
	if (!image_job_take_animation(&push->job))
		return fail_memory(task);
	return task_work(task, LANE_LONG,
			 &(struct task_work){.run = image_job_convert,
					     .argument = &push->job,
					     .size = push->job.size},
			 converted);
}

static struct verdict begin(struct task *task)
{
	struct push *push = task_state(task);

	if (!push->body.base64.data)
		return task_fail_faults(task);
	if (push->body.is_held)
		push->body.duration_s = task_device(task)->schedule_interval_s;
	if (!storage_takes_pictures(db_storage(api_service(task)->service.db)))
		return task_fail_busy(task, FULL_DISK_RETRY_S, "%s", STORAGE_PICTURE_PROBLEM);
	if (!image_job_init(&push->job, push->body.media_type, push->body.base64))
		return task_continue(task, converted);
	if (!image_job_take_memory(&push->job, &api_service(task)->images, task_account_id(task),
				   task_arena(task)))
		return fail_memory(task);
	if (find_still(task, push))
		return task_continue(task, converted);
	return task_work(task, LANE_SHORT,
			 &(struct task_work){.run = image_job_begin,
					     .argument = &push->job,
					     .size = push->job.base64.length},
			 looked_at);
}

static struct verdict refused(struct task *task)
{
	const struct push *push = task_state(task);

	if (task_refusal(task) != REFUSAL_TOO_MANY_INSTALLATIONS)
		return task_fail_refusal(task);
	return task_fail_field(task, push->body.id_member,
			       "is one too many: the device has %d entries already",
			       LIMIT_DEVICE_INSTALLATIONS);
}

static void finish(void *state)
{
	struct push *push = state;

	image_job_finish(&push->job);
}

static void count(int status)
{
	enum metric_push_result result = METRIC_PUSH_FAILED;

	switch (status) {
	case 200:
		result = METRIC_PUSH_STORED;
		break;
	case 401:
	case 403:
	case 404:
		result = METRIC_PUSH_FORBIDDEN;
		break;
	case 429:
		result = METRIC_PUSH_LIMITED;
		break;
	case 499:
		result = METRIC_PUSH_ABANDONED;
		break;
	case 503:
		result = METRIC_PUSH_BUSY;
		break;
	default:
		if (status < 500)
			result = METRIC_PUSH_REFUSED;
	}
	metric_add(METRIC_PUSHES, result, 1);
}

const struct endpoint endpoint_push = {
    .handler = begin,
    .state_size = sizeof(struct push),
    .handles_faults = true,
    .refused = refused,
    .finish = finish,
    .count = count,
    ENDPOINT_PUSH,
};

const struct endpoint endpoint_v0_push = {
    .handler = begin,
    .state_size = sizeof(struct push),
    .handles_faults = true,
    .refused = refused,
    .finish = finish,
    .count = count,
    ENDPOINT_V0_PUSH,
};
