/* List queries: reads of many rows, over connections of their own.
 *
 *   db_list() -> wait for a connection -> on_row(), on_row(), ... -> done()
 *                                          db_list_query_pause() / db_list_query_resume()
 *
 * The rows come one by one, as the server sends them, and all belong to one snapshot. While the
 * list query is paused nothing is read, so that no more than a few rows lie in memory, whatever the
 * size of the list. Each account has one list query under way at a time and a bounded number of
 * those that wait; the accounts take turns. */
#pragma once

#include "db/query.h"

struct connection;

/* Embed it in an object that stays until done(). */
struct db_list_query {
	struct db_query query; /* filled by the function of a statement that reads; with done() set:
				  its result has no rows, and DB_OK where all of them have come;
				  account_id says whose share it uses */
	/* Called from the loop, before done(). row: one row, number 0, valid inside the call. */
	void (*on_row)(struct db_list_query *list_query, const struct db_result *row);
	struct connection *connection; /* private: NULL while it waits */
};

/* Never calls anything inside. False: too many list queries of this account, or of all, wait; then
 * nothing is called later either. The caller answers 503. */
__attribute__((warn_unused_result)) bool db_list(struct db *db, struct db_list_query *list_query);

/* Stops on_row() until db_list_query_resume(), but for the rest of the result that is being taken.
 * A list query that is slow, being paused again and again, ends with DB_UNAVAILABLE when it is
 * overdue: LIMIT_LIST_TURN_MS where another one waits for its place, else LIMIT_LIST_MS. May be
 * called inside on_row(). */
void db_list_query_pause(struct db_list_query *list_query);
/* Nothing happens where it is not paused. */
void db_list_query_resume(struct db_list_query *list_query);
