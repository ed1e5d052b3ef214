/* The start of a program in the sandbox: its options, sandbox_restrict(), its greeting, and the
 * sockets that it receives. */
#pragma once

#include <sandbox/sandbox.h>
#include <stddef.h>
#include <sys/types.h>
#include <text/reach.h>

enum {
	INSIDE_LINK = 3,       /* descriptor of the socket to the parent process */
	INSIDE_EXIT_USAGE = 2, /* exit status for wrong usage, and if the program cannot start */
	INSIDE_HELLO_BYTES = 512,
};

/* Writes "PROGRAM: WHAT: WHY" to standard error. why may be NULL. Returns INSIDE_EXIT_USAGE. */
int inside_fail(const char *program, const char *what, const char *why);

/* Starts a program that connects to other servers, with [--allow CIDR]... [--certificates FILE].
 * Returns 0, or the exit status after reporting wrong usage. *ret_certificates is untouched if the
 * option is missing, and points into argv otherwise. */
int inside_begin(const char *program, int argc, char **argv, struct network_list *allowed,
		 const char **ret_certificates) __attribute__((warn_unused_result));

/* Calls sandbox_restrict() and writes the program's greeting to ret_hello:
 * {"engine":...,"library":...,"layers":...} with the active layers of the sandbox; without the
 * launcher there are none. library must not have characters that JSON escapes. Returns 0, or a
 * negative errno if a required layer is missing. */
int inside_restrict(enum sandbox_list list, const char *engine, const char *library,
		    char ret_hello[static INSIDE_HELLO_BYTES]) __attribute__((warn_unused_result));

/* Ends the process by SIGALRM unless it is called again within so many seconds; 0: never. */
void inside_watch(unsigned seconds);

/* Receives like recv(). *ret_socket is the descriptor that came with the bytes, which the caller
 * then owns, or -1. */
ssize_t inside_receive(int from, void *ret_data, size_t size, int *ret_socket);
/* Receives the descriptor of the next message of INSIDE_LINK, which the caller then owns, or -1 if
 * it has none. Returns false at the end of the link. Does not wait if the link is non-blocking. */
bool inside_receive_socket(int *ret_socket);
