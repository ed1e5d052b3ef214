#include "upcoming.h"
#include "base/clock.h"
#include "domain/regime.h"

#include <string.h>

enum {
	/* An app is rendered so long before its turn: time for a script that waits for another
	 * server, and for those that wait before it. */
	LEAD_MS = 10 * 1000,
	/* Panels that were loaded together do not ask together. */
	LEAD_SPREAD_MS = 2 * 1000,
	/* Between two demands for the same place: what had no room may have some then. */
	AGAIN_MS = 5 * 1000,
};

/* Where a panel is in its rotation. */
struct turn {
	int64_t position; /* the installation behind this one comes next */
	int64_t until_ms; /* loop time */
	bool shows_app;	  /* false: nothing, or the built-in picture, which gives way at once */
};

static bool find_turn(const struct upcoming *upcoming, const struct panel *panel,
		      struct turn *ret_turn)
{
	int64_t now_ms = (int64_t)loop_now_ms(upcoming->loop);
	struct poll_cursor cursor;

	if (!list_is_empty(&panel->links)) {
		const struct playback *playback =
		    &container_of(panel->links.previous, struct link, node)->playback;

		*ret_turn = (struct turn){
		    .position = playback->rotation_position,
		    .until_ms = playback->until_ms,
		    .shows_app = playback->displayed.kind == PLAYBACK_INSTALLATION ||
				 playback->displayed.kind == PLAYBACK_PUSH,
		};
		return true;
	}
	if (!panel->polled)
		return false;
	cursor = cursor_get(upcoming->cursors, panel->id);
	*ret_turn = (struct turn){
	    .position = cursor.position,
	    .until_ms = panel->polled->at_ms + (panel->polled->dwell_s + cursor.remaining_s) * 1000,
	    .shows_app = panel->polled->item.kind != PLAYBACK_BUILT_IN,
	};
	return now_ms < ret_turn->until_ms;
}

static struct app_entry *entry_at(const struct panel *panel, int64_t position)
{
	for (unsigned i = 0; i < panel->app_count; i++) {
		if (panel->apps[i].position == position)
			return &panel->apps[i];
	}
	return NULL;
}

static void demand(struct upcoming *upcoming, const struct panel *panel, struct app_place *place)
{
	struct upcoming_app app = {.version_id = place->version_id,
				   .account_id = panel->share->account_id};

	memcpy(app.place, place->key, PLACE_BYTES);
	place->ask_ms = loop_now_ms(upcoming->loop) + AGAIN_MS;
	upcoming->subscriber->on_due(upcoming->subscriber, &app);
}

/* One entry, whose turn may come at that time or a little later. Returns when to look again. */
static int64_t look_at(struct upcoming *upcoming, const struct panel *panel,
		       const struct app_entry *entry, int64_t from_ms)
{
	struct app_place *place = entry->place;
	int64_t now_ms = (int64_t)loop_now_ms(upcoming->loop);
	int64_t due_ms = (int64_t)(place->due_ms > place->ask_ms ? place->due_ms : place->ask_ms);

	if (id_is_none(place->version_id))
		return INT64_MAX;
	if (place->generation > 0 && due_ms < from_ms)
		due_ms = from_ms;
	if (now_ms < due_ms)
		return due_ms;
	demand(upcoming, panel, place);
	return now_ms + AGAIN_MS;
}

/* The entries behind that position, up to the first one that the panel can show as it is. Those
 * before it are blank, and would be shown if they had a picture. */
static int64_t look_ahead(struct upcoming *upcoming, const struct panel *panel,
			  const struct regime *regime, int64_t position, int64_t from_ms)
{
	const struct content *content = &panel->content;
	int64_t again_ms = INT64_MAX;

	for (unsigned i = 0; i < content->installation_count; i++) {
		const struct content_installation *next = content_next(content, position);
		const struct app_entry *entry = entry_at(panel, next->position);
		int64_t entry_ms;

		position = next->position;
		if (!regime_has_turn(regime, next))
			continue;
		entry_ms = entry ? look_at(upcoming, panel, entry, from_ms) : INT64_MAX;
		if (entry_ms < again_ms)
			again_ms = entry_ms;
		if (!next->is_blank)
			break;
	}
	return again_ms;
}

static struct upcoming *upcoming_of(const struct panel *panel)
{
	return panel->panels->upcoming;
}

static void on_deadline(struct deadline *deadline)
{
	struct panel *panel = container_of(deadline, struct panel, look);

	upcoming_look(upcoming_of(panel), panel);
}

static bool is_same(const struct regime *one, const struct regime *other)
{
	return one->kind == other->kind && one->alone == other->alone && one->blank == other->blank;
}

/* What comes when the turn is over, by the rule of that time; and what comes before that where
 * another rule begins, like in the morning, or where nothing is shown. Returns when to look again.
 */
static int64_t look(struct upcoming *upcoming, const struct panel *panel, const struct turn *turn,
		    bool is_over)
{
	const struct content *content = &panel->content;
	int64_t lead_ms = LEAD_MS + panel->id.bytes[ID_BYTES - 1] * LEAD_SPREAD_MS / 256;
	int64_t now_ms = (int64_t)loop_now_ms(upcoming->loop);
	int64_t wall_us = clock_wall_us();
	struct regime now = regime_at(content, wall_us);
	struct regime changed = regime_at(content, now.valid_until_us);
	int64_t change_ms = now_ms + (now.valid_until_us - wall_us) / 1000;
	struct regime next =
	    is_over ? now : regime_at(content, wall_us + (turn->until_ms - now_ms) * 1000);
	int64_t again_ms = look_ahead(upcoming, panel, &next, turn->position,
				      is_over ? 0 : turn->until_ms - lead_ms);
	int64_t other_ms = INT64_MAX;

	if (is_over || !is_same(&now, &changed))
		other_ms =
		    look_ahead(upcoming, panel, &changed, turn->position, change_ms - lead_ms);
	return other_ms < again_ms ? other_ms : again_ms;
}

void upcoming_look(struct upcoming *upcoming, struct panel *panel)
{
	struct turn turn;
	int64_t again_ms;
	bool is_over;

	if (panel->state != PANEL_READY || panel->app_count == 0 || !upcoming->subscriber ||
	    upcoming->is_draining)
		return;
	if (deadline_is_set(&panel->look))
		deadline_clear(upcoming->loop, &panel->look);
	if (panel->is_disabled || !find_turn(upcoming, panel, &turn))
		return;
	is_over = !turn.shows_app || turn.until_ms <= (int64_t)loop_now_ms(upcoming->loop);
	again_ms = look(upcoming, panel, &turn, is_over);
	/* When the turn is over, the panel is looked at anyway. */
	if (again_ms == INT64_MAX || (!is_over && again_ms >= turn.until_ms))
		return;
	panel->look.run = on_deadline;
	deadline_set_at(upcoming->loop, &panel->look, (uint64_t)again_ms);
}

void upcoming_forget(struct upcoming *upcoming, struct panel *panel)
{
	if (deadline_is_set(&panel->look))
		deadline_clear(upcoming->loop, &panel->look);
}
