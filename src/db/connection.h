/* Connection to the database, which is opened again automatically when it is lost.
 *
 *   PAUSED --deadline--> OPENING --libpq--> PREPARING --answers--> UP
 *   ^  ^                     |                   |                  |
 *   |  +---------------------+---- lost, late ---+------------------+      any --> CLOSED
 *   wake
 *   |                                                             not needed
 *   ASLEEP <----------------------------------------------------------- any
 *
 * PAUSED waits for the next attempt: a moment after a working connection was lost, then longer and
 * longer. OPENING asks which server is the newest (survey.h), and tries each server of the
 * connection string for a while (opening.h). In PREPARING the deadline ends the attempt; in UP it
 * ends a connection that was silent for too long. */
#pragma once

#include "connection_log.h"
#include "connection_set_up.h"
#include "db/storage.h"
#include "doubts.h"
#include "loop/loop.h"
#include "metric/metric.h"
#include "opening.h"
#include "pipeline.h"
#include "survey.h"

enum db_connection_state {
	CONNECTION_ASLEEP,
	CONNECTION_PAUSED,
	CONNECTION_OPENING,
	CONNECTION_PREPARING,
	CONNECTION_UP,
	CONNECTION_CLOSED,
};

struct connection;

/* Properties of all connections of one kind. */
struct connection_role {
	const char *name;
	enum metric_database_role metric;
	const char *first;  /* a statement that a new connection begins with, or NULL */
	uint64_t answer_ms; /* longest silence while an answer is expected */
	/* See pipeline.h; NULL if no query's rows come one by one. */
	void (*on_row)(struct connection *connection, struct db_query *query,
		       const struct db_result *row);
	void (*on_answer)(struct connection *connection, struct db_query *query,
			  const struct db_result *result);
	/* See pipeline.h; NULL if no lock_timeout is set. */
	void (*on_locked)(struct connection *connection, struct db_query *query, bool is_culprit);
	/* See pipeline.h. The owner sends the query again no earlier than on_down(). */
	void (*on_return)(struct connection *connection, struct db_query *query, bool may_repeat);
	void (*on_up)(struct connection *connection);
	/* Called when the connection was lost, another attempt failed, or it has gone to sleep. */
	void (*on_down)(struct connection *connection);
	void (*on_notify)(struct connection *connection, struct str payload); /* or NULL */
};

struct connection {
	struct loop *loop;
	const struct connection_role *role;
	void *owner;
	unsigned number;       /* number within its role */
	struct hosts *hosts;   /* shared by the connections of a worker */
	struct survey *survey; /* likewise; NULL: the servers are not asked before */
	const struct statement_entry *statements;
	unsigned statement_count;
	enum statement_effect effect;	       /* only statements with this effect are prepared */
	bool is_apart;			       /* or those statements that need a connection of
						  their own */
	struct storage *storage;	       /* see struct pipeline */
	const struct change_listener *changes; /* see struct pipeline */
	bool *hooks_are_due;		       /* see struct hook_notice */
	struct doubts *doubts;		       /* takes writes of unknown outcome; or NULL */
	struct writers *writers;	       /* where its process is noted; or NULL */
	unsigned first_slot;		       /* there, of the first connection of its role */
	bool session_pooler;		       /* a pooler in session mode may be in between */
	const uint8_t *key_fingerprint;	       /* see struct set_up */
	/* Whether it is for list queries: libpq gives single rows only of the query that is
	 * answered next, so no preparation may be sent before it. */
	bool gives_single_rows;
	/* Whether the next attempt leaves each statement unprepared until its first use: after
	 * connection_wake(), if no attempt has failed. Preparing all takes the server 50 ms of CPU,
	 * which would delay the start of a worker, and 8 MiB. An attempt after a loss prepares all:
	 * the database may be another one by then, and a connection is up only if all statements
	 * fit it. */
	bool prepares_none;

	enum db_connection_state state;
	struct survey_wait asking; /* while OPENING: before */
	struct opening opening;	   /* while OPENING: afterwards */
	struct backend backend;	   /* process of the server while UP */
	PGconn *pg;		   /* while PREPARING and UP; else NULL */
	struct poller *poller;	   /* poller of libpq's socket; NULL while it is not watched */
	struct pipeline pipeline;
	struct deadline deadline;
	struct deadline conflict_deadline; /* set while the pipeline has conflicted queries */
	struct set_up set_up;		   /* while PREPARING */
	enum unavailable unavailable;	   /* why it is not up, if it was tried */
	unsigned failures;		   /* failed attempts since the connection last worked */
	uint64_t heard_ms;		   /* when answers came last; loop_now_ms() */
	bool was_up;			   /* it was up before, and no attempt has failed since */
	struct connection_log log;
};

/* Starts a connection, with the members up to gives_single_rows set. The first attempt begins in
 * the next turn of the loop. */
void connection_start(struct connection *connection);

/* Works as connection_start(), but the first attempt begins after connection_wake(). */
void connection_start_asleep(struct connection *connection);

/* Opens a connection that is asleep, from the next turn of the loop on. */
void connection_wake(struct connection *connection);
/* Closes the connection until it is woken. Returns false, and changes nothing, if queries or an
 * attempt are under way. */
__attribute__((warn_unused_result)) bool connection_sleep(struct connection *connection);
bool connection_is_asleep(const struct connection *connection);

/* Whether the first attempt, at the start or after a loss, has not failed yet. False also for a
 * connection that was lost because it did not answer, or that was lost twice in a row before any
 * statement had succeeded. */
bool connection_is_hopeful(const struct connection *connection);

/* Whether the connection was up until a moment ago and is being made again, or will be when its
 * last answers have come: queries may wait for that. */
bool connection_returns(const struct connection *connection);

/* Whether the connection accepts queries: if so, call pipeline_send() and then connection_flush().
 */
bool connection_is_up(const struct connection *connection);

/* Sends libpq's buffer. error: result of the previous pipeline_*() call; if that failed, the
 * connection is lost. */
void connection_flush(struct connection *connection, int error);

/* Reads nothing until connection_resume(), and expects no answer meanwhile. */
void connection_pause(struct connection *connection);
/* Takes data that has arrived, which may call on_row() and on_answer(). Does nothing if the
 * connection is not paused. */
void connection_resume(struct connection *connection);

/* Whether nothing came from the server since then, even if nothing was expected. False if the
 * connection is not up, or is paused. */
bool connection_is_silent(const struct connection *connection, uint64_t since_ms);
/* Ends a connection that is up because its server does not answer: its queries are not sent again.
 */
void connection_cut_silent(struct connection *connection);

/* Ends a connection that is up for a reason of its owner; another one is opened. Returns the
 * queries under way to their owner. */
void connection_cut(struct connection *connection, struct str reason);

/* Closes the connection. Returns the queries under way to their owner, with may_repeat false. Calls
 * nothing afterwards. */
void connection_close(struct connection *connection);
