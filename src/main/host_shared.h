/* Programs of the render host that an instance shares, the egress and the bridge to MQTT: one
 * process of each for all workers, which gets a socket for each worker. It is started with the
 * first socket and ends after the last one. */
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

/* Gives the process a socket, which stays the caller's, and starts the process if it does not run.
 * Returns its process ID or a negative errno; -EAGAIN: it has not taken earlier sockets yet. */
pid_t host_shared_link(struct host_shared *shared, int link) __attribute__((warn_unused_result));

/* Kills the process whose socket is gone, since a hanging one would not end by itself. The next
 * socket gets another process. The caller takes its status. */
void host_shared_end(struct host_shared *shared);

/* Call it instead if the process has ended. */
void host_shared_leave(struct host_shared *shared);
