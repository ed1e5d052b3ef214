/* The shared memory of db/storage.h. Zeroes: nothing has failed. */
#pragma once

#include "db/storage.h"

#include <stdatomic.h>

struct storage {
	_Atomic uint64_t failures;
	_Atomic uint64_t overcome;  /* so many of them lie before a probe that has succeeded */
	_Atomic uint64_t probe_ms;  /* when the newest probe began */
	_Atomic unsigned char room; /* enum room */
	_Atomic bool is_reserved;   /* what is left takes no pictures */
};
