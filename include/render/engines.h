/* Start and end of a worker's engines; render/engine.h is for their users. */
#pragma once

#include "base/buffer.h"
#include "render/engine.h"
#include "render/health.h"

struct engines_settings {
	int host; /* socket to the render host (render/host.h), owned by the engines from now on;
		   * -1: none */
	unsigned processes; /* of each kind that work at the same time; previews have one more */
	unsigned idle_ms;   /* idle time after which a process ends; 0: LIMIT_RENDERER_IDLE_MS */
	/* Folder of files that are being fetched (render/download.h); NULL: in memory. */
	const char *download_folder;
	struct render_health *health; /* shared by all workers; NULL: not counted */
	/* By language: static sentence why it is missing. NULL: it is available. */
	const char *missing[ENGINE_LANGUAGE_COUNT];
};

/* Call it before the worker enters its sandbox. No process is started until a job needs it. loop
 * must outlive the engines, and have lanes before the first job. */
struct engines *engines_create(struct loop *loop, const struct engines_settings *settings);

/* Ends all jobs with ENGINE_CANCELLED, now or later, and refuses further ones, so that the loop can
 * end. */
void engines_drain(struct engines *engines);

/* Call it after engines_drain(), when the loop has ended. */
void engines_destroy(struct engines *engines);

/* Appends a line for each kind of renderer that has started: "LIBRARY in a sandbox of: LAYERS". Do
 * not call it after engines_drain(). */
void engines_describe(const struct engines *engines, struct buffer *text);

/* Sets the metrics of waiting and running jobs. */
void engines_tell(const struct engines *engines);
