/* State of the webhooks' sender, for the files of this folder: hooks.c looks for due webhooks,
 * sending.c sends one message of one, post.c signs it. */
#pragma once

#include "db/db.h"
#include "db/statements.h"
#include "hooks/hooks.h"

struct hooks {
	struct hooks_settings settings;
	/* Called when a message ended, with or without success. */
	void (*on_sent)(struct hooks *hooks);
	struct hint_subscription hints;
	struct deadline look; /* set unless a query is under way */
	struct arena arena;
	struct db_query query;
	struct webhook_lease_row row;
	struct webhook_online_row online;
	struct webhook_trim_row trimmed;
	struct id lease, after;
	uint64_t look_ms; /* loop time of look */
	bool is_asking;
	bool is_wanted_again; /* hints have arrived since the query began */
	bool has_webhooks;
	bool is_draining;
	unsigned under_way;
	uint64_t upkeep_ms;   /* loop time of the next upkeep */
	unsigned upkeep_left; /* statements left now */
};

/* Begins to send the message that hooks->row leases, and takes the arena over. A worker that ends
 * meanwhile gives it back. */
void sending_begin(struct hooks *hooks, struct arena *arena);
