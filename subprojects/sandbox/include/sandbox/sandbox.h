/*
 * A process that runs untrusted code is restricted in two steps. The launcher (sandbox_launch)
 * restricts itself and becomes the program; the program calls sandbox_restrict() when it has opened
 * everything that it needs: from then on it can only compute and use its memory and its open
 * descriptors.
 *
 *   parent --fork--> launcher: user, descriptors, limits, no_new_privs, Landlock, seccomp
 *                       `--exec--> program: starts, sandbox_restrict(), speaks at descriptor 3
 *
 * A server's process with untrusted clients restricts itself, too, without a launcher: it keeps its
 * sockets, its memory and its open files.
 *
 *   parent --fork--> opens all it needs, sandbox_restrict_server(), starts its threads, serves
 *
 * Linux only. Layers that a kernel or container does not allow are left out, or are an error if the
 * caller requires all of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The layers, as bits. */
enum {
	SANDBOX_USER = 1 << 0,	       /* a user and group of its own; needs root */
	SANDBOX_DESCRIPTORS = 1 << 1,  /* only descriptors 0 to 3 are open */
	SANDBOX_LIMITS = 1 << 2,       /* data, stack, files, core dumps */
	SANDBOX_NO_NEW_PRIVS = 1 << 3, /* set-user-ID programs give no rights */
	SANDBOX_LANDLOCK = 1 << 4,     /* reads shared libraries and its own file, no other */
	SANDBOX_SECCOMP = 1 << 5, /* no sockets, no other processes; after sandbox_restrict() no
				     files */
	SANDBOX_DEATH = 1 << 6,	  /* the process is killed when its parent ends */
	SANDBOX_ALL = (1 << 7) - 1,
	/* Layers that sandbox_restrict_server() activates. */
	SANDBOX_SERVER = SANDBOX_NO_NEW_PRIVS | SANDBOX_LANDLOCK | SANDBOX_SECCOMP,
};

struct sandbox_limits {
	uint64_t data_bytes;  /* writable memory, threads' stacks included */
	uint64_t stack_bytes; /* stack of the first thread, and the default of the others */
	uint64_t cpu_s;	      /* processor time of all threads, after which the process is killed;
				 0: no limit */
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
 * Activates all possible layers for the calling process. program is a descriptor of the executable
 * that will be started, which is 4 afterwards; network is NULL for a program without a network.
 * Returns the active layers.
 */
unsigned sandbox_enter(const struct sandbox_limits *limits, const struct sandbox_network *network,
		       int *program) __attribute__((warn_unused_result));

/*
 * System calls that are still allowed after sandbox_restrict().
 *
 *   SANDBOX_GO: calls of Go's runtime, threads of its own included.
 *   SANDBOX_SCRIPT: calls of an interpreter in C with one thread: its memory, a timer, open
 *   descriptors, and yielding to others.
 *   SANDBOX_NETWORK: calls allowed with a network, without exec.
 */
enum sandbox_list { SANDBOX_GO, SANDBOX_SCRIPT, SANDBOX_NETWORK };

/*
 * Takes from all threads of the calling process the rights that only its start needed: files, exec,
 * prctl. Returns 0, or a negative errno without any change.
 */
int sandbox_restrict(enum sandbox_list list) __attribute__((warn_unused_result));

/*
 * Rights of a server's process beside its sockets, its memory, its threads and its open files.
 * Without is_client it may additionally only connect to unix sockets.
 */
struct sandbox_server {
	/*
	 * The process looks up names and connects to other servers over TCP: it reads files, loads
	 * shared libraries and opens internet and unix sockets.
	 */
	bool is_client;
	/*
	 * Files, and folders with their content, that a client reads; NULL at the end. Missing
	 * paths are skipped. A new file that replaces a named one is not readable, so prefer
	 * folders. Without Landlock a client can read everything that its user may read.
	 */
	const char *const *readable;
	/*
	 * Read end of a pipe whose content the process splices into standard error without waiting;
	 * 0: it writes to standard error as usual.
	 */
	int spliced;
	/*
	 * The process has a sanitizer, which writes reports, starts programs and traces the process
	 * to find leaks. These calls are allowed then, and Landlock is left out; the server's own
	 * calls are restricted as usual, so that its tests find calls missing from the list.
	 */
	bool has_sanitizer;
};

/*
 * Restricts the calling process, which must have only one thread, since Landlock does not restrict
 * other existing threads. Exec, other processes, other users, tracing, namespaces, and memory that
 * is writable and executable are forbidden for good, as are files that are not open, except those
 * of a client. Refused calls fail with EPERM (seccomp) or EACCES (Landlock). Returns the active
 * layers.
 */
unsigned sandbox_restrict_server(const struct sandbox_server *server)
    __attribute__((warn_unused_result));

/* Returns the layers of SANDBOX_SERVER that this kernel and container allow, without activating
 * them. */
unsigned sandbox_server_layers(bool has_sanitizer);

/*
 * Forbids io_uring to the calling process and its children: its calls fail with ENOSYS, as on a
 * kernel without it, so that libraries use other calls. Each program must call this first, before a
 * library (libuv since 1.45, for each loop) makes a ring that a later sandbox_restrict() would cut
 * off. Sets no_new_privs. Returns false if the kernel or container has no seccomp, or under
 * valgrind.
 */
bool sandbox_refuse_io_uring(void);

/*
 * Whether the process runs under valgrind, which makes system calls and opens files from inside the
 * process: then nothing is restricted.
 */
bool sandbox_is_under_valgrind(void);

/*
 * Returns the names of the layers in among, separated by spaces, each with a "-" before it if it is
 * not in layers. The text is static and valid until the next call.
 */
const char *sandbox_layer_names(unsigned layers, unsigned among);
