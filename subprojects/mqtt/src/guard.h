/* Bounds what a library does in the calling thread: which addresses and ports connect() reaches and
 * how long it takes, and how much memory one malloc() takes.
 *
 * libmosquitto resolves a broker's name and connects in one call, so the address is checked where
 * it is used: the program has a connect() of its own, and the library calls that one. The library
 * also allocates as many bytes as a broker announces, up to 256 MB. */
#pragma once

#include <text/reach.h>

#include <stddef.h>

struct guard {
	const struct network_list *allowed; /* reachable beside public addresses */
	bool reaches_all;		    /* the operator has named the broker */
	bool reaches_public_only;	    /* not even the allowed addresses */
	bool has_refused;		    /* connect() has refused an address */
	size_t allocation_max;		    /* bytes; 0: no limit */
};

/* Sets the guard of the calling thread, which must stay valid; NULL: none. */
void guard_enter(struct guard *guard);
