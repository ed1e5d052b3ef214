#include "tls_lane.h"
#include "base/limits.h"
#include "base/require.h"
#include "loop/lanes.h"
#include "tls_scene.h"

#include <errno.h>
#include <semaphore.h>

static sem_t gate;
static bool is_held;
/* Jobs: one running, the waiting ones, and one more. */
static struct lane_job jobs[LIMIT_HANDSHAKE_JOBS + 2];
static unsigned job_count;

static bool wait_at_the_gate(struct lane_job *job)
{
	(void)job;
	while (sem_wait(&gate))
		require(errno == EINTR);
	return false;
}

static bool do_nothing(struct lane_job *job)
{
	(void)job;
	return false;
}

static void forget(struct lane_job *job)
{
	(void)job;
}

static void add(bool (*run)(struct lane_job *job))
{
	struct lane_job *job = &jobs[job_count++];
	unsigned retry_after_s;

	assert_true(job_count <= array_length(jobs));
	*job = (struct lane_job){.size = 1, .run = run, .done = forget};
	memcpy(job->account.bytes, &job_count, sizeof(job_count));
	assert_int_equal(lanes_submit(&tls_scene.loop, LANE_HANDSHAKE, job, &retry_after_s), 0);
}

void tls_lane_hold(void)
{
	sem_init(&gate, 0, 0);
	is_held = true;
	job_count = 0;
	add(wait_at_the_gate);
}

void tls_lane_add(void)
{
	add(do_nothing);
}

void tls_lane_fill(unsigned load)
{
	while (lanes_load(&tls_scene.loop, LANE_HANDSHAKE) < load)
		tls_lane_add();
}

void tls_lane_release(void)
{
	sem_post(&gate);
	is_held = false;
	while (lanes_load(&tls_scene.loop, LANE_HANDSHAKE) > 0)
		tls_scene_turn();
	sem_destroy(&gate);
}

int tls_lane_close(void **state)
{
	if (is_held)
		tls_lane_release();
	return tls_scene_close(state);
}
