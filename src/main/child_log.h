/* Log messages about children. */
#pragma once

#include "base/log.h"
#include "main/child.h"

/* "worker ended unexpectedly" */
struct child_message {
	char text[96];
};

/* Its text. */
const char *child_message(struct child_message *message, const struct child *child,
			  const char *what);

/* The signal or the exit code in a status of waitpid(). */
struct log_field child_end_field(int status);

/* Whether that is the exit code 0. */
bool child_has_ended_well(int status);
