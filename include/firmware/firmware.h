/* Jobs about panels' firmware.
 *
 *   firmware_releases_fetch --hint--> a worker leases it --> the list, by render/download.h
 *     --> of each board the newest image: downloaded, its hash and header checked --> firmware_add
 *
 * Hints for open pages notify workers; without them a worker looks every 30 s. */
#pragma once

struct db;
struct downloads;
struct firmware_jobs;
struct loop;

struct firmware_settings {
	struct loop *loop;
	struct db *db;
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
