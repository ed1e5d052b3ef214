/* Whether the programs that render apps can run, in memory that all workers share.
 *
 * Workers count for each program how many of its processes in a row ended before their greeting.
 * RENDER_CRASHES_MAX such ends are a crash loop: the program is given up, and apps that need it are
 * not rendered. The supervisor gives up the render host in the same way (main/children.h). Both are
 * tried again after a reload, an upgrade or a restart. */
#pragma once

#include "base/region.h"
#include "render/host.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { RENDER_CRASHES_MAX = 10 };

extern const struct region render_health_region;

struct render_health {
	_Atomic uint32_t crashes[RENDER_PROGRAM_COUNT];
	_Atomic int32_t host; /* process ID of the render host that has begun its work */
	_Atomic int32_t has_no_host;
	_Atomic uint32_t host_beat;	 /* the render host's heartbeat */
	_Atomic uint64_t hurry_until_ms; /* monotonic clock: renderers have a higher priority */
};

/* Reports a process that has greeted. health may be NULL: then nothing is counted. */
void render_health_note_ready(struct render_health *health, enum render_program program);
/* Reports a process that ended before its greeting. status: of waitpid(). Logs it if the program is
 * given up now. */
void render_health_note_crash(struct render_health *health, enum render_program program,
			      int status);
/* Whether neither the program nor the render host was given up. */
bool render_health_has(const struct render_health *health, enum render_program program);
/* Returns a static sentence about the first of the programs that was given up. NULL: none. */
const char *render_health_problem(const struct render_health *health,
				  const enum render_program *programs, unsigned count);
/* Works as render_health_problem(), for all programs. */
const char *render_health_any_problem(const struct render_health *health);

/* Gives renderers the priority of other programs until then, instead of a lower one: pictures are
 * late, and others take the processors. now_ms, until_ms: monotonic clock. health may be NULL. */
void render_health_hurry(struct render_health *health, uint64_t until_ms);
bool render_health_is_hurried(const struct render_health *health, uint64_t now_ms);

/* Called in the supervisor when the render host is given up. */
void render_health_give_up_host(struct render_health *health);
/* Lets everything be tried again. */
void render_health_reset(struct render_health *health);
