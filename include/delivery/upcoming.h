/* Finds the apps to render: entries that come next on panels that are online, and whose pictures
 * are older than they may be. */
#pragma once

#include "base/id.h"

#include <stdbool.h>
#include <stdint.h>

/* SHA-256 of all that a picture depends on but the version of the app: see render_place() in the
 * schema. */
enum { RENDER_KEY_BYTES = 32 };

struct upcoming_app {
	uint8_t render_key[RENDER_KEY_BYTES];
	struct id version_id;
	struct id account_id; /* of the device */
	int64_t moment_s;     /* Unix time at which its turn begins */
	bool is_each_turn;    /* what is made for that moment is for it alone */
};

/* Embed it. */
struct upcoming_subscriber {
	/* Called from the loop, and again after some seconds, as long as the picture is due and the
	 * panel online. */
	void (*on_due)(struct upcoming_subscriber *subscriber, const struct upcoming_app *app);
};
