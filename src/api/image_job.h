/* Converts an image on worker threads: base64 or bytes in, a panel's WebP out.
 *
 *   image_job_begin()   on the short lane: decodes base64 and detects the format; converts a still
 *                       image, and leaves an animation to
 *   image_job_convert() on the long lane
 *
 * The loop allocates the memory of the bytes; image_job_finish() frees what the worker threads
 * made. All memory of an image is counted in its account's share of a memory budget, before it is
 * allocated and until image_job_finish(). Temporary memory of single steps is not counted: up to 32
 * MiB on each thread. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "base/memory_budget.h"

#include <panelimage/panelimage.h>

/* Fault of an image of 128x64 that is not to be halved, after the word "image". */
#define IMAGE_TOO_WIDE "is 128x64 pixels, must be 64x32 for this panel: send that, or \"fit\": true"

struct image_job {
	struct str media_type; /* of a data URL; else empty */
	struct str base64;     /* if is_raw, the bytes themselves */
	bool is_raw;
	uint8_t *bytes; /* decoded; in the arena, or those that were sent */
	size_t size;
	size_t max_bytes; /* limit of the panels; set it before image_job_begin() */
	bool takes_wide;  /* the image may be 128x64 instead of 64x32; set it before, too */
	struct memory_share *share; /* share of the account; NULL before image_job_take_memory() */
	size_t taken;		    /* bytes taken from the share */
	bool is_quick;		    /* others wait, so a still is converted with little effort */
	bool is_decoded;	    /* bytes is filled */
	bool is_converted;	    /* done: there is a result or an error */
	bool has_failed;
	struct panelimage_conversion *conversion; /* NULL before it begins and after its end */
	struct panelimage_result result;
	struct panelimage_error error;
};

/* Return false, with an error, if the image is empty or too large to be decoded. The first takes
 * base64, the second the image's bytes, which must outlive the job. */
bool image_job_init(struct image_job *job, struct str media_type, struct str base64);
bool image_job_init_raw(struct image_job *job, struct str media_type, struct str bytes);

/* Call it before image_job_begin(), and before image_job_convert(). Returns false if the account
 * has used its share of the memory budget (LIMIT_IMAGES_BYTES). */
__attribute__((warn_unused_result)) bool image_job_take_memory(struct image_job *job,
							       struct memory_budget *budget,
							       struct id account,
							       struct arena *arena);
__attribute__((warn_unused_result)) bool image_job_take_animation(struct image_job *job);

/* Copies a result that was made from the same base64, which completes the job. Returns false if
 * there is no memory, if the data URL names another format, or if the image is too wide, which
 * image_job_begin() reports. */
bool image_job_reuse(struct image_job *job, const struct panelimage_result *result);

/* Do one step of a struct image_job, on any thread. Return whether there are more. */
bool image_job_begin(void *job);
bool image_job_convert(void *job);

void image_job_finish(struct image_job *job);
