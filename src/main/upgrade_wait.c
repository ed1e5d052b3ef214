#include "main/upgrade_wait.h"
#include "main/children_adopt.h"

void upgrade_wait_begin(struct upgrade_wait *wait, uint64_t now_ms)
{
	*wait = (struct upgrade_wait){.until_ms = now_ms + UPGRADE_WAIT_MS};
}

enum upgrade_patience upgrade_wait_look(const struct upgrade_wait *wait,
					const struct children *children, bool reloads,
					uint64_t now_ms, struct reason *ret_what)
{
	struct child_message text;
	const char *what =
	    reloads ? "the configuration is being changed" : children_wait_for(children, &text);

	if (!what)
		return UPGRADE_MAY_BEGIN;
	reason_set(ret_what, "%s", what);
	return now_ms < wait->until_ms ? UPGRADE_WAITS : UPGRADE_GIVES_UP;
}
