/* Push that this worker has stored: the picture's bytes are in memory and need not be read back. */
#pragma once

#include <text/str.h>

#include <stdbool.h>
#include <stdint.h>

struct stored_push {
	int64_t generation;	    /* of the device, with this push */
	struct str picture;	    /* WebP; stays the caller's */
	struct str installation_id; /* NULL data: a temporary image */
	int64_t duration_s;	    /* duration of a temporary image */
	int64_t expires_in_ms;	    /* lifetime of an installation; 0: no end */
	bool is_held, is_waking;
	bool in_background; /* an installation that waits for its turn in the rotation */
};
