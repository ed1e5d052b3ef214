/* Change hints: short words that tell the workers of all instances what has changed.
 *
 *   "device:<id>:<generation>"   a device changed        delivery loads its panel
 *   "push:<id>:<generation>"     a push was answered     delivery answers the next one
 *   "key:<hash>"                 a key was revoked       the key cache forgets it
 *   "app:<id>:<generation>"      a version was deployed  for what renders apps
 *
 * A module subscribes to the kind that it wants. A hint may be lost or come twice: the database
 * decides. */
#pragma once

#include "base/list.h"
#include "base/str.h"

#include <stdbool.h>

struct db;

/* Embed it in the subscriber, which stays until db_unsubscribe(). */
struct hint_subscription {
	struct list node; /* private */
	const char *kind; /* "device"; NULL: whole words of every kind */
	/* A hint arrived, from this process too. text: what stands behind the kind and its ":".
	 * From anybody who may connect to the database, so it may be anything. */
	void (*on_hint)(struct hint_subscription *subscription, struct str text);
	/* The hint connection came up (hints may have been lost: repair) or went down. May be NULL.
	 */
	void (*on_up)(struct hint_subscription *subscription, bool up);
};

/* kind and the functions are set. They are called from the loop, never inside this call, in the
 * order of the subscriptions. Several may want one kind. */
void db_subscribe(struct db *db, struct hint_subscription *subscription);
/* Before db_destroy(). */
void db_unsubscribe(struct hint_subscription *subscription);

/* Tells all workers of all instances, once the current turn is over: at most one NOTIFY is under
 * way, what comes meanwhile shares the next. A word holds printable ASCII without space, at most
 * 100 bytes. Dropped where the connection is down: the generation in the database decides. */
void db_hint(struct db *db, struct str word);
bool db_hints_are_up(const struct db *db);
