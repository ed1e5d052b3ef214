/* The server's engines (render/engine.h) for displayctl app render, on a loop of its own, with a
 * render host as a child process. Functions block. */
#pragma once

#include "base/buffer.h"
#include "options/options.h"
#include "render/engine.h"

struct app_engine;

enum { APP_ENGINE_WHY_MAX = 256 };

/* Starts the render host; renderers start with the first job. Call before starting any thread.
 * egress_allow: networks that scripts may reach besides public addresses; must outlive the engine.
 * Returns NULL with the reason in ret_why if it fails. End with app_engine_stop(). */
struct app_engine *app_engine_start(const struct option_list *egress_allow,
				    char ret_why[static APP_ENGINE_WHY_MAX])
    __attribute__((warn_unused_result));
/* Whether no further job can run: the render host has ended, or engine is NULL. */
bool app_engine_has_ended(const struct app_engine *engine);
/* Stops the engine and its processes, and frees it. engine may be NULL. */
void app_engine_stop(struct app_engine *engine);

/* Runs a copy of the job. Returns it with its answer, to be freed with engine_job_finish() before
 * the next one; or NULL with the reason in ret_why. */
struct engine_job *app_engine_run(struct app_engine *engine, const struct engine_job *job,
				  char ret_why[static APP_ENGINE_WHY_MAX])
    __attribute__((warn_unused_result));

/* Appends "LIBRARY in a sandbox of: LAYERS" for each kind of process that has started. */
void app_engine_describe(const struct app_engine *engine, struct buffer *text);
