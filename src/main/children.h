/* Children of the supervisor, from the first start to the last end.
 *
 *   START --(every line was started, each that runs once has ended well)--> RUN
 *     |                                                                      |
 *     +--(a line failed)-----------------> STOP <--(children_stop())---------+
 *                                           |
 *     one stop order after the other: asked, then killed when its time is up
 *                                           v
 *                                          END
 *
 * While they run, lines that can be renewed may be, by children_renew():
 *
 *   NONE -> STARTING --(all fresh ones serve; the others retire)---> DONE ----+
 *                  |                                                          |
 *                  +---(one ends or takes too long; these retire)--> FAILED --+
 *                                                                             |
 *   NONE <--(children_take_result())------------------------------------------+
 *
 * A current child that ends meanwhile is started again only after the result was taken, if it is
 * still needed.
 *
 * A line of which CHILD_CRASHES_MAX processes in a row have ended before one was ready is in a
 * crash loop: it is given up, and displayd stops with EXIT_CRASHES unless it can run without it.
 *
 * Events come in by these functions, with the time; actions go out by struct child_system. So the
 * tests run it without processes, with a clock of their own. */
#pragma once

#include "main/child.h"

enum children_phase { CHILDREN_START, CHILDREN_RUN, CHILDREN_STOP, CHILDREN_END };
enum children_renewal { RENEWAL_NONE, RENEWAL_STARTING, RENEWAL_DONE, RENEWAL_FAILED };

/* Functions that start and signal processes. */
struct child_system {
	/* Returns the process ID, or a negative number, and logs the reason. */
	pid_t (*start)(struct instance *instance, const struct child *child);
	void (*signal)(pid_t pid, int number);
};

struct children {
	struct instance *instance;
	const struct child_system *system;
	const struct child_kind *const *kinds;
	unsigned kind_count;
	struct child *all; /* by kind, then index */
	unsigned count;

	enum children_phase phase;
	bool has_been_ready;	  /* a child that is renewed was ready: late lines are started */
	unsigned next_kind;	  /* START: the next line to start */
	enum exit_code exit_code; /* exit code of displayd */
	enum children_renewal renewal;
	uint64_t renewal_since_ms;
	unsigned stop_requests; /* how often children_stop() was called */
	unsigned stop_order;	/* STOP: current order, and since when */
	uint64_t stop_since_ms;
	const struct child *crashed; /* EXIT_CRASHES: the last child of the crash loop, and its
					status */
	int crash_status;
};

/* kinds, system and instance must outlive it. Free with children_finish(). */
void children_init(struct children *children, const struct child_kind *const *kinds,
		   unsigned kind_count, const struct child_system *system,
		   struct instance *instance);
void children_finish(struct children *children);

/* Starts the first children. */
void children_start(struct children *children, uint64_t now_ms);

/* Starts new children on all lines that can be renewed. Only while they run, no renewal is under
 * way and children_may_renew(). */
void children_renew(struct children *children, uint64_t now_ms);
/* False while children of an earlier renewal retire. */
bool children_may_renew(const struct children *children);
/* Returns RENEWAL_DONE or RENEWAL_FAILED once after the end of a renewal; else RENEWAL_NONE. */
enum children_renewal children_take_result(struct children *children);

/* Whether all current children of the lines that can be renewed are ready. */
bool children_are_ready(const struct children *children);

/* Starts the line of this name, which runs on demand. Only while they run. */
void children_run(struct children *children, const char *name, uint64_t now_ms);

/* Starts children again that were given up after a crash loop. */
void children_try_again(struct children *children, uint64_t now_ms);

/* Ends the children of the line of this name and starts them again at once. Only while they run. */
void children_restart(struct children *children, const char *name);

/* Takes the end of a process, with the status of waitpid(). Ignores processes that are not
 * children. */
void children_note_end(struct children *children, pid_t pid, int status, uint64_t now_ms);

/* Stops the children in their order; a second call ends all at once. */
void children_stop(struct children *children, uint64_t now_ms);

/* Does what is due. Returns when to call it again: UINT64_MAX if nothing waits for a time; now_ms
 * as long as the result of a renewal was not taken. */
uint64_t children_run_due(struct children *children, uint64_t now_ms);
