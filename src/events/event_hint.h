/* Text of a hint on something that has happened to a device of an account that somebody listens to:
 *
 *   event:<account>:pushed:<device>:<generation>:<installation>::
 *   event:<account>:failed:<device>:<generation>:<installation>:<app>:<message>
 *   event:<account>:lost:::::        the sender could not say what happened
 *
 * Every program that may connect to the database can send hints, so all of it is checked. */
#pragma once

#include "base/arena.h"
#include "base/id.h"

enum event_kind { EVENT_PUSHED, EVENT_FAILED, EVENT_LOST, EVENT_KINDS };

struct event_hint {
	struct id account_id;
	enum event_kind kind;
	struct id device_id; /* not of EVENT_LOST */
	int64_t generation;
	struct str installation_id; /* data is NULL: none */
	struct id app_id;
	struct str message; /* likewise */
};

/* A whole word, in the arena. A message that is too long for it is cut. */
struct str event_hint_write(struct arena *arena, const struct event_hint *hint);
/* Reads the part behind "event:". Texts are put into the arena. False: it has another form. */
bool event_hint_read(struct str text, struct arena *arena, struct event_hint *ret_hint);
