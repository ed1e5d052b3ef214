/* Before an upgrade: it begins if each child that is kept runs and none retires, and waits for
 * that, but not for ever: a child that keeps ending may be what the upgrade is to mend, and whoever
 * asked for it is told so while he still looks. */
#pragma once

#include "main/children.h"
#include "main/reason.h"

enum {
	/* displayctl waits for the check before and the fresh workers behind as well. */
	UPGRADE_WAIT_MS = 200 * 1000,
};

enum upgrade_patience {
	UPGRADE_MAY_BEGIN,
	UPGRADE_WAITS,
	UPGRADE_GIVES_UP,
};

struct upgrade_wait {
	uint64_t until_ms;
	bool is_told; /* the log says what it waits for */
};

void upgrade_wait_begin(struct upgrade_wait *wait, uint64_t now_ms);

/* reloads: a reload is under way. ret_what: what it waits for, unless it may begin. */
enum upgrade_patience upgrade_wait_look(const struct upgrade_wait *wait,
					const struct children *children, bool reloads,
					uint64_t now_ms, struct reason *ret_what);
