/* Asks the running server for an upgrade or a reload by a signal, and waits for what becomes of it.
 */
#pragma once

#include "ctl/ctl.h"
#include "main/upgrade_note.h"

struct server_wish {
	int signal;
	const char *note; /* its file: UPGRADE_NOTE, RELOAD_NOTE */
	const char *what; /* "the upgrade" */
	unsigned wait_ms;
};

/* CTL_DONE: *ret says what became of it. Else the reason was said. */
enum ctl_exit server_signal_and_wait(const struct ctl *ctl, const struct server_wish *wish,
				     struct upgrade_note *ret);
