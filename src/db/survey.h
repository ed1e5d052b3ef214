/* Asks all servers of a connection string which of them has the highest timeline (db/timeline.h),
 * before a connection is made again: on a worker thread, since it waits. One survey serves all
 * connections that wait for it.
 *
 *   join --> a thread asks for 2 s at most --> the best server has the first turn --> done
 *
 * Nothing is asked if there is one server, if a survey has just found one, or for a further
 * connection beside others that are up: the check of each new connection is enough then. */
#pragma once

#include "host_turns.h"
#include "loop/loop.h"

struct survey {
	struct loop *loop;
	struct hosts *hosts;
	struct list waiting;	/* of struct survey_wait */
	struct survey_job *job; /* under way; or NULL */
	struct deadline late;	/* set while the job is under way */
	uint64_t found_ms;	/* loop time of the last one that has found a server; 0: none */
	unsigned up_count;	/* connections that are up */
};

/* Embed it, zeroed. */
struct survey_wait {
	struct list node;
	void (*done)(struct survey_wait *wait);
};

/* loop and hosts must outlive the survey. */
void survey_init(struct survey *survey, struct loop *loop, struct hosts *hosts);
/* Call it when a connection goes up or down. survey: NULL is allowed here and below. */
void survey_count(struct survey *survey, bool was_up, bool is_up);
/* is_further: the connection is a new one, which was not lost. Calls done() when servers were asked
 * or took too long; inside this call if they need not be asked. */
void survey_join(struct survey *survey, struct survey_wait *wait, bool is_further);
/* Returns whether it has waited: done() is not called any more. */
bool survey_leave(struct survey_wait *wait);
/* Call it when all have left. A thread may be under way until the loop ends. */
void survey_close(struct survey *survey);
