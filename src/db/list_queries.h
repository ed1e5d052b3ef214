/* Connections whose queries take long, and the accounts' turns on them: one object for list queries
 * (db/list_query.h), one for reads whose work grows with what others have made (db/query.h), so
 * that these never wait for a reader who is slow, and one for statements that have a connection of
 * their own (db/statement.h). */
#pragma once

#include "background_common.h"
#include "db/list_query.h"
#include "late.h"
#include "on_demand.h"

enum {
	LIST_CONNECTIONS = 2,
	GROWING_CONNECTIONS = 1,
	APART_CONNECTIONS = 1,
	LISTINGS_CONNECTIONS_MAX = 2
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
	uint64_t turn_ms, longest_ms; /* how long a slow reader may keep a connection */
	unsigned count;
	struct list_connection connections[LISTINGS_CONNECTIONS_MAX];
	struct on_demand on_demand; /* these connections */
	struct list waiting;	    /* of struct db_query */
	unsigned waiting_count;
	struct deadline overdue; /* set while a query waits or is under way */
	struct late late;	 /* those that are answered without the database */
	struct later wake;	 /* the loop does not sleep before the turn's end */
	bool closed;
};

/* The first statement of a connection for list queries, whose readers may be slow: statements may
 * take longer than LIMIT_LIST_MS. */
extern const char list_queries_first[];
/* The same for statements that have a connection of their own: LIMIT_APART_MS. */
extern const char list_queries_apart_first[];

/* connection: has the members up to effect and the number of the first, but not the role and the
 * owner. count: of connections. first: their first statement, or NULL. idle_ms: see
 * on_demand_init(). background: is told the processes of the connections; or NULL. */
void list_queries_start(struct list_queries *lists, const struct connection *connection,
			unsigned count, const char *first, uint64_t idle_ms,
			struct background *background);

/* The query's by_rows says whether it is a list query's. False: too many queries of this account,
 * or of all, wait. is_away: the other connections say that the database is. */
__attribute__((warn_unused_result)) bool
list_queries_add(struct list_queries *lists, struct db_query *query, bool is_unavailable);

/* At the end of a turn: gives free connections to queries that wait. */
void list_queries_flush(struct list_queries *lists);

/* No query waits, is under way or is to be answered. */
bool list_queries_are_idle(const struct list_queries *lists);
unsigned list_queries_count_up(const struct list_queries *lists);
/* Queries under way. */
unsigned list_queries_count_sent(const struct list_queries *lists);

/* Answers all that is left DB_UNAVAILABLE, later; list_queries_are_idle() then says when that is
 * done. */
void list_queries_close(struct list_queries *lists);
