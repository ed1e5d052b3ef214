/* Jobs about panels' firmware.
 *
 *   firmware_releases_fetch --hint--> a worker leases it --> the list, by render/download.h
 *     --> of each board the newest image: downloaded, its hash and header checked --> firmware_add
 *
 *   firmware_series_start --hint--> any worker: the next panel gets its URL --> it reports the new
 *     version, and the next one has its turn; or it does not in five minutes, which stops the
 * series
 *
 * Hints for open pages notify workers; without them a worker looks every 30 s. */
#pragma once

#include <stdbool.h>

/* Sent when an update of all panels of an account was started. */
#define FIRMWARE_HINT "firmware:series"

struct db;
struct delivery;
struct downloads;
struct firmware_jobs;
struct loop;

struct firmware_settings {
	struct loop *loop;
	struct db *db;
	struct delivery *delivery;
	struct downloads *downloads;
};

/* Objects in the settings must outlive the jobs. Free with firmware_jobs_destroy(). */
struct firmware_jobs *firmware_jobs_create(const struct firmware_settings *settings);
/* Begins nothing any more. A fetch under way ends with the downloads, and is given back. */
void firmware_jobs_drain(struct firmware_jobs *jobs);
/* Whether statements or a fetch are under way. False soon after engines_drain(). */
bool firmware_jobs_are_at_work(const struct firmware_jobs *jobs);
/* Call it after engines_drain(), when the loop has ended, and before db_destroy(). */
void firmware_jobs_destroy(struct firmware_jobs *jobs);
