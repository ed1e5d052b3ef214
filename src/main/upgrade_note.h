/* Outcome of an upgrade or a reload: the files DIR/upgrade and DIR/reload, which the server
 * writes and displayctl reads. Of a reload:
 *
 *   checking -> refused                             the old configuration stays in force
 *            -> done
 *
 * Of an upgrade:
 *
 *   checking -> refused
 *            -> waiting -> replacing -> done
 *                                    -> failed      the old program continues
 *            -> restarting -> done                  a normal restart, and why */
#pragma once

#include "main/reason.h"

#include <stdbool.h>

enum upgrade_state {
	UPGRADE_CHECKING,
	UPGRADE_REFUSED,
	UPGRADE_WAITING,
	UPGRADE_REPLACING,
	UPGRADE_FAILED,
	UPGRADE_RESTARTING,
	UPGRADE_DONE,
	UPGRADE_STATE_COUNT,
};

struct upgrade_note {
	unsigned long number; /* grows with each request */
	enum upgrade_state state;
	char from[64]; /* versions; "" if unknown */
	char to[64];
	char reason[REASON_BYTES];
};

/* "done" */
const char *upgrade_state_name(enum upgrade_state state);

/* The files' names. */
#define UPGRADE_NOTE "upgrade"
#define RELOAD_NOTE "reload"

/* Replaces the file atomically. Returns 0 or a negative errno. */
__attribute__((warn_unused_result)) int upgrade_note_write(const char *state_dir, const char *name,
							   const struct upgrade_note *note);

/* Returns false, with *ret zeroed, if there is none. */
bool upgrade_note_read(const char *state_dir, const char *name, struct upgrade_note *ret);
