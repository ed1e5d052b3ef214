/* Change hints: short words that notify the workers of all instances of changes.
 *
 *   "device:<id>:<generation>"   a device changed        delivery loads its panel
 *   "push:<id>:<generation>"     a push was answered     delivery answers the next one
 *   "key:<hash>"                 a key was revoked       the key cache forgets it
 *   "app:<id>:<generation>"      a version was deployed  for modules that render apps
 *   "version:<id>:0"             a version waits         a worker checks it
 *   "checked:<id>:0"             it has its verdict      approvals that wait for it go on
 *   "read:<id>"                  a row was changed       read caches forget answers with it
 *   "changed:<id>:<topic>"       data of an account       streams notify the account's pages
 *   "watch:<id>:<sender>"        a page shows a device   the panel's worker answers
 *   "unwatch:<id>:<sender>"      no page shows it now    the panel's worker tells no more
 *   "here:<sender>"              watches, or is watched  its watches and reports stay valid
 *   "came:<id>:<sender>"         has got the panel       who watches the device asks again
 *   "polled:<id>:<sender>:..."   it has polled           other instances go on from there
 *   "load:<instance>:<panels>"   it has so many panels   instances even out their shares
 *   "shows:<id>:<sender>:..."    what a panel shows      view subscriptions tell pages
 *   "listen:<account>"           a program listens       other workers keep events
 *   "event:<account>:..."        at an account's device  stored for event streams
 *   "failed:<instance>:..."      a sign-in failed        other instances count it
 *   "webhook:changed"            a webhook was made      workers look for due ones
 *   "webhook:due"                events wait             workers look for due ones
 *
 * A module subscribes to one kind. A hint may be lost or come twice: the database decides. */
#pragma once

#include "base/id.h"
#include "base/list.h"
#include "base/region.h"

#include <stdbool.h>
#include <stdint.h>
#include <text/str.h>

struct db;

/* Its common part names the instance among those that share the database. */
extern const struct region instance_region;
struct id instance_name(const void *common);

/* Memory by which one worker of an instance sends and receives hints for the others. */
extern const struct region hint_region;
/* The supervisor calls it when the process of a worker, by its slot, has ended: another worker
 * listens to hints at once, if that one did for all. */
void hint_worker_ended(struct region_map *shared, unsigned worker_slots, unsigned worker);

/* Subscription to hints. Embed it in the subscriber, which must live until db_unsubscribe(). */
struct hint_subscription {
	struct list node; /* private */
	struct str kind;  /* "device"; empty: hints of all kinds, with their kind in the text */
	bool is_once; /* what it does is for all workers of the instance: one of them suffices */
	/* A hint arrived, perhaps from this process. text: the part after the kind and its ":". It
	 * is untrusted: every program that may connect to the database can send hints. */
	void (*on_hint)(struct hint_subscription *subscription, struct str text);
	/* Called when the hint connection came up (hints may have been lost before), or went down.
	 * May be NULL. */
	void (*on_up)(struct hint_subscription *subscription, bool up);
	/* Called several times a second: the hints of every change that was answered before this
	 * time of the loop, by any instance, have arrived. If the time stays, hints may be missing,
	 * even while the connection counts as up: another instance may be unable to send them. May
	 * be NULL. */
	void (*on_heard)(struct hint_subscription *subscription, uint64_t before_ms);
};

/* Set kind and the functions before. The functions are called from the loop, never inside this
 * call. Several modules may subscribe to one kind; they are called in the order in which they
 * subscribed. */
void db_subscribe(struct db *db, struct hint_subscription *subscription);
/* Call it before db_destroy(). */
void db_unsubscribe(struct hint_subscription *subscription);

/* Sends a hint to all workers of all instances, at the end of the turn or later: at most one NOTIFY
 * is under way, and hints that are added meanwhile share the next. word: printable ASCII without
 * spaces, at most LIMIT_HINT_WORD_BYTES. The hint is dropped while the connection is down or too
 * many wait: the generation in the database decides. */
void db_hint(struct db *db, struct str word);
/* Bytes of hints that could be sent now without being dropped. */
size_t db_hint_room(const struct db *db);
bool db_hints_are_up(const struct db *db);
/* When the youngest of the other instances that are known was first seen, by the time of the loop;
 * 0: this worker knows of no other instance. */
uint64_t db_others_since_ms(const struct db *db);

/* Holds a device: hints about it ("device", "push", "watch", "unwatch", "came", "shows") wake this
 * worker at once. Those about devices that it does not hold come within a fifth of a second, if
 * another worker receives them for it. Release it as often. */
void db_hint_hold(struct db *db, struct id device_id);
void db_hint_release(struct db *db, struct id device_id);
/* Holds all devices. */
void db_hint_hold_all(struct db *db);
void db_hint_release_all(struct db *db);
/* Delivers, later in this turn, hints that have come and did not wake this worker. */
void db_hint_look(struct db *db);
