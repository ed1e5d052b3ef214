/* The engines of a worker, from its start to its end; render/engine.h is for those who use them. */
#pragma once

#include "base/buffer.h"
#include "render/engine.h"
#include "render/health.h"

struct engines_settings {
	int host; /* the socket to the render host (render/host.h), which becomes the engines'; -1:
		   * there is none */
	unsigned processes; /* of each kind that work at the same time; one more is for previews */
	unsigned idle_ms;   /* after which one with nothing to do ends; 0: LIMIT_RENDERER_IDLE_MS */
	struct render_health *health; /* of all workers; NULL: nothing is counted */
	/* By language: a sentence for people, why it is not there; static. NULL: it is. */
	const char *missing[ENGINE_LANGUAGE_COUNT];
};

/* Before the worker enters its sandbox; no process is started until a job needs it. loop must
 * outlive the engines, and have lanes before the first job. */
struct engines *engines_create(struct loop *loop, const struct engines_settings *settings);

/* All jobs are done with ENGINE_CANCELLED, now or later, and further ones are refused: the loop can
 * run out. */
void engines_drain(struct engines *engines);

/* After engines_drain(), when the loop has run out. */
void engines_destroy(struct engines *engines);

/* Appends a line for each kind of renderer that has started: "LIBRARY in a sandbox of: LAYERS". Not
 * after engines_drain(). */
void engines_describe(const struct engines *engines, struct buffer *text);

/* Sets the metrics of waiting and running jobs. */
void engines_tell(const struct engines *engines);
