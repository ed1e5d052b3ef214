#include "connection_rest.h"

#include <sodium.h>

enum {
	/* Pauses between attempts double from the first to the last. Each is shortened at random,
	 * by up to half, so that the workers do not all connect at once. */
	FIRST_PAUSE_MS = 50,
	LAST_PAUSE_MS = 2 * 1000,
	/* Longest pause for a server on this machine, such as the private one: an attempt is cheap,
	 * and all requests wait for the server. */
	LAST_NEAR_PAUSE_MS = 200,
};

uint64_t connection_rest_ms(unsigned failures, bool is_near)
{
	uint64_t last = is_near ? LAST_NEAR_PAUSE_MS : LAST_PAUSE_MS;
	uint64_t pause = FIRST_PAUSE_MS;

	for (unsigned i = 0; i < failures && pause < last; i++)
		pause *= 2;
	if (pause > last)
		pause = last;
	return pause - randombytes_uniform((uint32_t)pause / 2);
}
