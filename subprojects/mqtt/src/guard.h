/* Bounds what a library does in the calling thread: which addresses and ports connect() reaches,
 * and how long it takes. The program also has a getaddrinfo() of its own, which takes its memory of
 * no budget: that of the C library crashes if it finds none, and a server of names can declare
 * little.
 *
 * libmosquitto resolves a broker's name and connects in one call, so the address is checked where
 * it is used: the program has a connect() of its own, and the library calls that one. */
#pragma once

#include <text/reach.h>

enum guard_refusal {
	GUARD_NONE,
	GUARD_PORT,  /* it belongs to another service */
	GUARD_OWN,   /* a public address of this machine */
	GUARD_LOCAL, /* not public */
};

struct guard {
	const struct network_list *allowed; /* reachable beside public addresses */
	bool reaches_all;		    /* the operator has named the broker */
	unsigned lacks;			    /* of enum reach_lack: not even the allowed addresses */
	enum guard_refusal refused;	    /* why connect() has refused an address */
	unsigned refused_lacks;		    /* what is missing for GUARD_LOCAL */
};

/* Sets the guard of the calling thread, which must stay valid; NULL: none. */
void guard_enter(struct guard *guard);
