/* Render of a want: claim, script, store.
 *
 *   CLAIM --claimed--> ENGINE --answered--> STORE ----.
 *     |                  |                            |
 *     |                  `--refused, or given up--> LET GO
 *     |                                               |
 *     `--- somebody else has it, or it is not due ----+--> ended()
 *
 * In ENGINE it renews its claim, and gives up if it loses it. */
#pragma once

#include "render/renders.h"
#include "wants.h"

struct render_job;

struct render_jobs {
	struct renders_settings settings;
	/* The job is over, and gone with the end of this call. Called from the loop. */
	void (*ended)(void *context, struct want *want);
	void *context;
	struct list under_way; /* of struct render_job */
	unsigned count;
};

/* The caller has set settings, ended and context. */
void render_jobs_init(struct render_jobs *jobs);
void render_job_begin(struct render_jobs *jobs, struct want *want);
/* Gives up those whose scripts run. All end. */
void render_jobs_drain(struct render_jobs *jobs);
