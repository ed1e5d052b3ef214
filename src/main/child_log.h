/* Log messages about children. */
#pragma once

#include "base/log.h"
#include "main/child.h"

/* Text such as "worker ended unexpectedly". */
struct child_message {
	char text[96];
};

/* Returns the text. */
const char *child_message(struct child_message *message, const struct child *child,
			  const char *what);

/* Returns a field with the signal or the exit code in a status of waitpid(). */
struct log_field child_end_field(int status);

/* Whether the status is the exit code 0. */
bool child_has_ended_well(int status);
