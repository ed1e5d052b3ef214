/* A statement on its way to the database and back. */
#pragma once

#include "base/list.h"
#include "db/parameters.h"
#include "db/statement.h"
#include "record/value.h"

struct db;
struct record;
struct write_queue;

enum db_outcome {
	DB_OK,
	DB_CONSTRAINT,	/* rejected by a constraint that the statement's header names: see
			 * constraint_error */
	DB_UNAVAILABLE, /* no database, queue full, or the connection broke under way (a write may
		    then have happened or not): 503 with Retry-After */
	DB_BLOCKED, /* a write that was not made: its rows stay locked, or too many writes of its
		       account wait for locked rows: 503 with Retry-After */
	DB_OVERDUE, /* a list query, or a read whose work grows, that waited too long, or that found
		       too many waiting: 503 with Retry-After */
	DB_STALE,   /* a write that was not made: its turn came after stale_ms */
	DB_FAILED,  /* any other error, logged with its SQLSTATE: 500 */
};

struct db_result {
	enum db_outcome outcome;
	enum constraint_error constraint_error;
	unsigned row_count;
	unsigned column_count;
	const void *rows;   /* private */
	unsigned first_row; /* private */
};

/* Reads a row into a struct of the record, which has the result's columns; row must be in range.
 * Texts are copied into the arena. */
void db_read_row(const struct db_result *result, unsigned row, const struct record *record,
		 struct arena *arena, void *ret_row);
/* Reads all rows, as an array of the record's structs in the arena. */
void *db_read_rows(const struct db_result *result, const struct record *record,
		   struct arena *arena);

/* Value of a row and a column, which must be in range. Valid during done(). */
struct record_value db_value(const struct db_result *result, unsigned row, unsigned column);

/* Query. The caller embeds it in a struct of its own. The query and its parameters must stay valid
 * until done() runs.
 */
struct db_query {
	struct list node;	 /* private */
	unsigned char conflicts; /* private: how often it failed because of another transaction */
	unsigned char moves;	 /* private: how often it moved to another connection */
	bool is_batched;	 /* private: it is part of a batched read, see src/db/batched_read.h
				  */
	bool by_rows;		 /* private: its rows come one by one, see db/list_query.h */
	bool has_rows;		 /* private: some rows have come */
	void *uncommitted;	 /* private: the result of a write that awaits its commit */
	struct write_queue *queue; /* private: write queue of a write, see src/db/write_queue.h */
	uint64_t since_ms; /* private: since when it waits for a lock or a turn, or had its turn */
	enum db_outcome late_outcome; /* private: see src/db/late.h */
	/* Account whose share the query uses: of writes that wait for locked rows, and of reads
	 * whose work grows. Zero: the server's own share. */
	struct id account_id;
	/* NULL, or tests whether a read whose work grows is still needed. If not, it ends with
	 * DB_UNAVAILABLE when its turn comes, or when another read needs its place. */
	bool (*is_wanted)(const struct db_query *query);
	/* 0, or the time of the loop from which a write is not sent any more, but answered
	 * DB_STALE: its caller asks again whether it may. */
	uint64_t stale_ms;
	bool is_asked_again; /* after DB_STALE: its time to wait for locked rows goes on */
	/* Set by the statement's function of db/statements.h: */
	enum statement statement;
	struct db_parameters parameters;
	const struct record *record; /* of its rows; NULL: it has none */
	void *row;		     /* where the caller wants its row, or NULL */
	/* Always called later, from the loop. It may free the query. */
	void (*done)(struct db_query *query, const struct db_result *result);
};

static inline void db_query_init(struct db_query *query, struct arena *arena)
{
	db_parameters_init(&query->parameters, arena);
	query->account_id = (struct id){0};
	query->is_wanted = NULL;
	query->stale_ms = 0;
	query->is_asked_again = false;
}

/* Statement that runs instead if a change has this column only. */
struct db_alone {
	const char *column;
	enum statement statement;
};

/* Begins a query; called by db/statements.h. */
static inline void db_query_begin(struct db_query *query, enum statement statement,
				  const struct record *record, void *row)
{
	query->statement = statement;
	db_parameters_init(&query->parameters, query->parameters.arena);
	query->record = record;
	query->row = row;
}

/* Chooses a column's own statement, if it has one and is the only column of the record that is
 * present. Called by db/statements.h. */
void db_query_alone(struct db_query *query, const struct db_alone *alone, unsigned count,
		    const struct record *record, uint64_t present);

/* Queues the query; never calls done() inside. The reads of a turn of the loop share a
 * sync, and reads of one statement may be batched. Each write has its own sync, unless it shares a
 * commit: see db/statement.h.
 *
 * A read whose work grows with rows of others has a connection of its own, so that no other read
 * waits for it. Each account has one such read under way at a time and a bounded number of waiting
 * ones; the accounts take turns. */
void db_submit(struct db *db, struct db_query *query);
