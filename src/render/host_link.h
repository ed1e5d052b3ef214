/* A worker's socket to the render host (render/host.h): starts and ends processes, and reports
 * their ends. If the host is restarted, pending requests are repeated; if the other end of the
 * socket is closed, they fail. */
#pragma once

#include "loop/loop.h"
#include "render/health.h"

struct host_link;

/* Process. Embed it. */
struct host_process {
	struct list node; /* private, in the link's list */
	uint32_t number;  /* private */
	enum render_program program;
	bool is_started;
	unsigned cpu_ms; /* CPU time used, in ended(); 0: unknown */

	/* The loop calls one of the two. started: the caller owns the socket from now on.
	 */
	void (*started)(struct host_process *process, int socket);
	/* failed: error is a negative errno. */
	void (*failed)(struct host_process *process, int error);
	/* Called after started(), with the status of waitpid(), or HOST_LINK_LOST: the process
	 * hung, or has ended together with the host. The process no longer belongs to the link. */
	void (*ended)(struct host_process *process, int status);
};

enum { HOST_LINK_LOST = HOST_STATUS_HUNG };

/* Opens a link, which owns the socket. It does not keep the loop running. health may be NULL. */
struct host_link *host_link_open(struct loop *loop, int socket, struct render_health *health);
struct render_health *host_link_health(const struct host_link *link);
/* Closes the link. No callback is called any more. Processes continue until host_link_kill(), or
 * their own end. */
void host_link_close(struct host_link *link);

/* Starts a process, with program and the functions set. One of them is called later. */
void host_link_start(struct host_link *link, struct host_process *process);
/* Kills a process. Its end is reported as usual. */
void host_link_kill(struct host_link *link, const struct host_process *process);
/* Kills a process, if it was started, and forgets it: no callback is called any more. */
void host_link_forget(struct host_link *link, struct host_process *process);
