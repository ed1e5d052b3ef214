/* Waits before an upgrade until each child that is kept runs and none retires. The wait is limited:
 * the upgrade may be meant to repair a child that keeps ending, and the result must come while the
 * operator still waits for it. */
#pragma once

#include "main/children.h"
#include "main/reason.h"

enum {
	/* displayctl also waits for the check before and the new workers after it. */
	UPGRADE_WAIT_MS = 200 * 1000,
};

enum upgrade_patience {
	UPGRADE_MAY_BEGIN,
	UPGRADE_WAITS,
	UPGRADE_GIVES_UP,
};

struct upgrade_wait {
	uint64_t until_ms;
	bool is_told; /* the log has the reason for the wait */
};

void upgrade_wait_begin(struct upgrade_wait *wait, uint64_t now_ms);

/* reloads: a reload is under way. ret_what: the reason for the wait, unless it may begin. */
enum upgrade_patience upgrade_wait_look(const struct upgrade_wait *wait,
					const struct children *children, bool reloads,
					uint64_t now_ms, struct reason *ret_what);
