/* The connections of listings, and the accounts' turns on them, see db/listing.h. */
#pragma once

#include "background_common.h"
#include "db/listing.h"
#include "late.h"
#include "spares.h"

enum { LIST_CONNECTIONS = 2 };

struct list_connection {
	struct connection connection;
	struct db_listing *listing; /* under way, or NULL */
	struct later resume;
};

struct listings {
	struct loop *loop;
	struct background *background; /* or NULL */
	struct list_connection connections[LIST_CONNECTIONS];
	struct spares spares; /* these connections */
	struct list waiting;  /* of struct db_listing, by query.node */
	unsigned waiting_count;
	struct deadline overdue; /* set while a listing waits or is under way */
	struct late late;	 /* those that are answered without the database */
	struct later wake;	 /* the loop does not sleep before the turn's end */
	bool closed;
};

/* connection: has the members up to effect, but for the role, the owner and the number. idle_ms:
 * see spares_init(). background: is told the processes of the connections; or NULL. */
void listings_start(struct listings *listings, const struct connection *connection,
		    uint64_t idle_ms, struct background *background);

/* See db_list(). is_away: the other connections say that the database is. */
__attribute__((warn_unused_result)) bool listings_add(struct listings *listings,
						      struct db_listing *listing, bool is_away);

/* At the end of a turn: gives free connections to listings that wait. */
void listings_flush(struct listings *listings);

/* None waits, is under way or is to be answered. */
bool listings_are_idle(const struct listings *listings);
unsigned listings_count_up(const struct listings *listings);
/* Listings under way. */
unsigned listings_count_sent(const struct listings *listings);

/* Answers all that is left DB_AWAY, later; listings_are_idle() then says when that is done. */
void listings_close(struct listings *listings);
