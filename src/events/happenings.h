/* Turns hints about devices into events of their accounts.
 *
 * While the devices of any account are being loaded, hints wait, so that the order of events is the
 * same in all workers. */
#pragma once

#include "listeners.h"

struct happenings {
	struct db *db;
	struct listeners *listeners;
	struct buffer waiting;		  /* hints, a line each */
	struct hint_subscription events;  /* "event" */
	struct hint_subscription devices; /* "device" */
};

/* Set db and listeners before. */
void happenings_init(struct happenings *happenings);
void happenings_finish(struct happenings *happenings);
/* Processes waiting hints. Call it when no devices are being loaded. */
void happenings_take_waiting(struct happenings *happenings);
