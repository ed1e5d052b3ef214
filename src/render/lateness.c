#include "lateness.h"
#include "base/clock.h"
#include "metric/metric.h"

enum {
	FORGET_PART = 8, /* this part of the noted times is forgotten each second */
	/* Renderers keep the higher priority for so long after they needed it last. */
	HURRY_MS = 30 * 1000,
	/* Percent of its turns that a process must have computed to need no higher priority; and to
	 * lose it. */
	ENOUGH_PERCENT = 50,
	PLENTY_PERCENT = 90,
};

void lateness_note(struct lateness *lateness, uint64_t cpu_us, uint64_t held_us)
{
	lateness->cpu_us += cpu_us;
	lateness->held_us += held_us;
}

/* Returns for how long the oldest job's turn has begun; 0: none has. */
static int64_t oldest_s(const struct render_jobs *jobs, int64_t now_s)
{
	struct map_node *node = NULL;
	int64_t late_s = 0;

	while ((node = map_next(&jobs->by_render_key, node))) {
		const struct render_job *job = container_of(node, struct render_job, by_render_key);

		if (now_s - job->app.moment_s > late_s)
			late_s = now_s - job->app.moment_s;
	}
	return late_s;
}

/* Whether processes had a turn, but not the processor. If no run has ended, that is so, too. */
static bool lacks_processors(const struct lateness *lateness, bool is_hurried)
{
	uint64_t percent = is_hurried ? PLENTY_PERCENT : ENOUGH_PERCENT;

	return lateness->cpu_us * 100 <= lateness->held_us * percent;
}

void lateness_tell(struct lateness *lateness, const struct render_jobs *jobs, int64_t now_s,
		   struct render_health *health)
{
	uint64_t now_ms = clock_monotonic_ms();
	int64_t late_s = oldest_s(jobs, now_s);

	metric_set(METRIC_RENDER_LATENESS, 0, late_s * 1000 * 1000);
	if (late_s >= LATENESS_LEAST_S &&
	    lacks_processors(lateness, render_health_is_hurried(health, now_ms)))
		render_health_hurry(health, now_ms + HURRY_MS);
	lateness->cpu_us -= lateness->cpu_us / FORGET_PART;
	lateness->held_us -= lateness->held_us / FORGET_PART;
}
