/* A push that this worker has stored: it has the picture's bytes and need not read them back. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct stored_push {
	int64_t generation;	    /* that the device took by it */
	struct str picture;	    /* a WebP; of the caller */
	struct str installation_id; /* NULL data: a temporary image */
	int64_t duration_s;	    /* of a temporary image */
	bool in_background;	    /* of an installation: it waits for its turn */
};
