/* Work of tasks on worker threads. */
#include "base/limits.h"
#include "task_private.h"

#include <errno.h>

static bool on_job(struct lane_job *job)
{
	struct task *task = container_of(job, struct task, job);

	return task->work(task->work_argument);
}

static bool is_job_abandoned(struct lane_job *job)
{
	return task_is_abandoned(container_of(job, struct task, job));
}

static void on_job_done(struct lane_job *job)
{
	struct task *task = container_of(job, struct task, job);

	task_resume(task);
}

static struct step_result refuse_job(struct task *task, enum lane lane, int error,
				     unsigned retry_after_s)
{
	if (lane == LANE_PASSWORD || lane == LANE_KNOWN_PASSWORD)
		return task_fail_busy(task, PROBLEM_SERVER_BUSY, retry_after_s,
				      "too many passwords are being checked, try again");
	if (task->is_text_work)
		return task_fail_busy(
		    task, PROBLEM_SERVER_BUSY, retry_after_s,
		    error == -EDQUOT || error == -ETIME
			? "too many large texts of this account are waiting, try again"
			: "too many large texts are being processed, try again");
	switch (error) {
	case -EDQUOT:
		return task_fail_busy(task, PROBLEM_SERVER_BUSY, retry_after_s,
				      "too many images of this account are waiting, try again");
	case -ETIME:
		return task_fail_busy(task, PROBLEM_SERVER_BUSY, retry_after_s,
				      "the image would wait behind others of this account for more "
				      "than %d s, try again",
				      LIMIT_LANE_WAIT_MS / 1000);
	default:
		return task_fail_busy(task, PROBLEM_SERVER_BUSY, retry_after_s,
				      "too many images are being converted, try again");
	}
}

struct step_result task_work(struct task *task, enum lane lane, const struct task_work *work,
			     task_step *next)
{
	unsigned retry_after_s;
	int error;

	task->job = (struct lane_job){
	    .account = id_is_none(work->share) ? task->account_id : work->share,
	    .network = work->network,
	    .size = work->size,
	    .goes_on = work->goes_on,
	    .run = on_job,
	    .is_abandoned = is_job_abandoned,
	    .done = on_job_done,
	};
	task->work = work->run;
	task->work_argument = work->argument;
	task->is_text_work = work->is_text;
	error = lanes_submit(task->service->loop, lane, &task->job, &retry_after_s);
	if (error)
		return refuse_job(task, lane, error, retry_after_s);
	return task_wait(task, next);
}

uint64_t task_work_cpu_us(const struct task *task)
{
	return lane_job_cpu_us(&task->job);
}
