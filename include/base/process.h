/* Starts a process: a program, or a function of this program, with a user, limits, and a signal
 * that ends it when its parent ends.
 *
 *   fork -> limits -> user -> rights -> death signal -> [apart: session, signals, descriptors]
 *        -> priority -> run | exec
 *
 * A process that is apart starts from nothing: it leads a session (Ctrl-C in a terminal does not
 * reach it), signals have their defaults, its working directory is "/", its umask 077, and it has
 * only the descriptors that it is given. A program should be apart. A function that is not apart
 * keeps all that its parent had, blocked signals included. */
#pragma once

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

enum { PROCESS_FDS_MAX = 16 };

struct process_user {
	uid_t uid;
	gid_t gid; /* its only group */
};

/* Soft and hard limit, capped at the hard limit of this process: RLIM_INFINITY means as much as
 * allowed. */
struct process_limit {
	int resource; /* RLIMIT_NOFILE */
	rlim_t value;
};

struct process {
	/* Program to execute: its absolute path and its arguments, NULL at the end; and its
	 * environment. */
	const char *const *arguments;
	const char *const *environment;
	/* Function to run if arguments is NULL. Its result is the exit code. */
	int (*run)(void *context);
	void *context;

	const struct process_user *user; /* NULL: the same as this process */
	const struct process_limit *limits;
	unsigned limit_count;
	/* Removes all capabilities; no program that it executes regains any, see base/rights.h.
	 * Root without capabilities is a user who owns many files. */
	bool gives_up_rights;
	int death_signal; /* sent to the process when the thread that started it ends */
	/* See priority_set(), or priority_set_process() with keeps_session. If it is above 0, the
	 * process also takes the system's own turns; 0: as this process. */
	int nice;

	/* It has only the descriptors that it is given, default signals, and a session of its own,
	 * unless keeps_session. */
	bool is_apart;
	bool keeps_session;
	/* Only if apart: processes that it starts end with it, too, when the parent ends or sends
	 * the death signal, except those in a process group of their own. A guard process is
	 * started in between: the process ID is the guard's, which ends as the process does.
	 * Without the guard, a death signal reaches no grandchild. */
	bool is_guarded;
	/* Only if apart: its working directory, instead of "/". */
	const char *folder;
	const int *fds; /* they become its descriptors 0, 1, 2, ...; only if apart */
	unsigned fd_count;
};

/* Starts it. Returns the process ID or a negative errno. A program that cannot be executed ends
 * with 127; a process that cannot get its user, a limit or a descriptor, or give up its rights,
 * ends with 126. */
__attribute__((warn_unused_result)) pid_t process_start(const struct process *process);
