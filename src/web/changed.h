/* Notifies the open pages of an account, in all workers of all instances, of changed data, which
 * they then read again (GET /web/events, event "changed").
 *
 *   endpoint --web_changed()--> hint "changed:ACCOUNT:TOPIC" --> streams of that account
 *
 * Changes of devices and rotations need no call: the hints of devices report them. */
#pragma once

#include "base/id.h"
#include "db/db.h"
#include "events/changed_hint.h"
#include "task/task.h"

/* Call it once the change is committed. topic: "keys", "sessions", "account", "devices",
 * "device:ID", "rotation:ID", "apps", "app:SLUG", "draft:SLUG:REVISION", "reviews" (to reviewers),
 * "admin" (to administrators); at most TOPIC_BYTES_MAX of letters, digits and "-_.:". account_id
 * zero: all accounts, as it must be for the last two. The topic "sessions" also makes streams check
 * their sessions. */
__attribute__((format(printf, 3, 4))) void web_changed(struct task *task, struct id account_id,
						       const char *topic, ...);
