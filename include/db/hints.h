/* Change hints: short words that tell the workers of all instances what has changed.
 *
 *   "device:<id>:<generation>"   a device changed        delivery loads its panel
 *   "push:<id>:<generation>"     a push was answered     delivery answers the next one
 *   "key:<hash>"                 a key was revoked       the key cache forgets it
 *   "app:<id>:<generation>"      a version was deployed  for modules that render apps
 *   "read:<id>"                  a row was changed       read caches forget answers with it
 *   "changed:<id>:<topic>"       of an account           streams tell the account's pages
 *   "watch:<id>:<sender>"        a page shows a device   who holds its panel answers
 *   "shows:<id>:<sender>:..."    what a panel shows      view subscriptions tell pages
 *   "listen:<account>"           a program listens       who hears it keeps events
 *   "event:<account>:..."        to an account's device  rings of events
 *   "webhook:changed"            a webhook was made      workers look what is due
 *   "webhook:due"                events wait             likewise
 *
 * A module subscribes to the kind that it wants. A hint may be lost or come twice: the database
 * decides. */
#pragma once

#include "base/list.h"

#include <stdbool.h>
#include <stdint.h>
#include <text/str.h>

struct db;

/* Embed it in the subscriber, which stays until db_unsubscribe(). */
struct hint_subscription {
	struct list node; /* private */
	const char *kind; /* "device"; NULL: hints of all kinds, with their kind in the text */
	/* A hint arrived, perhaps from this process. text: the part behind the kind and its ":".
	 * Every program that may connect to the database can send hints: text may be anything. */
	void (*on_hint)(struct hint_subscription *subscription, struct str text);
	/* The hint connection came up, and hints may have been lost before; or it went down. May be
	 * NULL. */
	void (*on_up)(struct hint_subscription *subscription, bool up);
	/* Every hint that was sent before this time of the loop has arrived. It comes several times
	 * a second; where it stays away, hints may be missing, also while the connection counts as
	 * up. May be NULL. */
	void (*on_heard)(struct hint_subscription *subscription, uint64_t before_ms);
};

/* The caller has set kind and the functions. These are called from the loop, never inside this
 * call. Several modules may subscribe to one kind; they are called in the order in which they
 * subscribed. */
void db_subscribe(struct db *db, struct hint_subscription *subscription);
/* Before db_destroy(). */
void db_unsubscribe(struct hint_subscription *subscription);

/* Tells all workers of all instances, at the end of the turn or later: one NOTIFY at most is under
 * way, and the hints that come meanwhile share the next. word: printable ASCII without spaces, at
 * most LIMIT_HINT_WORD_BYTES. The hint is dropped while the connection is down or too many wait:
 * the generation in the database decides. */
void db_hint(struct db *db, struct str word);
/* Bytes of words that could be sent now without being dropped. */
size_t db_hint_room(const struct db *db);
bool db_hints_are_up(const struct db *db);
