/* A worker's link to the render host (render/host.h): processes are started, ended, and their ends
 * told. The host may be gone and come back; what was asked of the one before is asked again. */
#pragma once

#include "loop/loop.h"
#include "render/health.h"

struct host_link;

/* Embed it. */
struct host_process {
	struct list node; /* private, in the link's */
	uint32_t number;  /* private */
	enum render_program program;
	bool is_started;
	unsigned cpu_ms; /* it has used, in ended(); 0: not known */

	/* Called from the loop, one of the two. started: the socket is the caller's from now on. */
	void (*started)(struct host_process *process, int socket);
	/* error is a negative errno. */
	void (*failed)(struct host_process *process, int error);
	/* After started(): with the status of waitpid(), or HOST_LINK_LOST: the process hung, or
	 * the host has ended, and the process with it. The process is no longer the link's. */
	void (*ended)(struct host_process *process, int status);
};

enum { HOST_LINK_LOST = HOST_STATUS_HUNG };

/* The socket becomes the link's. It keeps no loop going by itself. health may be NULL. */
struct host_link *host_link_open(struct loop *loop, int socket, struct render_health *health);
struct render_health *host_link_health(const struct host_link *link);
/* No callback comes any more. What was started goes on until host_link_kill(), or its own end. */
void host_link_close(struct host_link *link);

/* program and the functions are set. One of them comes later. */
void host_link_start(struct host_link *link, struct host_process *process);
/* The end is told as ever. */
void host_link_kill(struct host_link *link, const struct host_process *process);
/* Kills it, if it was started, and forgets it: no callback comes any more. */
void host_link_forget(struct host_link *link, struct host_process *process);
