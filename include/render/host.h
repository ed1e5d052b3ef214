/* Messages between a worker and the render host. The host starts processes in the sandbox for the
 * workers, since a sandboxed worker can start none; it reads nothing that such a process writes. A
 * process that was stopped (SIGSTOP, a job control signal) is killed within 4 s: its parent is
 * notified of the stop, so it needs no heartbeat. A process that hangs is ended by its own alarm,
 * or by its worker.
 *
 *   worker --HELLO pid--> host      a worker begins: processes of its predecessor are ended; the
 *                                   host answers with its own
 *   host   --HELLO pid--> worker    a host begins: processes of its predecessor are gone
 *   worker --START n, kind--> host --STARTED n, with a socket--> worker     or FAILED n, errno
 *   worker --KILL n--> host
 *   host   --ENDED n, status of waitpid(), or HOST_STATUS_HUNG, CPU time--> worker
 *
 * Each worker has a SOCK_SEQPACKET socket of its own to the host. The supervisor makes the sockets
 * first and keeps them, so that a message outlives its reader; workers choose the numbers, which
 * grow. The socket that comes with STARTED is the other end of the process's descriptor 3; for a
 * compiler, of its standard input and output. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum render_program {
	RENDER_STARLARK,
	RENDER_TYPESCRIPT,
	RENDER_COMPILER, /* gets a script until the socket is shut down for writing, then sends its
			    output */
	RENDER_EGRESS,	 /* socket to the egress, of which an instance has one process */
	RENDER_MQTT,	 /* socket to the bridge, of which an instance has one process */
	RENDER_MESSAGE,	 /* RENDER_STARLARK for the server's own script, at the workers' priority */
	RENDER_COLLECTION, /* RENDER_STARLARK that reads an archive of apps (render/archive.h) */
	RENDER_PROGRAM_COUNT,
};

/* Whether an instance has one process of the program, and each worker a socket to it. */
static inline bool render_program_is_shared(enum render_program program)
{
	return program == RENDER_EGRESS || program == RENDER_MQTT;
}

enum host_message_kind { HOST_HELLO, HOST_START, HOST_KILL, HOST_STARTED, HOST_FAILED, HOST_ENDED };

/* Used instead of a status: the process was killed because it was stopped, which is not its job's
 * fault. */
enum { HOST_STATUS_HUNG = -1 };

struct host_message {
	uint32_t kind;
	uint32_t number;
	uint32_t program; /* START: enum render_program; ENDED: CPU time in milliseconds */
	int32_t value;	  /* HELLO: process ID; FAILED: errno; ENDED: status */
};
