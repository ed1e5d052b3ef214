/* Render jobs: render keys to be rendered, each once, or once for each moment if the picture
 * depends on it. They wait in a queue in which the accounts take turns, each for
 * RENDER_JOBS_OF_ACCOUNT_MAX at a time: further ones of an account wait until one of those has
 * ended, so that slow scripts leave the engines to others. Of those that wait for it, first renders
 * of a version come first: a deployed version is on all panels soon, even if the engines do not
 * keep up with the others. A render job stays until its render has ended, so that a render key has
 * only one. A waiting job that was not demanded again for RENDER_JOB_MS is dropped: its panels are
 * gone, or show something else. */
#pragma once

#include "base/map.h"
#include "delivery/upcoming.h"
#include "loop/fair_queue.h"

/* Render jobs of an account under way: one in an engine, others whose scripts wait for the network,
 * and others that wait for the database. */
enum {
	RENDER_JOBS_OF_ACCOUNT_MAX = 20,
	/* Limit for all accounts: a few with slow scripts must not have all engines. */
	RENDER_JOBS_UNDER_WAY_MAX = 4 * RENDER_JOBS_OF_ACCOUNT_MAX,
	RENDER_JOB_MS = 30 * 1000,
	RENDER_JOB_KEY_BYTES = RENDER_KEY_BYTES + sizeof(int64_t),
};

struct render_jobs {
	struct map by_render_key;
	struct map by_account;
	struct fair_queue queue;
	unsigned count; /* including those under way */
	unsigned max;
	unsigned under_way;
};

struct render_job {
	struct map_node by_render_key;
	uint8_t key[RENDER_JOB_KEY_BYTES]; /* render key, and the moment if the picture depends on
					      it */
	struct list node;		   /* in the queue or the account's list, while it waits */
	struct upcoming_app app;
	struct render_account *account;
	uint64_t asked_ms; /* time of the last demand */
	bool has_turn;	   /* it is in the queue, or under way */
	bool is_under_way;
};

void render_jobs_init(struct render_jobs *jobs, unsigned max);
/* Drops waiting jobs. None may be under way. */
void render_jobs_finish(struct render_jobs *jobs);

/* Adds a job for the render key, unless there is one; a waiting job gets the latest version.
 * now_ms: loop time. Returns false if there is no room. An account may have as many as it leaves to
 * others: a single one half of all, two a third each. */
bool render_jobs_add(struct render_jobs *jobs, const struct upcoming_app *app, uint64_t now_ms);
/* Takes the next job, which is under way and belongs to the caller until render_job_end(). NULL:
 * none waits, or only for others of their account, or RENDER_JOBS_UNDER_WAY_MAX are under way. */
struct render_job *render_jobs_take(struct render_jobs *jobs, uint64_t now_ms);
void render_job_end(struct render_jobs *jobs, struct render_job *job);
