/* Text of a hint about an event of a device, for an account with listeners:
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
	struct id device_id; /* not for EVENT_LOST */
	int64_t generation;
	struct str installation_id; /* data is NULL: none */
	struct id app_id;
	struct str message; /* data is NULL: none */
};

/* Returns a complete hint, in the arena. A message that is too long for it is cut. */
struct str event_hint_write(struct arena *arena, const struct event_hint *hint);
/* Reads the part after "event:". Texts are put into the arena. Returns false if it has another
 * form. */
bool event_hint_read(struct str text, struct arena *arena, struct event_hint *ret_hint);
