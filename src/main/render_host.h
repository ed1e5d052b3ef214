/* The render host: a child of the supervisor that starts and ends sandboxed renderers for workers
 * (render/host.h describes their messages). It also runs without renderers (--renderers 0), because
 * workers reach the network through its egress.
 *
 * As root it keeps only the rights to give each renderer a user of its own. It reads only small
 * messages of workers, which it does not trust either: a worker gets a limited number of processes
 * of each kind, and can end only its own ones. Renderers end with the host. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Process name in lists of processes. */
#define RENDER_HOST_NAME "render-host"

struct option_list;
struct render_health;

struct render_host_settings {
	const int *sockets; /* sockets to the workers, by their index */
	unsigned workers;
	bool is_required; /* --sandbox required */
	bool renders;  /* false: it starts only programs that render nothing, such as the egress */
	bool is_alone; /* there is no server: renderers keep this process's priority
			*/
	const struct option_list *egress_allow; /* NULL: none */
	_Atomic int32_t *ready_pid; /* gets its process ID once it has begun its work; NULL: none */
	_Atomic uint32_t *beat;	    /* its heartbeat, raised twice a second; NULL: none */
	const struct render_health *health; /* says whether renderers hurry; NULL: they do not */
};

/* Runs in a process of its own until SIGTERM. Returns its exit code. */
int render_host_run(const struct render_host_settings *settings);
