#include "cursor_slots.h"

/* Numbers of polls that differ by less are of one row. */
enum { NUMBERS_CLOSE = 64 };

static struct poll_cursor cursor_of(const struct rotation_state *state)
{
	return (struct poll_cursor){
	    .position = state->position,
	    .push_seen = state->push_seen,
	    .remaining_s = state->remaining_s,
	    .remains_of_push = state->remains_of_push,
	    .turns_seen = state->turns_seen,
	};
}

struct poll_cursor cursor_get(const struct cursors *cursors, struct id device_id)
{
	struct rotation_state state;

	if (!cursor_find(cursors, device_id, &state))
		return (struct poll_cursor){.position = -1, .turns_seen = -1};
	return cursor_of(&state);
}

static void set_poll(struct rotation_state *state, const struct poll_cursor *cursor,
		     const struct cursor_moment *moment)
{
	state->position = cursor->position;
	state->push_seen = cursor->push_seen;
	state->remaining_s = (int32_t)cursor->remaining_s;
	state->remains_of_push = cursor->remains_of_push;
	state->turns_seen = cursor->turns_seen;
	state->contact_us = moment->wall_us;
	state->contact_ms = moment->loop_ms;
	state->dwell_s = moment->dwell_s;
}

void cursor_set(const struct cursors *cursors, struct id device_id,
		const struct poll_cursor *cursor, const struct cursor_moment *moment)
{
	struct rotation_state state;
	struct slot *slot = cursor_begin_change(cursors, device_id, &state);

	if (!slot)
		return;
	set_poll(&state, cursor, moment);
	state.worker = cursors_own_number(cursors);
	state.number++;
	cursor_end_change(slot, &state);
}

/* ---- other instances ---- */

bool cursor_tell(const struct cursors *cursors, struct id device_id, uint64_t others_since_ms,
		 uint64_t roams_since_ms, uint64_t now_ms, struct cursor_travel *ret_travel)
{
	struct rotation_state state;
	struct slot *slot;

	if (cursor_find(cursors, device_id, &state) && state.told_ms >= others_since_ms &&
	    state.told_ms >= state.elsewhere_ms && state.elsewhere_ms < roams_since_ms)
		return false;
	slot = cursor_begin_change(cursors, device_id, &state);
	if (!slot)
		return false;
	state.told_ms = now_ms;
	cursor_end_change(slot, &state);
	*ret_travel = (struct cursor_travel){
	    .cursor = cursor_of(&state),
	    .number = state.number,
	    .dwell_s = state.dwell_s,
	    .shown_generation = state.shown_generation,
	    .shown_us = state.shown_us,
	};
	return true;
}

static bool is_close_before(uint64_t number, uint64_t other)
{
	return number <= other && other - number < NUMBERS_CLOSE;
}

/* Returns whether a poll that another instance tells of came before the last known one. Numbers
 * decide only among polls that were told: of others the teller did not know, but its word came at
 * once. Clocks do not, since those of machines may differ. */
static bool is_older(const struct rotation_state *state, uint32_t number)
{
	return is_close_before(number, state->elsewhere_number) ||
	       (is_close_before(number, state->number) && state->told_ms >= state->contact_ms);
}

void cursor_take(const struct cursors *cursors, struct id device_id,
		 const struct cursor_travel *travel, const struct cursor_moment *moment)
{
	struct rotation_state state;
	struct slot *slot;
	bool is_newer;

	if (!cursor_has_room(cursors, device_id))
		return;
	slot = cursor_begin_change(cursors, device_id, &state);
	if (!slot)
		return;
	is_newer = !is_older(&state, travel->number);
	state.elsewhere_ms = moment->loop_ms;
	if (travel->shown_generation > state.shown_generation) {
		state.shown_generation = travel->shown_generation;
		state.shown_us = travel->shown_us;
	}
	if (is_newer)
		state.elsewhere_number = travel->number;
	if (is_newer && !(state.worker & CURSOR_LINKED)) {
		set_poll(&state, &travel->cursor, moment);
		state.worker = CURSOR_ELSEWHERE;
		state.number = travel->number;
	}
	cursor_end_change(slot, &state);
}

/* ---- contacts ---- */

bool cursor_was_set_here(const struct cursors *cursors, struct id device_id)
{
	struct rotation_state state;

	/* Count a panel that the table has forgotten: better twice than not at all. */
	return !cursor_find(cursors, device_id, &state) ||
	       state.worker == cursors_own_number(cursors);
}

int64_t cursor_set_elsewhere_us(const struct cursors *cursors, struct id device_id)
{
	struct rotation_state state;

	return cursor_find(cursors, device_id, &state) && state.worker != 0 &&
		       !(state.worker & CURSOR_LINKED) &&
		       state.worker != cursors_own_number(cursors) &&
		       state.worker != CURSOR_ELSEWHERE
		   ? state.contact_us
		   : 0;
}

bool cursor_link(const struct cursors *cursors, struct id device_id)
{
	struct rotation_state state;
	struct slot *slot = cursor_begin_change(cursors, device_id, &state);

	if (!slot)
		return false;
	state.turns_seen = -1;
	state.worker = cursors_own_number(cursors) | CURSOR_LINKED;
	cursor_end_change(slot, &state);
	return true;
}

bool cursor_unlink(const struct cursors *cursors, struct id device_id, int64_t wall_us)
{
	struct rotation_state state;
	struct slot *slot = cursor_begin_change(cursors, device_id, &state);

	if (!slot)
		return false;
	/* The panel may be at another worker already. */
	if (state.worker == (cursors_own_number(cursors) | CURSOR_LINKED)) {
		state.worker = 0;
		state.contact_us = wall_us;
	}
	cursor_end_change(slot, &state);
	return true;
}

struct cursor_contact cursor_contact(const struct cursors *cursors, struct id device_id)
{
	struct rotation_state state;

	if (!cursor_find(cursors, device_id, &state))
		return (struct cursor_contact){0};
	if (state.worker & CURSOR_LINKED)
		return (struct cursor_contact){.is_linked = true};
	return state.worker ? (struct cursor_contact){.polled_us = state.contact_us}
			    : (struct cursor_contact){.left_us = state.contact_us};
}

void cursor_move(const struct cursors *cursors, struct id device_id, int64_t position)
{
	struct rotation_state state;
	struct slot *slot = cursor_begin_change(cursors, device_id, &state);

	if (!slot)
		return;
	/* The panel may be at another worker already: what it shows there counts. */
	if (!(state.worker & CURSOR_LINKED) ||
	    state.worker == (cursors_own_number(cursors) | CURSOR_LINKED)) {
		state.position = position;
		state.remaining_s = 0;
		state.turns_seen = -1;
		state.worker = cursors_own_number(cursors) | CURSOR_LINKED;
	}
	cursor_end_change(slot, &state);
}

void cursor_set_shown(const struct cursors *cursors, struct id device_id, int64_t generation,
		      int64_t wall_us)
{
	struct rotation_state state;
	struct slot *slot = cursor_begin_change(cursors, device_id, &state);

	if (!slot)
		return;
	state.shown_generation = generation;
	state.shown_us = wall_us;
	cursor_end_change(slot, &state);
}

int64_t cursor_shown_us(const struct cursors *cursors, struct id device_id, int64_t generation)
{
	struct rotation_state state;

	return cursor_find(cursors, device_id, &state) && state.shown_generation == generation
		   ? state.shown_us
		   : 0;
}
