#include "api/still_cache.h"
#include "base/limits.h"
#include "db/storage.h"
#include "endpoints.h"
#include "metric/metric.h"
#include "push_steps.h"

/* A person has to make room. */
enum { FULL_DISK_RETRY_S = 30 };

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

	/* Stills are kept by what was sent: bytes that are base64 must not find that of a text. */
	if (job->is_raw && panelimage_detect(job->bytes, job->size) == PANELIMAGE_FORMAT_UNKNOWN)
		return false;
	job->is_quick = lanes_have_waiting(api_service(task)->service.loop, LANE_SHORT);
	found = still_cache_find(api_service(task)->stills, task_account_id(task), job->base64,
				 job->is_quick);
	return found && image_job_reuse(job, found);
}

static struct step_result ready(struct task *task)
{
	struct push *push = *task_helper(task);
	const struct panelimage_result *result = &push->job.result;

	push->picture = (struct str){(const char *)result->data, result->size};
	count_image(task, push);
	keep_still(task, push);
	return task_continue(task, push->is_converted);
}

static struct step_result fail_memory(struct task *task)
{
	return task_fail_busy(task, PROBLEM_MEMORY_FULL, 1,
			      "the images being converted take too much memory, try again");
}

static struct step_result looked_at(struct task *task)
{
	struct push *push = *task_helper(task);

	if (push->job.is_converted)
		return task_continue(task, ready);
	push->looked_us = task_work_cpu_us(task);
	if (!image_job_take_animation(&push->job))
		return fail_memory(task);
	return task_work(task, LANE_LONG,
			 &(struct task_work){.run = image_job_convert,
					     .argument = &push->job,
					     .size = push->job.size},
			 ready);
}

void push_begin(struct task *task, struct push *push, struct push_body *body)
{
	*task_helper(task) = push;
	push->task = task;
	push->body = body;
}

bool push_lacks_disk(struct task *task, struct step_result *ret_answer)
{
	if (storage_takes_pictures(db_storage(api_service(task)->service.db)))
		return false;
	*ret_answer = task_fail_busy(task, PROBLEM_STORAGE_FULL, FULL_DISK_RETRY_S, "%s",
				     STORAGE_PICTURE_PROBLEM);
	return true;
}

static bool begin_job(struct push *push)
{
	const struct push_body *body = push->body;

	return push->raw.data ? image_job_init_raw(&push->job, push->raw_type, push->raw)
			      : image_job_init(&push->job, body->media_type, body->base64);
}

struct step_result push_convert(struct task *task)
{
	struct push *push = *task_helper(task);
	struct step_result answer;

	if (!push->body->base64.data)
		return task_fail_faults(task);
	if (push_lacks_disk(task, &answer))
		return answer;
	if (!begin_job(push))
		return task_continue(task, ready);
	push->job.max_bytes = push->max_bytes;
	if (!image_job_take_memory(&push->job, &api_service(task)->images, task_account_id(task),
				   task_arena(task)))
		return fail_memory(task);
	if (find_still(task, push))
		return task_continue(task, ready);
	return task_work(task, LANE_SHORT,
			 &(struct task_work){.run = image_job_begin,
					     .argument = &push->job,
					     .size = push->job.base64.length},
			 looked_at);
}

static struct str too_large(struct task *task, const struct push *push, const struct device *device)
{
	return arena_printf(task_arena(task),
			    "has %zu bytes as a WebP, maximum %lld for the device's board",
			    push->picture.length, (long long)device->picture_limit_bytes);
}

static bool fits(const struct push *push, const struct device *device)
{
	return (int64_t)push->picture.length <= device->picture_limit_bytes;
}

bool push_fits(struct task *task, const struct device *device)
{
	struct push *push = *task_helper(task);

	if (fits(push, device))
		return true;
	push->problem = (struct push_problem){PROBLEM_PICTURE_TOO_LARGE, "image",
					      too_large(task, push, device), 0};
	return false;
}

bool push_image_fails(struct task *task, const struct device *device,
		      struct step_result *ret_answer)
{
	const struct push *push = *task_helper(task);
	bool is_too_large =
	    push->job.has_failed ? push->job.error.is_too_large : device && !fits(push, device);

	if (push->job.has_failed && push->job.error.out_of_memory) {
		*ret_answer = task_fail_busy(task, PROBLEM_MEMORY_FULL, 1,
					     "no memory is left to convert the image, try again");
		return true;
	}
	if (push->job.has_failed)
		faults_add(task_faults(task), STR("image"), "%s", push->job.error.text);
	else if (device && !fits(push, device))
		faults_add(task_faults(task), STR("image"), "%.*s",
			   STR_ARG(too_large(task, push, device)));
	if (task_faults(task)->count == 0)
		return false;
	*ret_answer = is_too_large && task_faults(task)->count == 1
			  ? task_fail_faults_as(task, PROBLEM_PICTURE_TOO_LARGE)
			  : task_fail_faults(task);
	return true;
}

void push_finish(struct push *push)
{
	image_job_finish(&push->job);
}
