/* Connections whose queries take long, and the accounts' turns on them: one object for listings
 * (db/listing.h), one for reads whose work grows with what others have made (db/query.h), so
 * that these never wait for a reader who is slow, and one for statements that have a connection of
 * their own (db/statement.h). */
#pragma once

#include "background_common.h"
#include "db/listing.h"
#include "late.h"
#include "spares.h"

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

struct listings {
	struct loop *loop;
	struct background *background; /* or NULL */
	struct connection_role role;
	uint64_t turn_ms, longest_ms; /* how long a slow reader may keep a connection */
	unsigned count;
	struct list_connection connections[LISTINGS_CONNECTIONS_MAX];
	struct spares spares; /* these connections */
	struct list waiting;  /* of struct db_query */
	unsigned waiting_count;
	struct deadline overdue; /* set while a query waits or is under way */
	struct late late;	 /* those that are answered without the database */
	struct later wake;	 /* the loop does not sleep before the turn's end */
	bool closed;
};

/* The first statement of a connection for listings, whose readers may be slow: statements may take
 * longer than LIMIT_LIST_MS. */
extern const char listings_first[];
/* The same for statements that have a connection of their own: LIMIT_APART_MS. */
extern const char listings_apart_first[];

/* connection: has the members up to effect and the number of the first, but not the role and the
 * owner. count: of connections. first: their first statement, or NULL. idle_ms: see spares_init().
 * background: is told the processes of the connections; or NULL. */
void listings_start(struct listings *listings, const struct connection *connection, unsigned count,
		    const char *first, uint64_t idle_ms, struct background *background);

/* The query's by_rows says whether it is a listing's. False: too many queries of this account, or
 * of all, wait. is_away: the other connections say that the database is. */
__attribute__((warn_unused_result)) bool listings_add(struct listings *listings,
						      struct db_query *query, bool is_away);

/* At the end of a turn: gives free connections to queries that wait. */
void listings_flush(struct listings *listings);

/* No query waits, is under way or is to be answered. */
bool listings_are_idle(const struct listings *listings);
unsigned listings_count_up(const struct listings *listings);
/* Queries under way. */
unsigned listings_count_sent(const struct listings *listings);

/* Answers all that is left DB_AWAY, later; listings_are_idle() then says when that is done. */
void listings_close(struct listings *listings);
