/* Render jobs: render keys that are to be rendered, each once, or once for each moment if that is
 * part of what is shown. They wait in a queue in which the accounts take turns, each for
 * RENDER_JOBS_OF_ACCOUNT_MAX at a time: further ones of an account wait until one of those has
 * ended, so that scripts that take long leave the engines to others. A render job stays until its
 * render has ended, so that a render key is not wanted twice; but one that nobody has repeated for
 * RENDER_JOB_MS while it waits is dropped: its panels have gone, or show something else. */
#pragma once

#include "base/map.h"
#include "delivery/upcoming.h"
#include "loop/fair_queue.h"

/* Render jobs of an account under way: one in an engine, others whose scripts wait for the network,
 * and others whose lease or picture is on its way to the database and back. */
enum {
	RENDER_JOBS_OF_ACCOUNT_MAX = 10,
	RENDER_JOB_MS = 30 * 1000,
	RENDER_JOB_KEY_BYTES = RENDER_KEY_BYTES + sizeof(int64_t),
};

struct render_jobs {
	struct map by_render_key;
	struct map by_account;
	struct fair_queue queue;
	unsigned count; /* those under way included */
	unsigned max;
};

struct render_job {
	struct map_node by_render_key;
	uint8_t key[RENDER_JOB_KEY_BYTES]; /* the render key, and the moment if it counts */
	struct list node;		   /* in the queue or the account's list, while it waits */
	struct upcoming_app app;
	struct render_account *account;
	uint64_t asked_ms; /* for the last time */
	bool is_under_way;
};

void render_jobs_init(struct render_jobs *jobs, unsigned max);
/* Drops what waits. Nothing is under way. */
void render_jobs_finish(struct render_jobs *jobs);

/* The render key is wanted: it is now, or was before; while it waits, the version is the last one
 * that was wanted. now_ms: loop time. False: there is no room. An account may have as many as it
 * leaves for others: one alone half of all, two a third each. */
bool render_jobs_add(struct render_jobs *jobs, const struct upcoming_app *app, uint64_t now_ms);
/* The next one, which is the caller's until render_job_end(); NULL: none waits, or only for others
 * of their account. */
struct render_job *render_jobs_take(struct render_jobs *jobs, uint64_t now_ms);
void render_job_end(struct render_jobs *jobs, struct render_job *job);
