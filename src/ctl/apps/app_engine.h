/* The server's engines (render/engine.h) for displayctl app render: on a loop of its own, with a
 * render host as a child. Blocks. */
#pragma once

#include "base/buffer.h"
#include "options/options.h"
#include "render/engine.h"

struct app_engine;

struct app_job {
	struct engine_job engine_job; /* without done() */
	struct app_engine *engine;    /* private */
};

enum { APP_ENGINE_WHY_MAX = 256 };

/* Starts the render host; renderers start with the first job. Before any thread is started.
 * egress_allow: networks that scripts reach beside public addresses; it must outlive the engine.
 * NULL with a sentence in ret_why. */
struct app_engine *app_engine_start(const struct option_list *egress_allow,
				    char ret_why[static APP_ENGINE_WHY_MAX])
    __attribute__((warn_unused_result));
/* Whether the render host has ended, which runs no further job; or there is none (NULL). */
bool app_engine_has_ended(const struct app_engine *engine);
/* NULL is fine. */
void app_engine_stop(struct app_engine *engine);

/* Runs the job. 0 with its answer, until engine_job_finish(); or -1 with a sentence in ret_why. */
int app_engine_run(struct app_engine *engine, struct app_job *job,
		   char ret_why[static APP_ENGINE_WHY_MAX]) __attribute__((warn_unused_result));

/* "LIBRARY in a sandbox of: LAYERS", of each kind of process that has started. */
void app_engine_describe(const struct app_engine *engine, struct buffer *text);
