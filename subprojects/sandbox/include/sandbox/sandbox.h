/*
 * A process that runs what strangers wrote is shut in twice. The launcher (sandbox_launch) shuts
 * itself in and becomes the program; the program, when it has opened all it needs, seals itself:
 * from then on it can compute, use its memory and the descriptors it has, and nothing else.
 *
 *   parent --fork--> launcher: user, descriptors, limits, no_new_privs, Landlock, seccomp
 *                       `--exec--> program: starts, sandbox_seal(), speaks at descriptor 3
 *
 * A server's process that speaks with strangers seals itself, too, without a launcher: it goes on
 * with its sockets, its memory and the files it has open.
 *
 *   parent --fork--> opens all it needs, sandbox_seal_server(), starts its threads, serves
 *
 * Linux only. What a kernel or container does not allow is left out, or is an error if the
 * caller requires all of it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The layers, as bits. */
enum {
	SANDBOX_USER = 1 << 0, /* a user and group of its own; only root can change its user */
	SANDBOX_DESCRIPTORS = 1 << 1,  /* 0 to 3 are open, nothing else */
	SANDBOX_LIMITS = 1 << 2,       /* data, stack, files, core dumps */
	SANDBOX_NO_NEW_PRIVS = 1 << 3, /* set-user-ID programs give no rights */
	SANDBOX_LANDLOCK = 1 << 4,     /* reads shared libraries and its own file, no other */
	SANDBOX_SECCOMP = 1 << 5,      /* no sockets, no other processes; once sealed no files */
	SANDBOX_DEATH = 1 << 6,	       /* is killed when its parent ends */
	SANDBOX_ALL = (1 << 7) - 1,
	/* Layers that sandbox_seal_server() makes. */
	SANDBOX_SERVER = SANDBOX_NO_NEW_PRIVS | SANDBOX_LANDLOCK | SANDBOX_SECCOMP,
};

struct sandbox_limits {
	uint64_t data_bytes;  /* memory that can be written, threads' stacks included */
	uint64_t stack_bytes; /* of the first thread, and the default of the others */
	uint64_t cpu_s;	      /* of all threads together, then the process is killed; 0: no limit */
};

/*
 * Sandbox of a program that connects to servers of the internet, and runs no untrusted scripts: it
 * makes sockets of the internet's families, connects them, and reads the files for looking up names
 * and certificates. It listens nowhere and reaches no unix socket.
 */
struct sandbox_network {
	const char *const *readable; /* further files or folders; NULL at the end */
};

/*
 * Shuts the calling process in: every layer that can be had. program is a descriptor of the
 * executable that comes next, which is 4 afterwards; network is NULL for one that has none. Returns
 * the layers that are active.
 */
unsigned sandbox_enter(const struct sandbox_limits *limits, const struct sandbox_network *network,
		       int *program) __attribute__((warn_unused_result));

/*
 * Calls that a sealed program may still make.
 *
 *   SANDBOX_GO: calls of Go's runtime, threads of its own included.
 *   SANDBOX_SCRIPT: calls of an interpreter in C with one thread: its memory, a timer, open
 *   descriptors, and yielding to others.
 *   SANDBOX_NETWORK: calls allowed with a network, without exec.
 */
enum sandbox_list { SANDBOX_GO, SANDBOX_SCRIPT, SANDBOX_NETWORK };

/*
 * Takes from all threads of the calling process what it needed to start: files, exec, prctl.
 * Returns 0 or a negative errno; then nothing has changed.
 */
int sandbox_seal(enum sandbox_list list) __attribute__((warn_unused_result));

/*
 * Rights of a server's process beside its sockets, its memory, its threads and its open files.
 * Without is_client these are no more than connecting to unix sockets.
 */
struct sandbox_server {
	/*
	 * Looks up names and connects to other servers over TCP: reads files, loads shared
	 * libraries and opens sockets of the internet's families and of the unix domain.
	 */
	bool is_client;
	/*
	 * Files, and folders with all that is in them, that a client reads; NULL at the end. What
	 * is not there is passed over. A file that takes the place of a named one is another file,
	 * so folders are better. If there is no Landlock, a client reads all that its user may.
	 */
	const char *const *readable;
	/*
	 * The end of a pipe whose content it moves into standard error, 2, without waiting; 0: it
	 * writes there as to any descriptor.
	 */
	int spliced;
	/*
	 * A sanitizer is part of the process: it writes reports, starts programs and traces its own
	 * process to find leaks. All that is left out of the seal, Landlock is; what the server
	 * itself calls is on the list as ever, so that its tests find what the list lacks.
	 */
	bool has_sanitizer;
};

/*
 * Seals the calling process, which must have one thread: Landlock reaches no other ones that exist.
 * Exec, other processes, other users, tracing, namespaces, and memory that can be written and
 * executed are gone for good; files that are not open, too, but for a client's. What is refused
 * fails with EPERM (seccomp) or EACCES (Landlock). Returns the layers that are active.
 */
unsigned sandbox_seal_server(const struct sandbox_server *server)
    __attribute__((warn_unused_result));

/* Returns the layers of SANDBOX_SERVER that this kernel and container have, without making any of
 * them. */
unsigned sandbox_server_layers(bool has_sanitizer);

/*
 * Refuses io_uring to the calling process and to all that it starts: its calls fail with ENOSYS, as
 * on a kernel without it, so that libraries take other calls. Each program calls this first, before
 * a library (libuv since 1.45, for each loop) makes a ring that a later seal would cut off. Sets
 * no_new_privs. Returns false if the kernel or container has no seccomp, or under valgrind.
 */
bool sandbox_refuse_io_uring(void);

/*
 * Valgrind calls the kernel from inside the process, and opens files: a process under it is left as
 * it is.
 */
bool sandbox_is_under_valgrind(void);

/*
 * Names of layers, of those in among, separated by spaces, as a static string that lives until the
 * next call; a missing layer has a "-" before its name.
 */
const char *sandbox_layer_names(unsigned layers, unsigned among);
