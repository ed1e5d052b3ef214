/* First contacts: the first picture of a panel waits until the database knows that the panel has
 * connected, at most 200 ms. So a person who sees a picture finds the device online. */
#pragma once

#include "base/buffer.h"
#include "panels.h"

struct contacts {
	struct loop *loop;
	const struct panels *panels;
	/* Called when the picture of this panel need not wait any longer. */
	void (*on_end)(void *context, struct panel *panel);
	void *context;
	struct deadline deadline;
	struct buffer waiting; /* of struct contact, the oldest first */
};

/* Set loop, panels, on_end and context before, and zero the rest. */
void contacts_init(struct contacts *contacts);
/* Ends all waits, since the worker ends. None may begin afterwards.
 */
void contacts_drain(struct contacts *contacts);
void contacts_finish(struct contacts *contacts);

/* Sets panel->awaits_contact until contacts_end(), or for 200 ms. */
void contacts_begin(struct contacts *contacts, struct panel *panel);
/* Ends the wait: the contact was written, or could not be. Does nothing for a panel that does not
 * wait. */
void contacts_end(const struct contacts *contacts, struct panel *panel);
