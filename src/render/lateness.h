/* How late the pictures of apps come: for the metrics, and for the priority of renderers. */
#pragma once

#include "render/health.h"
#include "render_jobs.h"

enum { LATENESS_LEAST_S = 10 }; /* a picture that comes so long after its turn began is late */

struct lateness {
	/* Time of recent runs: CPU time of their processes, and the time for which they held a
	 * turn. */
	uint64_t cpu_us, held_us;
};

/* Notes a run that has ended. */
void lateness_note(struct lateness *lateness, uint64_t cpu_us, uint64_t held_us);
/* Call it once a second. Sets the gauge. While pictures are late since other programs take the
 * processors, renderers get a higher priority. now_s: Unix time. health may be NULL. */
void lateness_tell(struct lateness *lateness, const struct render_jobs *jobs, int64_t now_s,
		   struct render_health *health);
