/* Decides which addresses and ports a session reaches, and bounds what a library does in the
 * calling thread: it connects to nothing, but gets a socket that is connected already. The program
 * also has a getaddrinfo() of its own, which takes its memory of no budget: that of the C library
 * crashes if it finds none, and a server of names can declare little.
 *
 * libmosquitto resolves a broker's name and connects in one call, which waits. So a session has
 * looked up the name and has connected before (session.c), and the program has functions of its own
 * that the library calls: getaddrinfo() returns the address of the given socket, socket() the
 * socket, and connect() finds it connected. */
#pragma once

#include <sys/socket.h>
#include <text/reach.h>

enum { GUARD_ADDRESS_BYTES = 64 };

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
	enum guard_refusal refused;	    /* why an address was refused */
	unsigned refused_lacks;		    /* what is missing for GUARD_LOCAL */
	int given;			    /* see guard_give(); -1: none */
	bool is_taken;			    /* the library has it, and closes it */
	char address[GUARD_ADDRESS_BYTES];  /* of the given socket, as text */
};

/* Sets the guard of the calling thread, which must stay valid; NULL: none. In a thread that has a
 * guard no library connects elsewhere. */
void guard_enter(struct guard *guard);
/* Whether the session may connect to the address; otherwise notes why not. */
bool guard_permits(struct guard *guard, const struct sockaddr *to);
/* Gives a connected socket to the library that connects next in this thread. Takes ownership. */
void guard_give(struct guard *guard, int socket, const struct sockaddr *to, socklen_t length);
/* Ends that, and closes the socket if the library has not taken it. */
void guard_take_back(struct guard *guard);
