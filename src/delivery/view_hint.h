/* Text of a hint on what a panel shows:
 *
 *   shows:<device>:<sender>:<connection>:<acknowledged>:<brightness>:<since>:<until>:<rank>
 *        :<kind>:<hash>:<installation>:<kind>:<hash>:<installation>
 *
 * and those about who watches:
 *
 *   watch:<device>:<sender>	a page of this worker shows the device: send what its panel shows
 *   unwatch:<device>:<sender>	no page of this worker shows it any more
 *   came:<device>:<sender>	this worker has got the panel: who watches it asks again
 *
 * Every program that may connect to the database can send hints, so all of it is checked. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "delivery/view_subscription.h"

/* Returns a complete hint, in the arena. */
struct str view_hint_write(struct arena *arena, struct id device_id, struct id sender,
			   const struct panel_view *view);
/* Reads the part after "shows:". Texts are put into the arena. Returns false if it has another
 * form. */
bool view_hint_read(struct str text, struct arena *arena, struct id *ret_device_id,
		    struct id *ret_sender, struct panel_view *ret_view);

/* Returns a complete hint of kind "watch", "unwatch" or "came", in the arena. */
struct str watch_hint_write(struct arena *arena, const char *kind, struct id device_id,
			    struct id sender);
/* Reads the part after the kind. */
bool watch_hint_read(struct str text, struct id *ret_device_id, struct id *ret_sender);
