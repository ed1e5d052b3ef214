/* Run of a render job: lease, script, store.
 *
 *   LEASE --leased--> ENGINE --answered--> STORE ----.
 *     |                  |                            |
 *     |                  `--refused, or given up--> LET GO
 *     |                                               |
 *     `--- somebody else has it, or it is not due ----+--> ended()
 *
 * In ENGINE it renews its lease, and gives up if it loses it. */
#pragma once

#include "render/renders.h"
#include "render_jobs.h"

struct render_run;

struct render_runs {
	struct renders_settings settings;
	/* The run is over, and gone with the end of this call. Called from the loop. */
	void (*ended)(void *context, struct render_job *job);
	void *context;
	struct list under_way; /* of struct render_run */
	unsigned count;
};

/* The caller has set settings, ended and context. */
void render_runs_init(struct render_runs *runs);
void render_run_begin(struct render_runs *runs, struct render_job *job);
/* Gives up those whose scripts run. All end. */
void render_runs_drain(struct render_runs *runs);
