#include "main/child_log.h"

#include <stdio.h>
#include <sys/wait.h>

const char *child_message(struct child_message *message, const struct child *child,
			  const char *what)
{
	snprintf(message->text, sizeof(message->text), "%s %s", child->kind->name, what);
	return message->text;
}

struct log_field child_end_field(int status)
{
	return WIFSIGNALED(status) ? LOG_INT("signal", WTERMSIG(status))
				   : LOG_INT("code", WEXITSTATUS(status));
}

bool child_has_ended_well(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_DONE;
}
