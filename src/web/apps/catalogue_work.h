/* The common part of those who make the catalogue's pictures in the background: they do one thing
 * at a time, look for more after pauses and when an app is deployed or imported, and tell open
 * pages. */
#pragma once

#include "db/db.h"
#include "db/hint.h"
#include "loop/loop.h"

struct catalogue_work {
	struct loop *loop;
	struct db *db;
	struct hint_subscription deploys;
	struct deadline next;
	struct arena arena; /* of what is under way */
	struct db_query query;
	bool is_busy;
	bool is_amid;	 /* a round over all apps has begun and not ended */
	bool wants_look; /* an app was deployed meanwhile */
	bool is_draining;
	bool has_listed;       /* open pages were not told of a new picture */
	int64_t told_lists_us; /* when they were told last */
};

/* look: begins something by catalogue_work_begin(). */
void catalogue_work_init(struct catalogue_work *work, struct loop *loop, struct db *db,
			 void (*look)(struct deadline *next));
/* Begins something, with an empty arena and query. Returns false if the database cannot be used:
 * then it looks again soon. */
__attribute__((warn_unused_result)) bool catalogue_work_begin(struct catalogue_work *work);
/* Begins another query with the same arena. */
void catalogue_work_query(struct catalogue_work *work);
void catalogue_work_ask(struct catalogue_work *work,
			void (*done)(struct db_query *query, const struct db_result *result));
/* Looks at once, or again after what is under way. */
void catalogue_work_wake(struct catalogue_work *work);
/* Ends what is under way, and looks again after so many milliseconds unless it is draining. */
void catalogue_work_pause(struct catalogue_work *work, uint64_t ms);

/* Notes a new picture that all see: pages that show the catalogue, which read all of it again, are
 * told every ten seconds. */
void catalogue_work_listed(struct catalogue_work *work);
/* Tells them at once, if there is something to tell. */
void catalogue_work_tell(struct catalogue_work *work);

/* Begins nothing more. */
void catalogue_work_drain(struct catalogue_work *work);
/* Call it after the database's connections are closed. */
void catalogue_work_finish(struct catalogue_work *work);
