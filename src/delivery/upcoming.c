#include "upcoming.h"
#include "base/clock.h"
#include "domain/display_mode.h"

#include <string.h>

enum {
	/* Time before its turn at which an app is rendered: enough for a script that waits for
	 * another server, and for others in the queue. */
	LEAD_MS = 10 * 1000,
	/* Spread of the demands of panels that were loaded together. */
	LEAD_SPREAD_MS = 2 * 1000,
	/* Time between two demands for the same render key: there may be room by then. */
	AGAIN_MS = 5 * 1000,
};

/* Rotation state of a panel. */
struct turn {
	int64_t position; /* creation number; the installation after this one comes next */
	int64_t until_ms; /* loop time */
	int64_t ends_ms;  /* loop time: when the panel takes the next picture */
	bool shows_app;	  /* false: nothing, or the built-in picture, which is replaced at once */
};

static bool find_turn(const struct upcoming *upcoming, const struct panel *panel,
		      struct turn *ret_turn)
{
	int64_t now_ms = (int64_t)loop_now_ms(upcoming->loop);
	struct poll_cursor cursor;

	if (!list_is_empty(&panel->connections)) {
		const struct playback *playback =
		    &container_of(panel->connections.previous, struct panel_connection, node)
			 ->playback;

		*ret_turn = (struct turn){
		    .position = playback->rotation_position,
		    .until_ms = playback->until_ms,
		    .ends_ms = playback_turn_end_ms(playback),
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
	ret_turn->ends_ms = ret_turn->until_ms;
	return now_ms < ret_turn->until_ms;
}

/* Returns the turn of a panel of its own or, if it has none here, that of a follower. */
static bool find_shown_turn(const struct upcoming *upcoming, const struct panel *panel,
			    struct turn *ret_turn)
{
	const struct panel_lead *lead = panel->lead;

	return find_turn(upcoming, panel, ret_turn) ||
	       (lead && lead->shown_by && find_turn(upcoming, lead->shown_by, ret_turn));
}

static struct app_entry *entry_at(const struct panel *panel, int64_t position)
{
	for (unsigned i = 0; i < panel->app_count; i++) {
		if (panel->apps[i].position == position)
			return &panel->apps[i];
	}
	return NULL;
}

/* A turn that may come. */
struct chance {
	int64_t from_ms;  /* loop time: not to be demanded earlier */
	int64_t begin_ms; /* loop time */
	int64_t moment_s; /* Unix time of begin_ms */
	bool is_late;	  /* it should have begun: entries with a picture show that */
};

static struct chance chance_at(const struct upcoming *upcoming, int64_t begin_ms, int64_t lead_ms)
{
	int64_t now_ms = (int64_t)loop_now_ms(upcoming->loop);
	int64_t ahead_ms = begin_ms > now_ms ? begin_ms - now_ms : 0;

	return (struct chance){
	    .from_ms = begin_ms - lead_ms,
	    .begin_ms = now_ms + ahead_ms,
	    .moment_s = (clock_wall_us() / 1000 + ahead_ms + 500) / 1000,
	};
}

static void demand(struct upcoming *upcoming, const struct panel *panel, struct app_entry *entry,
		   int64_t moment_s)
{
	struct render_key *render_key = entry->render_key;
	struct upcoming_app app = {.version_id = render_key->version_id,
				   .account_id = panel->share->account_id,
				   .moment_s = moment_s,
				   .is_each_turn = render_key->is_each_turn,
				   .is_first = render_key->generation == 0};
	uint64_t again_ms = loop_now_ms(upcoming->loop) + AGAIN_MS;

	memcpy(app.render_key, render_key->key, RENDER_KEY_BYTES);
	*(render_key->is_each_turn ? &entry->ask_ms : &render_key->ask_ms) = again_ms;
	entry->demanded_s = moment_s;
	upcoming->subscriber->on_due(upcoming->subscriber, &app);
}

/* The moment of a turn changes by some milliseconds each time that it is computed. */
static bool is_near(int64_t one_s, int64_t other_s)
{
	return one_s - other_s <= 1 && other_s - one_s <= 1;
}

/* Whether this turn has its own picture, if each turn of the app should have one. */
static bool has_own(const struct app_entry *entry, const struct chance *chance, bool is_empty)
{
	return entry->render_key->is_each_turn && !is_empty &&
	       (chance->is_late || is_near(entry->made_s, chance->moment_s));
}

/* Looks at an entry, whose turn may come. Returns when to look again. */
static int64_t look_at(struct upcoming *upcoming, const struct panel *panel,
		       struct app_entry *entry, const struct chance *chance, bool is_empty)
{
	struct render_key *render_key = entry->render_key;
	int64_t now_ms = (int64_t)loop_now_ms(upcoming->loop);
	int64_t ask_ms = (int64_t)render_key->ask_ms;
	bool is_repeated = render_key->is_each_turn && is_near(entry->demanded_s, chance->moment_s);

	if (id_is_none(render_key->version_id) || has_own(entry, chance, is_empty))
		return INT64_MAX;
	/* A picture that is valid at the begin of the turn is valid for the whole turn. */
	if ((int64_t)render_key->due_ms > chance->begin_ms)
		return (int64_t)render_key->due_ms;
	if (is_repeated && ask_ms < (int64_t)entry->ask_ms)
		ask_ms = (int64_t)entry->ask_ms;
	if (render_key->generation > 0 && ask_ms < chance->from_ms)
		ask_ms = chance->from_ms;
	if (now_ms < ask_ms)
		return ask_ms;
	demand(upcoming, panel, entry, is_repeated ? entry->demanded_s : chance->moment_s);
	return now_ms + AGAIN_MS;
}

static int64_t look_at_empty(struct upcoming *upcoming, const struct panel *panel,
			     const struct content_installation *empty, const struct chance *chance)
{
	struct app_entry *entry = entry_at(panel, empty->position);

	return entry ? look_at(upcoming, panel, entry, chance, /* is_empty= */ true) : INT64_MAX;
}

/* Looks at the entries after that position, up to the first one that the panel can show as it is.
 * Those before it are empty, and would be shown if they had a picture. */
static int64_t look_ahead(struct upcoming *upcoming, const struct panel *panel,
			  const struct display_mode *mode, int64_t position,
			  const struct chance *chance)
{
	const struct content *content = &panel->content;
	int64_t again_ms = INT64_MAX;

	/* Look at the empty entry: it is shown as soon as it has a picture, wherever it is in the
	 * rotation. */
	if (mode->empty)
		again_ms = look_at_empty(upcoming, panel, mode->empty, chance);
	for (unsigned i = 0; i < content->installation_count; i++) {
		const struct content_installation *next = content_next(content, position);
		struct app_entry *entry = entry_at(panel, next->position);
		int64_t entry_ms;

		position = next->position;
		if (!display_mode_has_turn(mode, next))
			continue;
		entry_ms =
		    entry ? look_at(upcoming, panel, entry, chance, next->is_empty) : INT64_MAX;
		if (entry_ms < again_ms)
			again_ms = entry_ms;
		if (!next->is_empty)
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

static bool is_same(const struct display_mode *one, const struct display_mode *other)
{
	return one->kind == other->kind && one->alone == other->alone && one->empty == other->empty;
}

/* Looks at the entries that come when the turn is over, in the display mode of that time; and at
 * those that come earlier if another display mode begins, as in the morning, or if nothing is
 * shown. Returns when to look again. */
static int64_t look(struct upcoming *upcoming, const struct panel *panel, const struct turn *turn,
		    bool is_over)
{
	const struct content *content = &panel->content;
	int64_t lead_ms = LEAD_MS + panel->id.bytes[ID_BYTES - 1] * LEAD_SPREAD_MS / 256;
	int64_t now_ms = (int64_t)loop_now_ms(upcoming->loop);
	int64_t wall_us = clock_wall_us();
	struct display_mode now = display_mode_at(content, wall_us);
	struct display_mode changed = display_mode_at(content, now.valid_until_us);
	int64_t change_ms = now_ms + (now.valid_until_us - wall_us) / 1000;
	struct display_mode next =
	    is_over ? now : display_mode_at(content, wall_us + (turn->until_ms - now_ms) * 1000);
	struct chance chance = chance_at(upcoming, is_over ? now_ms : turn->ends_ms, lead_ms);
	struct chance other = chance_at(upcoming, change_ms, lead_ms);
	int64_t again_ms, other_ms = INT64_MAX;

	chance.is_late = is_over;
	again_ms = look_ahead(upcoming, panel, &next, turn->position, &chance);
	if (is_over || !is_same(&now, &changed))
		other_ms = look_ahead(upcoming, panel, &changed, turn->position, &other);
	return other_ms < again_ms ? other_ms : again_ms;
}

void upcoming_look(struct upcoming *upcoming, struct panel *panel)
{
	struct turn turn;
	int64_t again_ms;
	bool is_over;

	if (panel->following) {
		panel->following->leader->lead->shown_by = panel;
		panel = panel->following->leader;
	}
	if (panel->state != PANEL_READY || panel->app_count == 0 || !upcoming->subscriber ||
	    upcoming->is_draining)
		return;
	if (deadline_is_set(&panel->look))
		deadline_clear(upcoming->loop, &panel->look);
	if (panel->is_disabled || !find_shown_turn(upcoming, panel, &turn))
		return;
	is_over = !turn.shows_app || turn.until_ms <= (int64_t)loop_now_ms(upcoming->loop);
	again_ms = look(upcoming, panel, &turn, is_over);
	/* The panel is looked at anyway when the turn is over. */
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
