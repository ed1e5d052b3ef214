/* Child process: its line in the table of children, and its state.
 *
 *   child_table.c defines it -> children.c acts on it (start, restart, heartbeat, stop)
 *
 * To add one: a line in child_table.c. Functions here change nothing but the struct child; times
 * are given to them, so that tests have a clock of their own. */
#pragma once

#include "base/process.h"
#include "main/exit_code.h"
#include "metric/metrics.h"

#include <stdint.h>

struct instance;

enum {
	CHILD_LIMITS_MAX = 4,
	/* Interval at which the supervisor reads heartbeats. */
	CHILD_WATCH_MS = 500,
	/* Longest time before the first heartbeat: a start may take long on a busy machine. */
	CHILD_FIRST_BEAT_MS = 60 * 1000,
	/* Processes of a line that may end in a row before one is ready. */
	CHILD_CRASHES_MAX = 10,
};

/* Line of the table. Children start in the order of the lines. */
struct child_kind {
	const char *name; /* name in the log: "worker" */
	enum metric_child metric;
	/* Number of these children; 0: none with this configuration. It must not change. */
	unsigned (*count)(const struct instance *instance);

	/* Function that starts the child, one of the two. run: called in a forked process, whose
	 * HOME is its user's; index from 0, its result is the process's exit code. start: starts a
	 * program with this line's user, limits and death signal; returns its process ID, or a
	 * negative number with a reason logged. */
	int (*run)(struct instance *instance, unsigned index);
	pid_t (*start)(struct instance *instance, const struct process *as);
	const struct process_user *(*user)(const struct instance *instance); /* NULL: displayd's */
	bool gives_up_rights; /* no capabilities, even as root: see base/process.h */
	struct process_limit limits[CHILD_LIMITS_MAX];
	unsigned limit_count;

	/* False: it runs once, and later lines start when it has ended successfully. True: it is
	 * started again whenever it ends, after a delay that grows while it keeps ending early. */
	bool is_kept;
	/* Child that is not kept, and not started before children_run() is called. */
	bool is_on_demand;
	/* Child that is kept, and first started when a child that can be renewed is ready: its
	 * start takes no processor time from theirs. */
	bool is_late;
	/* Line that is not kept and runs again before this one is restarted; NULL: none. */
	const struct child_kind *preparation;
	/* Exit code of displayd if this kept child ends before all were started. For a child that
	 * is not kept, its own exit code counts. */
	enum exit_code exit_code;

	/* Returns a number that changes while the child is alive. If it stays the same for
	 * silence_ms, the child is killed. NULL: no heartbeat. */
	uint32_t (*heartbeat)(const struct instance *instance, unsigned index);
	unsigned silence_ms;

	/* Called when a process has ended, whatever the reason. NULL: nothing is called. */
	void (*ended)(const struct instance *instance, unsigned index);

	/* Whether the process has begun its work. NULL: a crash loop of this line never ends.
	 */
	bool (*is_ready)(const struct instance *instance, unsigned index, pid_t pid);
	/* Called after a crash loop, when the line is given up. NULL: displayd stops. */
	void (*given_up)(struct instance *instance);

	/* The line, which has is_ready, has twice count() indices. For a renewal, new children
	 * start in the second half; when they are ready, those in the first half get the signal
	 * retire_signal, after which they end when they have no work left. Next time it is the
	 * other way round. */
	bool is_renewed;
	int retire_signal;
	unsigned retire_ms; /* time after which a draining child is killed */

	/* Children of a higher order are stopped when those of lower orders have ended. */
	unsigned stop_order;
	int stop_signal; /* also sent by the kernel when the supervisor is gone */
	int stop_at_once_signal;
	unsigned stop_ms; /* time after which it is killed */

	/* NULL, or its output: a descriptor to poll (-1: none), and the function that reads it.
	 * read_output is also called when the child has ended. */
	int (*output)(const struct instance *instance);
	void (*read_output)(struct instance *instance);
};

/* Role of a child whose line can be renewed; children of other lines are current. */
enum child_role {
	CHILD_CURRENT,
	CHILD_UNUSED,	/* an index at which nothing runs */
	CHILD_NEW,	/* new: replaces a current one once all new ones serve */
	CHILD_DRAINING, /* draining: ends when it has no work left */
};

struct child {
	const struct child_kind *kind;
	unsigned index; /* index among its kind, from 0 */
	enum child_role role;
	uint64_t retire_at_ms; /* while draining: when it is killed */
	pid_t pid;	       /* 0: not running */
	bool is_restarted;     /* was stopped in order to be started again at once */
	bool is_given_up;      /* after a crash loop */
	unsigned crashes;      /* ends of its line since one was ready */
	uint64_t started_ms;   /* time of the last start */
	uint64_t start_at_ms;  /* while not running: when it is started again */
	unsigned waits_ms;     /* delay from its end to that start */
	unsigned delay_ms;     /* delay after its next end */

	uint32_t beat; /* last value of the heartbeat */
	bool has_beaten;
	uint64_t watched_ms;
	unsigned silent_ms;
};

/* Notes a start with this process ID; beat: its heartbeat before the start. */
void child_note_start(struct child *child, pid_t pid, uint32_t beat, uint64_t now_ms);

/* Notes that the child ended, or could not be started. */
void child_note_end(struct child *child, uint64_t now_ms);

/* Notes that the child ended on request: it is started again at once. */
void child_note_restart(struct child *child, uint64_t now_ms);

/* Takes the child's heartbeat; call it about every CHILD_WATCH_MS. Returns true if the child was
 * silent for too long; then the count begins anew.
 *
 * Silence is counted in calls: time in which the supervisor itself did not run (stopped, starved,
 * the machine asleep) counts as two calls at most, however long it was. */
__attribute__((warn_unused_result)) bool child_is_hung(struct child *child, uint32_t beat,
						       uint64_t now_ms);
