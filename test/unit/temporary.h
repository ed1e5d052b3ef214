/* Paths of temporary files below TMPDIR, which is removed after the run of the tests. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

enum { TEMPORARY_SIZE = 64 };

/* Writes a template for mkdtemp() and mkstemp(), and returns it. Below /tmp if TMPDIR is too long
 * for the address of a unix socket. */
static inline char *temporary_path(char path[static TEMPORARY_SIZE], const char *name)
{
	const char *folder = getenv("TMPDIR");

	if (!folder ||
	    snprintf(path, TEMPORARY_SIZE, "%s/%s-XXXXXX", folder, name) >= TEMPORARY_SIZE)
		snprintf(path, TEMPORARY_SIZE, "/tmp/%s-XXXXXX", name);
	return path;
}
