/* Hands queries to libpq, and before them the statements that the connection has not prepared yet.
 *
 * Each statement is prepared in a batch of its own, so that an error of a query never affects a
 * preparation. libpq sends everything in one flush, and the server answers in order: only queries
 * that need a preparation wait for it. */
#pragma once

#include "batch.h"
#include "db/result.h"

#include <libpq-fe.h>

/* Maximum of statements in a table. */
enum { SENDER_STATEMENTS_MAX = 512 };

struct sender {
	const struct statement_entry *statements;
	/* Statements that are not prepared on this connection, a bit each: a statement is prepared
	 * before its first use. */
	uint64_t unprepared[SENDER_STATEMENTS_MAX / 64];
	/* Per statement: why its last preparation failed, an enum result_class; RESULT_OK: it did
	 * not fail. */
	uint8_t failed[SENDER_STATEMENTS_MAX];
};

/* Begins with a new connection, on which either all statements are prepared already, or none.
 * count: number of statements. */
void sender_begin(struct sender *sender, const struct statement_entry *table, unsigned count,
		  bool prepares_none);

/* Prepares the statements that the batch needs; the batch is the last of its list, and not sent
 * yet. Returns 0, or -EIO with libpq's message. */
__attribute__((warn_unused_result)) int sender_prepare(struct sender *sender, PGconn *pg,
						       struct batch *batch);

/* Sends a query without a sync. Returns 0, or -EIO with libpq's message. */
__attribute__((warn_unused_result)) int sender_send(const struct sender *sender, PGconn *pg,
						    struct db_query *query);

/* Sends a sync: libpq before version 17 at once, later versions with the next flush. Returns 0, or
 * -EIO with libpq's message. */
__attribute__((warn_unused_result)) int sender_sync(PGconn *pg);

/* Takes a result of a batch that prepares; the last one frees the batch. Returns 0, also if the
 * server could not prepare the statement now, such as because its table is locked: then it is
 * prepared before its next use. Returns -EIO with the reason if the statement does not fit the
 * database. */
__attribute__((warn_unused_result)) int sender_take_preparation(struct sender *sender,
								struct batch *batch,
								const PGresult *result,
								char *ret_reason, size_t size);

/* Returns result_class() of a query's result. If its statement is unknown to the server because the
 * preparation failed, that error counts: it would have been the query's. */
enum result_class sender_result_class(const struct sender *sender, const struct db_query *query,
				      const PGresult *result, enum constraint_error *ret_error);
