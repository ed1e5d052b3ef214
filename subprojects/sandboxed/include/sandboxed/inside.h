/* First steps of a program in the sandbox: options, seal, first words, and sockets that it is
 * sent. */
#pragma once

#include <sandbox/sandbox.h>
#include <stddef.h>
#include <sys/types.h>
#include <text/reach.h>

enum {
	INSIDE_LINK = 3, /* descriptor of the socket whose other end the program's parent has */
	INSIDE_EXIT_USAGE = 2, /* of a wrong call, and of a program that cannot begin */
	INSIDE_HELLO_BYTES = 512,
};

/* Writes "PROGRAM: WHAT: WHY" to standard error. why may be NULL. Returns INSIDE_EXIT_USAGE. */
int inside_fail(const char *program, const char *what, const char *why);

/* Begins a program that reaches out, [--allow CIDR]... [--certificates FILE]. Returns 0, or the
 * exit status of a wrong call, which it has reported. *ret_certificates is untouched if the option
 * is missing, and points into argv otherwise. */
int inside_begin(const char *program, int argc, char **argv, struct network_list *allowed,
		 const char **ret_certificates) __attribute__((warn_unused_result));

/* Takes from the process what it needed to start, and writes its first words:
 * {"engine":...,"library":...,"layers":...} with the layers of the sandbox that are active; without
 * the launcher there are none. library: without characters that JSON escapes. Returns 0, or a
 * negative errno if a required layer is missing. */
int inside_seal(enum sandbox_list list, const char *engine, const char *library,
		char ret_hello[static INSIDE_HELLO_BYTES]) __attribute__((warn_unused_result));

/* Ends the process by SIGALRM unless it is called again within so many seconds; 0: never. */
void inside_watch(unsigned seconds);

/* Receives like recv(), with the descriptor that came with the bytes, or -1: there was none. */
ssize_t inside_receive(int from, void *ret_data, size_t size, int *ret_socket);
/* Takes the descriptor that comes with the next message of INSIDE_LINK, or -1: none came with it.
 * False at the end of the link. Never waits if the link does not. */
bool inside_receive_socket(int *ret_socket);
