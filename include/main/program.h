/* The programs that displayd and displayctl start in the sandbox: their paths and arguments. */
#pragma once

#include "render/host.h"

#include <limits.h>
#include <stdbool.h>

enum { PROGRAM_ARGUMENTS_MAX = 24 };

/* A call of sandbox-launch, ready for execv(). */
struct program {
	char launcher[PATH_MAX];
	char path[PATH_MAX];
	const char *arguments[PROGRAM_ARGUMENTS_MAX + 1]; /* NULL at the end */
};

/* Finds the program: in the build, in its subproject, beside a relocated installation, or at its
 * installed path. is_required: the program ends if a layer of the sandbox is missing. The arguments
 * point into *ret. If it returns false, program_missing() says what to do. */
bool program_find(enum render_program name, bool is_required, struct program *ret)
    __attribute__((warn_unused_result));

/* Whether the program is one that renders apps. The others serve displayd itself, too. */
bool program_renders(enum render_program name);

/* Returns a static sentence that this build does not have the program. */
const char *program_missing(enum render_program name);
