/* Makes pictures with a look for the panels that need them, in lanes: each once for all panels that
 * wait for it meanwhile, and, since pictures.c keeps it, for those that show it later. */
#pragma once

#include "base/list.h"
#include "delivery/recolouring.h"
#include "loop/loop.h"
#include "pictures.h"

struct looks {
	struct loop *loop;
	struct pictures *pictures;
	struct map under_way; /* of struct look_job */
};

/* Embed it; it must live until on_made(), which is always called. */
struct look_waiter {
	struct list node; /* private */
	void (*on_made)(struct look_waiter *waiter);
};

/* Call it when no job is under way. */
void looks_finish(struct looks *looks);

/* Begins to make the picture, which has data, with that look, unless it is being made. Returns
 * false if too many are: waiter is not used then. account: of the panel that waits. */
bool looks_make(struct looks *looks, const struct picture *picture, struct picture_look look,
		struct id account, struct look_waiter *waiter);
