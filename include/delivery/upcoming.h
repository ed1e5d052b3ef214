/* Finds the apps to render: entries that come next on panels that are online, and whose pictures
 * are too old. */
#pragma once

#include "base/id.h"

#include <stdbool.h>
#include <stdint.h>

/* SHA-256 of everything that a picture depends on except the app's version: see render_place() in
 * sql/schema. */
enum { RENDER_KEY_BYTES = 32 };

struct upcoming_app {
	uint8_t render_key[RENDER_KEY_BYTES];
	struct id version_id;
	struct id account_id; /* owner of the device */
	int64_t moment_s;     /* Unix time at which the entry's turn begins */
	bool is_each_turn;    /* the picture for that moment is for this turn only */
	bool is_first;	      /* the version was not rendered for the render key yet */
};

/* Subscriber. Embed it. */
struct upcoming_subscriber {
	/* Called from the loop, and again after some seconds, as long as the picture is due and the
	 * panel online. */
	void (*on_due)(struct upcoming_subscriber *subscriber, const struct upcoming_app *app);
};
