/* State of the jobs about firmware, for the files of this folder: firmware.c looks for work,
 * fetch.c fetches releases. */
#pragma once

#include "db/db.h"
#include "db/statements.h"
#include "firmware/firmware.h"
#include "series.h"

struct fetch;

struct firmware_jobs {
	struct firmware_settings settings;
	/* Called when a fetch has ended. */
	void (*on_fetched)(struct firmware_jobs *jobs);
	struct hint_subscription hints, series_hints;
	struct series series;
	struct deadline look; /* set unless a query is under way */
	uint64_t look_ms;     /* loop time of look */
	struct arena arena;
	struct db_query query;
	struct firmware_releases_lease_row row;
	struct id lease;
	struct fetch *fetch; /* NULL: none is under way */
	bool is_asking;
	bool is_draining;
};

enum { FETCH_LEASE_MS = 60 * 1000 };

/* Begins the fetch that jobs->row leases, and takes the arena over. */
void fetch_begin(struct firmware_jobs *jobs, struct arena *arena);
