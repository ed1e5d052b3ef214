#include "survey.h"
#include "base/require.h"

#include <stdlib.h>

enum {
	FRESH_MS = 1000,
	LATE_MS = HOSTS_EACH_MS + 1000, /* names may take longer than servers */
};

struct survey_job {
	uv_work_t work;
	struct survey *survey; /* NULL: nobody waits any more */
	struct hosts *hosts;   /* the thread's own */
	bool is_found;
};

static void wake_all(struct survey *survey)
{
	struct list *node;

	while ((node = list_take_first(&survey->waiting))) {
		struct survey_wait *wait = container_of(node, struct survey_wait, node);

		wait->done(wait);
	}
}

static void forget_job(struct survey *survey)
{
	deadline_clear(survey->loop, &survey->late);
	if (survey->job)
		survey->job->survey = NULL;
	survey->job = NULL;
}

static void work(uv_work_t *work)
{
	struct survey_job *job = container_of(work, struct survey_job, work);
	struct timeline ignored;

	job->is_found = hosts_ask(job->hosts, &ignored);
}

static void on_worked(uv_work_t *work, int status)
{
	struct survey_job *job = container_of(work, struct survey_job, work);
	struct survey *survey = job->survey;

	if (survey) {
		forget_job(survey);
		if (status == 0 && job->is_found) {
			hosts_put_first(survey->hosts, hosts_first_turn(job->hosts).first);
			survey->found_ms = loop_now_ms(survey->loop);
		}
	}
	hosts_destroy(job->hosts);
	free(job);
	if (survey)
		wake_all(survey);
}

static void on_late(struct deadline *deadline)
{
	struct survey *survey = container_of(deadline, struct survey, late);

	forget_job(survey);
	wake_all(survey);
}

static bool is_needed(const struct survey *survey, bool is_further)
{
	if (!hosts_are_fenced(survey->hosts) || (is_further && survey->up_count))
		return false;
	return !survey->found_ms || loop_now_ms(survey->loop) - survey->found_ms > FRESH_MS;
}

static void survey_begin(struct survey *survey)
{
	struct survey_job *job = memory_zalloc(sizeof(*job));

	job->survey = survey;
	job->hosts = hosts_copy(survey->hosts);
	if (uv_queue_work(&survey->loop->uv, &job->work, work, on_worked) < 0) {
		hosts_destroy(job->hosts);
		free(job);
		wake_all(survey);
		return;
	}
	survey->job = job;
	deadline_set(survey->loop, &survey->late, LATE_MS);
}

void survey_init(struct survey *survey, struct loop *loop, struct hosts *hosts)
{
	survey->loop = loop;
	survey->hosts = hosts;
	list_init(&survey->waiting);
	deadline_init(&survey->late, on_late);
}

void survey_count(struct survey *survey, bool was_up, bool is_up)
{
	if (survey)
		survey->up_count += (unsigned)is_up - (unsigned)was_up;
}

void survey_join(struct survey *survey, struct survey_wait *wait, bool is_further)
{
	if (!survey || !is_needed(survey, is_further)) {
		wait->done(wait);
		return;
	}
	list_append(&survey->waiting, &wait->node);
	if (!survey->job)
		survey_begin(survey);
}

bool survey_leave(struct survey_wait *wait)
{
	if (!list_is_linked(&wait->node))
		return false;
	list_remove(&wait->node);
	return true;
}

void survey_close(struct survey *survey)
{
	require(list_is_empty(&survey->waiting));
	forget_job(survey);
}
