/* A push that this worker has stored: the worker has the picture's bytes and need not read them
 * back. */
#pragma once

#include <text/str.h>

#include <stdbool.h>
#include <stdint.h>

struct stored_push {
	int64_t generation;	    /* of the device, with this push */
	struct str picture;	    /* a WebP; the caller's */
	struct str installation_id; /* NULL data: a temporary image */
	int64_t duration_s;	    /* of a temporary image */
	int64_t expires_in_ms;	    /* of an installation; 0: it stays */
	bool is_held, is_waking;
	bool in_background; /* an installation that waits for its turn in the rotation */
};
