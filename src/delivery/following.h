/* Followers: devices whose panels show what another one of the account shows, the leader.
 *
 *   row of the follower -> following_set() -> its leader is in memory as long as it is
 *   change of the leader -> the leader is loaded, once -> connections of all followers are updated
 *   view of the leader's panel, here or elsewhere -> following_take_view() -> its turn, which
 *     followers take over at once
 *
 * A connection or poll of a follower plays the leader's content, with what the follower keeps, as
 * if it was a further panel of the leader: panel_shown(). Pictures, their looks and renders are
 * those of the leader. If the leader's panel is offline, the time of day gives the turns
 * (domain/following.h). */
#pragma once

#include "panels.h"

/* Lets the panel follow the device; id of none: nobody. The leader may be in state PANEL_NEW, and
 * is to be loaded then. */
void following_set(struct panel *panel, struct id leader_id, struct follower_options options);
/* Ends what the panel, which is gone, has to do with others: its followers show their own content,
 * and are to be loaded. Calls on_end() for each of these. */
void following_forget(struct panel *panel, void (*on_end)(void *context, struct panel *follower),
		      void *context);

/* Returns the leader if the panel follows one; else NULL. */
static inline struct panel *panel_leader(const struct panel *panel)
{
	return panel->following ? panel->following->leader : NULL;
}

/* Returns the content that the panel shows: its own or, if it follows, one that is composed in
 * *room. Valid until the panel, or its leader, is loaded again. */
struct content *panel_shown(struct panel *panel, int64_t wall_us, struct content *room);
/* Marks the push of panel_shown() as displayed. Returns the panel whose push it is, and its
 * generation there. */
struct panel *panel_shown_push(struct panel *panel, int64_t generation, int64_t wall_us,
			       int64_t *ret_generation);

/* Takes what the leader's panel shows. Returns whether that begins another turn. */
bool following_take_view(struct panel *leader, const struct panel_view *view);
