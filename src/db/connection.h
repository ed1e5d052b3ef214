/* Connection to the database, made again by itself whenever it is lost.
 *
 *   RESTING --deadline--> OPENING --libpq--> PREPARING --answers--> UP
 *   ^  ^                     |                   |                  |
 *   |  +---------------------+---- lost, late ---+------------------+      any --> CLOSED
 *   wake
 *   |                                                             not needed
 *   ASLEEP <----------------------------------------------------------- any
 *
 * RESTING waits for the next attempt: a moment after a working connection was lost, then longer and
 * longer. OPENING tries each server of the connection string for a while (opening.h). In PREPARING
 * the deadline ends the attempt; in UP it ends a connection on which nothing came back for too
 * long. */
#pragma once

#include "connection_log.h"
#include "connection_set_up.h"
#include "db/storage.h"
#include "loop/loop.h"
#include "metric/metric.h"
#include "opening.h"
#include "pipeline.h"

enum db_connection_state {
	CONNECTION_ASLEEP,
	CONNECTION_RESTING,
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
	uint64_t answer_ms; /* the longest silence while something is expected */
	/* See pipeline.h; NULL where no query's rows come one by one. */
	void (*on_row)(struct connection *connection, struct db_query *query,
		       const struct db_result *row);
	void (*on_answer)(struct connection *connection, struct db_query *query,
			  const struct db_result *result);
	/* See pipeline.h; NULL where no lock_timeout is set. */
	void (*on_locked)(struct connection *connection, struct db_query *query, bool is_culprit);
	/* See pipeline.h. The owner sends the query again no earlier than on_down(). */
	void (*on_return)(struct connection *connection, struct db_query *query, bool may_repeat);
	void (*on_up)(struct connection *connection);
	/* The connection was lost, another attempt failed, or it has gone to sleep. */
	void (*on_down)(struct connection *connection);
	void (*on_notify)(struct connection *connection, struct str payload); /* or NULL */
};

struct connection {
	struct loop *loop;
	const struct connection_role *role;
	void *owner;
	unsigned number;     /* within its role */
	struct hosts *hosts; /* shared by the connections of a worker */
	const struct statement_entry *statements;
	unsigned statement_count;
	enum statement_effect effect;	       /* only statements with this effect are prepared */
	bool is_apart;			       /* or those with a connection of their own */
	struct storage *storage;	       /* see struct pipeline */
	const struct change_listener *changes; /* likewise */
	bool session_pooler;		       /* one may stand between us and the server */
	const uint8_t *key_fingerprint;	       /* see struct set_up */
	/* Whether the next attempt leaves each statement until it is used first. Preparing all
	 * takes the server 50 ms of CPU, in which a worker that starts would serve nobody. Any
	 * later attempt prepares all: the database may be another one by then, and a connection is
	 * up only if all statements fit it. */
	bool prepares_none;

	enum db_connection_state state;
	struct opening opening; /* while OPENING */
	PGconn *pg;		/* while PREPARING and UP; else NULL */
	struct poller *poller;	/* of libpq's socket; NULL while it is not watched */
	struct pipeline pipeline;
	struct deadline deadline;
	struct deadline conflict_deadline; /* set while the pipeline has conflicted queries */
	struct set_up set_up;		   /* while PREPARING */
	enum unavailable unavailable;	   /* why it is not up, where it was tried */
	unsigned failures;		   /* failed attempts since the connection last worked */
	uint64_t heard_ms;		   /* when answers came last; loop_now_ms() */
	bool was_up;			   /* until it was lost last, while no attempt has failed */
	struct connection_log log;
};

/* The caller has set the members up to effect. The first attempt begins in the next turn of the
 * loop. */
void connection_start(struct connection *connection);

/* The same, but the first attempt begins after connection_wake(). */
void connection_start_asleep(struct connection *connection);

/* Makes a connection that is asleep, from the next turn of the loop on. */
void connection_wake(struct connection *connection);
/* Ends it until it is woken. False: queries or an attempt to make it are under way, and nothing has
 * changed. */
__attribute__((warn_unused_result)) bool connection_sleep(struct connection *connection);
bool connection_is_asleep(const struct connection *connection);

/* The first attempt to make it, at the start or after it was lost, has not failed yet. False also
 * for a connection that was lost because it did not answer, or that was lost twice in a row before
 * any statement had succeeded. */
bool connection_is_hopeful(const struct connection *connection);

/* Whether the connection was up until a moment ago and is being made again, or will be when its
 * last answers have come: queries may wait for that. */
bool connection_returns(const struct connection *connection);

/* Whether the connection accepts queries: call pipeline_send() and then connection_flush(). */
bool connection_is_up(const struct connection *connection);

/* Sends what libpq holds. error: what the pipeline_*() call before returned; where it failed, the
 * connection is lost. */
void connection_flush(struct connection *connection, int error);

/* Pause of a connection after so many failed attempts in a row, shortened at random by up to half.
 * is_near: the server is on this machine. */
uint64_t connection_rest_ms(unsigned failures, bool is_near);

/* Reads nothing until connection_resume(), and expects no answer meanwhile. */
void connection_pause(struct connection *connection);
/* Takes what has come, which may call on_row() and on_answer(). Nothing happens where it is not
 * paused. */
void connection_resume(struct connection *connection);

/* Nothing has come from its server since then, though something may not be expected either. False
 * for one that is not up, or is paused. */
bool connection_is_silent(const struct connection *connection, uint64_t since_ms);
/* Ends one that is up, as its server does not answer: its queries are not sent again. */
void connection_cut_silent(struct connection *connection);

/* Ends a connection that is up for a reason of its owner's; another one is made. Returns the
 * queries under way. */
void connection_cut(struct connection *connection, struct str reason);

/* Returns the queries under way, with may_repeat false. Calls nothing afterwards. */
void connection_close(struct connection *connection);
