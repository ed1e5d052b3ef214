/* First contacts: the first picture of a panel waits until the database knows that the panel has
 * connected, but for no more than 200 ms. So whoever sees a picture finds the device online. */
#pragma once

#include "base/buffer.h"
#include "panels.h"

struct contacts {
	struct loop *loop;
	const struct panels *panels;
	/* The picture of this panel waits no longer. */
	void (*on_end)(void *context, struct panel *panel);
	void *context;
	struct deadline deadline;
	struct buffer waiting; /* of struct contact, the oldest first */
};

/* The caller has set loop, panels, on_end and context, and zeroed the rest. */
void contacts_init(struct contacts *contacts);
/* Ends each wait: the worker ends, and its requests and connections with it. None may begin after
 * that.
 */
void contacts_drain(struct contacts *contacts);
void contacts_finish(struct contacts *contacts);

/* Sets panel->awaits_contact until contacts_end(), or for 200 ms. */
void contacts_begin(struct contacts *contacts, struct panel *panel);
/* The contact was written, or could not be. Nothing happens for a panel that does not wait. */
void contacts_end(const struct contacts *contacts, struct panel *panel);
