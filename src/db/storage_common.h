/* Shared memory of db/storage.h. All zero: nothing has failed. */
#pragma once

#include "db/storage.h"

#include <stdatomic.h>

struct storage {
	_Atomic uint64_t failures;
	_Atomic uint64_t overcome;  /* number of failures before the last successful probe */
	_Atomic uint64_t probe_ms;  /* when the newest probe began */
	_Atomic unsigned char room; /* enum room */
	_Atomic bool is_reserved;   /* no more pictures may be stored */
};
