/* An image on its way through the worker threads: base64 in, a panel's WebP out.
 *
 *   image_job_begin()   on the short lane: decodes base64, looks what it is; a still is converted
 *                       here and now, an animation is left for
 *   image_job_convert() on the long lane
 *
 * The job's memory is taken on the loop; image_job_finish() gives back what the worker made. */
#pragma once

#include "base/arena.h"

#include <panelimage/panelimage.h>

struct image_job {
	struct str media_type; /* of a data URL; else empty */
	struct str base64;
	uint8_t *bytes; /* decoded; in the arena */
	size_t size;
	bool is_converted; /* nothing is left to do: result or error stands */
	bool has_failed;
	struct panelimage_result result;
	struct panelimage_error error;
};

/* False with an error: too large to be decoded at all. */
bool image_job_init(struct image_job *job, struct str media_type, struct str base64,
		    struct arena *arena);

/* Both take a struct image_job; any thread. */
void image_job_begin(void *job);
void image_job_convert(void *job);

void image_job_finish(struct image_job *job);
