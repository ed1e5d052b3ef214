/* Apps of an archive: which are imported, and in which places.
 *
 *   sorted out in a lane -> the reader gives the next one as soon as a place is free
 *     -> app.c imports it -> noted, its place is free -> all are: apps_done()
 *
 * Several are imported at the same time: each waits for its form, a lane and the database. */
#include "base/memory.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

/* Asks the reader for the next app, if there is a place and room for it. */
static void read_next(struct source_fetch *fetch)
{
	struct app_place *place = NULL;
	size_t bytes = 0;

	for (int i = 0; i < IMPORTS_AT_ONCE; i++) {
		bytes += fetch->places[i].bytes;
		if (!fetch->places[i].is_used)
			place = &fetch->places[i];
	}
	if (fetch->reading || !place || fetch->unread == 0 || fetch->is_given ||
	    bytes > IMPORT_BYTES_AT_ONCE)
		return;
	fetch->unread--;
	fetch->reading = place;
	place->is_used = true;
	place->at = fetch->count; /* not known yet */
	archive_next(&fetch->archive);
}

/* ---- files ---- */

void apps_take_file(struct source_fetch *fetch, struct str name, struct str content)
{
	if (!fetch->reading)
		return; /* the reader has not been asked */
	memory_files_add(&fetch->reading->files, name, content);
	fetch->reading->bytes += content.length;
}

void apps_take_end(struct source_fetch *fetch, unsigned app)
{
	struct app_place *place = fetch->reading;

	if (!place)
		return;
	fetch->reading = NULL;
	place->at = app;
	app_begin(place);
	read_next(fetch);
}

/* ---- what came of them ---- */

/* Goes on if all apps are done, or the reader gives no more and those at work are. */
static void go_on(struct source_fetch *fetch)
{
	if (!fetch->is_given) {
		read_next(fetch);
		return;
	}
	if (fetch->left == 0) {
		fetch->apps_done(fetch);
		return;
	}
	for (int i = 0; i < IMPORTS_AT_ONCE; i++)
		if (fetch->places[i].is_used && &fetch->places[i] != fetch->reading)
			return;
	fetch_end(fetch, "failed", "the archive has fewer apps than it said");
}

static void note_app(struct app_place *place, enum outcome_kind kind, struct str reason)
{
	struct source_fetch *fetch = place->fetch;
	struct import_app *app = &fetch->apps[place->at];

	outcome_note(&fetch->outcome, kind, app->name, reason);
	if (kind == OUTCOME_MADE || kind == OUTCOME_UPDATED || kind == OUTCOME_UNCHANGED)
		outcome_keep(&fetch->outcome, app->name, fetch->folders[place->at].sha256);
	place_finish(place);
	fetch->left--;
	go_on(fetch);
}

void apps_take_all(struct source_fetch *fetch)
{
	fetch->is_given = true;
	go_on(fetch);
}

/* ---- the start ---- */

void apps_init(struct source_fetch *fetch)
{
	fetch->app_done = note_app;
	for (int i = 0; i < IMPORTS_AT_ONCE; i++)
		app_init(&fetch->places[i], fetch);
}

/* Lists the apps that are wanted, and notes the others, on a worker thread. */
static bool sort_out(struct lane_job *job)
{
	struct source_fetch *fetch = container_of(job, struct source_fetch, job);

	fetch->wanted = memory_zalloc((fetch->count + 1) * sizeof(*fetch->wanted));
	for (size_t i = 0; i < fetch->count; i++) {
		struct import_app *app = &fetch->apps[i];
		const char *sha256 = fetch->folders[i].sha256;

		if (app->outcome == IMPORT_FAILED) {
			outcome_note(&fetch->outcome, OUTCOME_FAILED, app->name, app->remark);
		} else if (app->state && outcome_is_kept(fetch->row.folders, app->name, sha256)) {
			outcome_note(&fetch->outcome, OUTCOME_UNCHANGED, app->name,
				     (struct str){0});
			outcome_keep(&fetch->outcome, app->name, sha256);
		} else {
			fetch->wanted[fetch->wanted_count++] = (unsigned)i;
		}
	}
	return false;
}

static void want(struct source_fetch *fetch)
{
	fetch->left = fetch->unread = fetch->wanted_count;
	archive_want(&fetch->archive, fetch->wanted, fetch->wanted_count);
	free(fetch->wanted);
	fetch->wanted = NULL;
	read_next(fetch);
}

void apps_begin(struct source_fetch *fetch)
{
	fetch_in_lane(fetch, fetch->row.folders.length, sort_out, want);
}
