/* Run of a render job: lease, script, store.
 *
 *   LEASE --leased--> ENGINE --answered--> STORE ----.
 *     |                  |                            |
 *     |                  `--refused, or given up--> LET GO
 *     |                                               |
 *     `--- somebody else has it, or it is not due ----+--> ended()
 *
 * In ENGINE the run renews its lease, and gives up if it loses it. */
#pragma once

#include "render/renders.h"
#include "render_jobs.h"

struct lateness;
struct render_run;

struct render_runs {
	struct renders_settings settings;
	/* Called from the loop when the run is over. The run is freed after this call. */
	void (*ended)(void *context, struct render_job *job);
	void *context;
	struct lateness *lateness; /* set by the caller, too */
	struct list under_way;	   /* of struct render_run */
	unsigned count;
};

/* Set settings, ended and context before. */
void render_runs_init(struct render_runs *runs);
void render_run_begin(struct render_runs *runs, struct render_job *job);
/* Gives up runs whose scripts are running. All runs end. */
void render_runs_drain(struct render_runs *runs);
