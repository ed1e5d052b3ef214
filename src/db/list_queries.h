/* Connections for long queries, and the accounts' turns on them: one object for list queries
 * (db/list_query.h), one for reads whose work grows with rows of others (db/query.h), which so
 * never wait for a slow reader, and one for statements that have a connection of their own
 * (db/statement.h). */
#pragma once

#include "background_common.h"
#include "db/list_query.h"
#include "late.h"
#include "on_demand.h"

enum {
	LIST_CONNECTIONS = 2,
	GROWING_CONNECTIONS = 1,
	APART_CONNECTIONS = 1,
	LIST_QUERY_CONNECTIONS_MAX = 2
};

struct list_connection {
	struct connection connection;
	struct db_query *query; /* under way, or NULL */
	struct later resume;
};

struct list_queries {
	struct loop *loop;
	struct background *background; /* or NULL */
	struct connection_role role;
	uint64_t turn_ms, longest_ms; /* maximum time for which a slow reader keeps a connection */
	unsigned count;
	struct list_connection connections[LIST_QUERY_CONNECTIONS_MAX];
	struct on_demand on_demand; /* the connections */
	struct list waiting;	    /* of struct db_query */
	unsigned waiting_count;
	struct deadline overdue; /* set while a query waits or is under way */
	struct late late;	 /* queries that are answered without the database */
	struct later wake;	 /* keeps the loop from sleeping before the end of the turn */
	bool closed;
};

/* First statement of a connection for list queries: since readers may be slow, statements may take
 * longer than LIMIT_LIST_MS. */
extern const char list_queries_first[];
/* First statement of a connection for statements with a connection of their own: LIMIT_APART_MS. */
extern const char list_queries_apart_first[];

/* connection: has the members up to gives_single_rows and the number of the first, except the role
 * and the owner. count: number of connections. first: their first statement, or NULL. idle_ms: see
 * on_demand_init(). background: gets the server processes of the connections; or NULL. */
void list_queries_start(struct list_queries *lists, const struct connection *connection,
			unsigned count, const char *first, uint64_t idle_ms,
			struct background *background);

/* Adds a query; by_rows is set if it is a list query's. Returns false if too many queries of this
 * account, or of all, wait. is_away: the database is unavailable, by the other connections. */
__attribute__((warn_unused_result)) bool
list_queries_add(struct list_queries *lists, struct db_query *query, bool is_unavailable);

/* Call it at the end of a turn: gives free connections to waiting queries. */
void list_queries_flush(struct list_queries *lists);

/* Whether no query waits, is under way or must be answered. */
bool list_queries_are_idle(const struct list_queries *lists);
unsigned list_queries_count_up(const struct list_queries *lists);
/* Number of queries under way. */
unsigned list_queries_count_sent(const struct list_queries *lists);

/* Answers all remaining queries DB_UNAVAILABLE, later; list_queries_are_idle() is true when that is
 * done. */
void list_queries_close(struct list_queries *lists);
