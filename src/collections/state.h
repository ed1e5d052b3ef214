/* State of the collections, for the files of this folder: collections.c looks for work, fetch.c
 * fetches one, apps.c hands its apps to places where app.c imports one each; work.c and places.c
 * are shared. */
#pragma once

#include "checkout/checkout.h"
#include "checkout/memory_files.h"
#include "collections/collections.h"
#include "db/db.h"
#include "db/statements.h"
#include "loop/lanes.h"
#include "outcome.h"
#include "own_post.h"
#include "render/archive.h"
#include "render/download.h"

enum {
	FETCH_LEASE_MS = 60 * 1000,
	FETCH_PROBLEM_BYTES = 400,
	/* Apps of a fetch that are imported at the same time: fewer than half of LIMIT_PREVIEWS, so
	 * that their forms leave room to the previews of others. */
	IMPORTS_AT_ONCE = 12,
	/* No further app is read while those at work hold more bytes. */
	IMPORT_BYTES_AT_ONCE = 32 * 1024 * 1024,
};

/* Folder of an app in the archive. */
struct listed_folder {
	char sha256[ARCHIVE_HASH_LENGTH + 1];
	struct str manifest; /* in the app's arena */
};

struct source_fetch;

#define FETCH_DATABASE_LOST "the database was interrupted"

/* Place of an app that is being imported. */
struct app_place {
	struct source_fetch *fetch;
	bool is_used;
	size_t at; /* the app's number */
	struct memory_files files;
	size_t bytes;	  /* of its files, also after they are packed */
	bool is_same_app; /* the server has all of it */
	struct buffer body;
	struct own_post post;
	unsigned posts; /* of this app */
	struct deadline again;
	struct lane_job job;
	bool is_in_lane;
	struct arena query_arena;
	struct db_query query;
	bool is_asking;
	struct app_archive_reach_row reach;
};

struct source_fetch {
	struct collections *collections;
	struct id lease;
	struct app_archive_lease_row row;
	struct arena arena; /* of the row */

	struct download download;
	struct archive archive;
	bool has_download, has_archive;

	struct import_app *apps;
	struct listed_folder *folders; /* as many */
	size_t count;
	bool has_unreadable; /* the manifest of some app could not be read */
	struct str tree;     /* hash of all folders */
	bool is_confirmed;   /* an administrator has confirmed this tree */
	struct import_state *states;
	unsigned state_count;
	struct str origins; /* of all apps, a line each */
	struct str gone;    /* IDs of apps that have left and are not marked yet, with commas */
	struct id collection_id;
	struct outcome outcome;

	struct app_place places[IMPORTS_AT_ONCE];
	struct app_place *reading; /* gets the files that come; NULL: none were asked for */
	unsigned *wanted, wanted_count;
	size_t left;	  /* wanted apps that are not done */
	size_t unread;	  /* wanted apps that were not asked for */
	bool is_given;	  /* all files were: the last apps may be at work */
	bool has_passing; /* an app failed for a reason that may pass */
	/* Notes what came of the app of a place, which is free again. */
	void (*app_done)(struct app_place *place, enum outcome_kind kind, struct str reason);
	void (*apps_done)(struct source_fetch *fetch);

	struct lane_job job;
	bool is_in_lane;
	void (*then)(struct source_fetch *fetch); /* after the lane */
	struct buffer lines;			  /* for the choice of the collection */

	struct arena query_arena;
	struct db_query query;
	bool is_asking;
	void (*asked)(struct db_query *query, const struct db_result *result);
	struct app_collection_choose_row chosen;
	struct app_archive_compare_row compared;

	struct arena note_arena;
	struct db_query note;
	struct deadline note_next;
	bool is_noting, is_ending, has_ended;
	bool is_given_back, is_lost, is_same;
	char problem[FETCH_PROBLEM_BYTES];
	const char *state;
};

struct collections {
	struct collections_settings settings;
	struct hint_subscription hints;
	struct deadline look; /* set unless a query is under way */
	uint64_t look_ms;     /* loop time of look */
	struct arena arena;
	struct db_query query;
	struct app_archive_lease_row row;
	struct id lease;
	struct source_fetch *fetch; /* NULL: none is under way */
	/* Called when a fetch has ended. */
	void (*on_fetched)(struct collections *collections);
	bool is_asking, is_draining;
};

/* ---- work.c ---- */

/* Gives a fetch under way back, as soon as possible. */
void fetch_stop(struct source_fetch *fetch);
/* Gives it back for a later try, of which it has five: something of the server was lost. */
void fetch_retry(struct source_fetch *fetch, const char *problem);
/* Ends the fetch: what came of it is stored, or it is given back. */
void fetch_end(struct source_fetch *fetch, const char *state, const char *problem);
/* Goes on with an end, if nothing is under way any more. */
void fetch_settle(struct source_fetch *fetch);
/* Notes the progress from now on. */
void fetch_note_progress(struct source_fetch *fetch);
/* Runs a step on a worker thread, then then(), unless the fetch is ending. */
void fetch_in_lane(struct source_fetch *fetch, size_t size, bool (*run)(struct lane_job *job),
		   void (*then)(struct source_fetch *fetch));
/* Empties the query for a statement of the fetch; fetch_ask() submits it. done is called as of the
 * query, unless the fetch is ending. */
struct db_query *fetch_query(struct source_fetch *fetch);
void fetch_ask(struct source_fetch *fetch,
	       void (*done)(struct db_query *query, const struct db_result *result));

/* ---- apps.c ---- */

void apps_init(struct source_fetch *fetch);
/* Imports the apps whose folders have changed; then calls fetch->apps_done(). */
void apps_begin(struct source_fetch *fetch);
void apps_take_file(struct source_fetch *fetch, struct str name, struct str content);
void apps_take_end(struct source_fetch *fetch, unsigned app);
/* Notes that no further files come. */
void apps_take_all(struct source_fetch *fetch);

/* ---- app.c ---- */

void app_init(struct app_place *place, struct source_fetch *fetch);
/* Imports the app, whose files are there; then calls fetch->app_done(). */
void app_begin(struct app_place *place);

/* ---- places.c ---- */

/* Frees what the place holds, also in its app: another one may have it. */
void place_finish(struct app_place *place);
bool places_are_at_work(const struct source_fetch *fetch);
/* Starts no further request. */
void places_stop(struct source_fetch *fetch);
void places_finish(struct source_fetch *fetch);

/* ---- fetch.c ---- */

/* Begins the fetch that collections->row leases, and takes the arena over. */
void fetch_collection_begin(struct collections *collections, struct arena *arena);
