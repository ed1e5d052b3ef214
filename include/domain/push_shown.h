/* Outcome of a push that was stored: when it is shown, or why not now. Pure. */
#pragma once

#include "base/arena.h"
#include "domain/display.h"
#include "domain/push.h"

enum push_shown_kind {
	PUSH_DARK,    /* the brightness is 0 */
	PUSH_ASLEEP,  /* the panel sleeps */
	PUSH_PINNED,  /* the entry was pushed in the background, and another one is pinned */
	PUSH_NEVER,   /* no panel has connected yet */
	PUSH_OFFLINE, /* the panel has no connection */
	PUSH_LATER,   /* the entry was pushed in the background, and waits for its turn */
	PUSH_NOW,
};

struct push_shown {
	enum push_shown_kind kind;
	int wakes_minute;     /* ASLEEP: minute of the local day; -1: no schedule ends the sleep */
	struct str pinned_id; /* PINNED: pinned installation */
	int64_t since_us;     /* OFFLINE: wall clock */
};

/* Returns the first reason that applies, or that the push is shown. is_online: whether the panel is
 * online; if not, since_us is when it last was. */
struct push_shown push_shown_at(const struct display_settings *settings, int64_t wall_us,
				const struct push_body *body, const struct push_stored *stored,
				bool is_online, int64_t since_us);

/* Text for the field Displayd-Shown. */
struct str push_shown_field(const struct push_shown *shown, struct arena *arena);
