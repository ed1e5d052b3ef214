/* List queries: reads of many rows, over connections of their own.
 *
 *   db_list() -> wait for a connection -> on_row(), on_row(), ... -> done()
 *                                          db_list_query_pause() / db_list_query_resume()
 *
 * The rows come one by one, as the server sends them, and all belong to one snapshot. A paused list
 * query reads nothing, so that only a few rows lie in memory, whatever the size of the list. Each
 * account has one list query under way at a time and a bounded number of waiting ones; the accounts
 * take turns. */
#pragma once

#include "db/query.h"

struct connection;

/* Embed it in an object that lives until done(). */
struct db_list_query {
	struct db_query query; /* filled by the function of a read statement; done() gets no rows,
				* and DB_OK if all of them have come; account_id: the account whose
				* share it uses */
	/* Called from the loop, before done(). row: one row, number 0, valid inside the call. */
	void (*on_row)(struct db_list_query *list_query, const struct db_result *row);
	struct connection *connection; /* private: NULL while it waits */
};

/* Queues the list query; never calls its functions inside. Returns false if too many list queries
 * of this account, or of all, wait: then nothing is called later either, and the caller answers
 * 503. */
__attribute__((warn_unused_result)) bool db_list(struct db *db, struct db_list_query *list_query);

/* Stops on_row() until db_list_query_resume(), except for rows that were already received. A list
 * query that takes too long because of pauses ends with DB_UNAVAILABLE: after LIMIT_LIST_TURN_MS if
 * another one waits for its connection, else after LIMIT_LIST_MS. May be called inside on_row(). */
void db_list_query_pause(struct db_list_query *list_query);
/* Does nothing if the list query is not paused. */
void db_list_query_resume(struct db_list_query *list_query);
