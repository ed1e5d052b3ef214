#include "following.h"
#include "base/clock.h"
#include "base/require.h"

#include <stdlib.h>

/* Clocks of instances differ a little, so a turn that is reported again begins at another time. */
enum { JITTER_US = 1000 * 1000 };

static struct panel_lead *lead_of(struct panel *leader)
{
	if (!leader->lead) {
		leader->lead = memory_zalloc(sizeof(*leader->lead));
		leader->lead->leader = leader;
		list_init(&leader->lead->followers);
	}
	return leader->lead;
}

static void join(struct panel *panel, struct panel *leader)
{
	struct panel_lead *lead = lead_of(leader);
	bool is_first = list_is_empty(&lead->followers);

	panel->following = memory_zalloc(sizeof(*panel->following));
	panel->following->panel = panel;
	panel->following->leader = leader;
	panel_hold(leader);
	list_init(&panel->following->of_leader);
	list_append(&lead->followers, &panel->following->of_leader);
	if (is_first)
		panel->panels->on_led(panel->panels->context, leader);
}

static void leave(struct panel *panel)
{
	struct panel *leader = panel_leader(panel);
	struct panel_lead *lead = leader->lead;

	list_remove(&panel->following->of_leader);
	free(panel->following);
	panel->following = NULL;
	if (lead->shown_by == panel)
		lead->shown_by = NULL;
	if (list_is_empty(&lead->followers)) {
		lead->is_known = false;
		panel->panels->on_led(panel->panels->context, leader);
	}
	panel_let_go(leader);
}

void following_set(struct panel *panel, struct id leader_id, struct follower_options options)
{
	struct panel *leader = panel_leader(panel);

	if (leader && !id_equal(leader->id, leader_id)) {
		leave(panel);
		leader = NULL;
	}
	if (id_is_none(leader_id))
		return;
	if (!leader) {
		leader = panels_find(panel->panels, leader_id);
		if (!leader)
			leader = panels_create(panel->panels, leader_id);
		join(panel, leader);
	}
	options.tag = following_tag(leader_id);
	panel->following->options = options;
}

void following_forget(struct panel *panel, void (*on_end)(void *context, struct panel *follower),
		      void *context)
{
	struct panel_lead *lead = panel->lead;

	if (panel->following)
		leave(panel);
	while (lead && !list_is_empty(&lead->followers)) {
		struct panel *follower =
		    container_of(lead->followers.next, struct panel_following, of_leader)->panel;

		leave(follower);
		on_end(context, follower);
	}
}

static bool is_led(const struct panel *panel)
{
	return panel->following && panel->following->leader->state == PANEL_READY;
}

struct content *panel_shown(struct panel *panel, int64_t wall_us, struct content *room)
{
	struct panel *leader;

	if (!is_led(panel))
		return &panel->content;
	leader = panel->following->leader;
	panel_recall_push(leader);
	*room = following_content(&leader->content, &panel->content, panel->following->options,
				  wall_us);
	if (leader->lead->is_online)
		room->lead = leader->lead->turn;
	else if (leader->lead->is_known)
		room->lead = following_turn(room, wall_us);
	return room;
}

struct panel *panel_shown_push(struct panel *panel, int64_t generation, int64_t wall_us,
			       int64_t *ret_generation)
{
	*ret_generation = generation & CONTENT_GENERATION_MAX;
	if (is_led(panel) && generation > CONTENT_GENERATION_MAX)
		panel = panel->following->leader;
	if (panel->content.push.generation == *ret_generation &&
	    panel->content.push.displayed_us == 0)
		panel->content.push.displayed_us = wall_us;
	return panel;
}

static int64_t position_of(const struct content *content, struct str id)
{
	for (unsigned i = 0; id.data && i < content->installation_count; i++) {
		if (str_equal(content->installations[i].id, id))
			return content->installations[i].position;
	}
	return 0;
}

bool following_take_view(struct panel *leader, const struct panel_view *view)
{
	struct panel_lead *lead = leader->lead;
	struct content_lead turn = {0}, before = lead->turn;
	bool was_online = lead->is_online, was_known = lead->is_known;

	lead->is_known = true;
	lead->is_online = view->connection != SHOWN_OFFLINE;
	if (lead->is_online && view->now.kind == SHOWN_ROTATION)
		turn = (struct content_lead){
		    .position = position_of(&leader->content, view->now.installation_id),
		    .since_us = view->since_us,
		    .until_us = view->until_us,
		};
	if (turn.position && turn.position == before.position &&
	    turn.since_us - before.since_us < JITTER_US &&
	    before.since_us - turn.since_us < JITTER_US)
		turn.since_us = before.since_us;
	lead->turn = turn;
	return was_online != lead->is_online || was_known != lead->is_known ||
	       turn.since_us != before.since_us || turn.position != before.position;
}
