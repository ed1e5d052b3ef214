#include "api/still_cache.h"
#include "base/limits.h"
#include "db/storage.h"
#include "delivery/picture_size.h"
#include "endpoints.h"
#include "metric/metric.h"
#include "push_steps.h"

/* A person has to make room. */
enum { FULL_DISK_RETRY_S = 30 };

#define NO_MEMORY "no memory is left to convert the image, try again"

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
	push->job.takes_wide = push->takes_wide || push->body->is_fitted;
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

bool push_image_fails(struct task *task, struct step_result *ret_answer)
{
	const struct push *push = *task_helper(task);
	const struct image_job *job = &push->job;

	if (job->has_failed && job->error.out_of_memory) {
		*ret_answer = task_fail_busy(task, PROBLEM_MEMORY_FULL, 1, "%s", NO_MEMORY);
		return true;
	}
	if (job->has_failed)
		faults_add(task_faults(task), STR("image"), "%s", job->error.text);
	if (task_faults(task)->count == 0)
		return false;
	*ret_answer = job->has_failed && job->error.is_too_large && task_faults(task)->count == 1
			  ? task_fail_faults_as(task, PROBLEM_PICTURE_TOO_LARGE)
			  : task_fail_faults(task);
	return true;
}

/* ---- the size of the panel ---- */

static struct step_result push_adapt_fail(struct task *task, struct push_problem problem)
{
	struct push *push = *task_helper(task);

	push->problem = problem;
	return task_continue(task, push->is_adapted);
}

static struct step_result fail_adapting(struct task *task)
{
	return push_adapt_fail(task,
			       (struct push_problem){PROBLEM_MEMORY_FULL, NULL, STR(NO_MEMORY), 1});
}

/* Ends with the problem if the device's board does not take so many bytes. */
static struct step_result use(struct task *task, struct str picture)
{
	struct push *push = *task_helper(task);
	const struct device *device = task_device(task);

	push->picture = picture;
	if ((int64_t)picture.length <= device->picture_limit_bytes)
		return task_continue(task, push->is_adapted);
	return push_adapt_fail(
	    task, (struct push_problem){
		      PROBLEM_PICTURE_TOO_LARGE, "image",
		      arena_printf(task_arena(task),
				   "has %zu bytes as a WebP, maximum %lld for the device's board",
				   picture.length, (long long)device->picture_limit_bytes),
		      0});
}

static struct step_result adapted(struct task *task)
{
	struct push *push = *task_helper(task);

	return push->adapted.has_failed ? fail_adapting(task)
					: use(task, recolouring_result(&push->adapted));
}

static bool adapt_step(void *argument)
{
	return recolouring_step(argument);
}

struct step_result push_adapt(struct task *task)
{
	struct push *push = *task_helper(task);
	struct str own = {(const char *)push->job.result.data, push->job.result.size};
	enum panel_size panel = panel_size_of(task_device(task)->size);
	enum panel_size size = picture_panel_size(own);

	push->problem = (struct push_problem){0};
	if (panel == size)
		return use(task, own);
	if (size == PANEL_SIZE_128X64 && !push->body->is_fitted)
		return push_adapt_fail(task, (struct push_problem){PROBLEM_BODY_INVALID, "image",
								   STR(IMAGE_TOO_WIDE), 0});
	if (push->is_adapting)
		return adapted(task);
	if (push->job.result.info.animated && !image_job_take_animation(&push->job))
		return fail_adapting(task);
	push->is_adapting = true;
	push->adapted = (struct recolouring){.webp = own, .look = {.size = (uint8_t)panel}};
	return task_work(
	    task, recolouring_lane(&push->adapted),
	    &(struct task_work){.run = adapt_step, .argument = &push->adapted, .size = own.length},
	    adapted);
}

void push_finish(struct push *push)
{
	recolouring_finish(&push->adapted);
	image_job_finish(&push->job);
}
