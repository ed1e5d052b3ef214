/* Devices that follow another one of their account: their panels show its rotation. A leader
 * follows none, so there are no chains: the database's constraint device_leader_leads. Pure. */
#pragma once

#include "base/id.h"
#include "domain/display_mode.h"
#include "domain/following_records.h"

/* Settings that a follower keeps of its own. */
struct follower_options {
	bool own_brightness; /* with dimming */
	bool own_sleep;	     /* its times count in the leader's time zone */
	uint16_t tag;	     /* following_tag() of the leader */
};

/* Tells leaders apart, well enough for items of what was shown; not 0. */
uint16_t following_tag(struct id leader_id);

/* Makes the content that a follower shows: the leader's, with the follower's curve of brightness,
 * with what it keeps, and with a push to itself, if that is due, and no older than one to the
 * leader. Such a push has no installation. The result has no memory of its own: it is valid as long
 * as both contents. */
struct content following_content(const struct content *leader, const struct content *own,
				 struct follower_options options, int64_t wall_us);

/* Turn that the time of day gives the entries of a leader whose panel is offline, so that all
 * followers are in step, wherever they are connected. All zero: no entry has a turn. */
struct content_lead following_turn(const struct content *content, int64_t wall_us);
