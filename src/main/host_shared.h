/* The render host's shared programs, the egress and the bridge to MQTT: one process of each for all
 * workers of the instance, which is sent a socket for each link. It is started with the first link
 * and ends when the last one has gone. */
#pragma once

#include "main/program.h"
#include "options/options.h"

#include <sys/types.h>

struct host_shared {
	const struct program *program;
	const struct option_list *allow; /* --egress-allow; NULL: none */
	int nothing;			 /* /dev/null */
	pid_t pid;			 /* 0: there is none */
	int control;
};

/* Gives it the socket, which stays the caller's, and starts it if it does not run. Its process
 * ID or a negative errno; -EAGAIN: it has not taken the links before this one yet. */
pid_t host_shared_link(struct host_shared *shared, int link) __attribute__((warn_unused_result));

/* Kills the process whose link is gone, as a hanging one would not end by itself. The next link
 * gets another process. The caller takes its status. */
void host_shared_end(struct host_shared *shared);

/* The same, if it has ended. */
void host_shared_leave(struct host_shared *shared);
