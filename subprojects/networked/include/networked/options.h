/* Options of the sandboxed programs that reach out: [--allow CIDR]... [--certificates FILE]. */
#pragma once

#include "networked/address.h"

/* Exit status of a wrong call, and of a program that cannot begin. */
enum { NETWORKED_EXIT_USAGE = 2 };

/* Writes "PROGRAM: WHAT: WHY" to standard error. why may be NULL. Returns NETWORKED_EXIT_USAGE. */
int networked_fail(const char *program, const char *what, const char *why);

/* Returns 0, or the exit status of a wrong call, which it has told. *ret_certificates is untouched
 * if the option is not there, and points into argv else. */
int networked_read_options(const char *program, int argc, char **argv, struct address_list *allowed,
			   const char **ret_certificates) __attribute__((warn_unused_result));
