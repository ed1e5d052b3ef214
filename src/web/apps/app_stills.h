/* Makes the stills of the catalogue's pictures, on a worker thread: lists of apps bring them along,
 * so that a page of apps takes one request. Each worker makes one at a time, and leases it in the
 * database first. */
#pragma once

#include "db/db.h"
#include "loop/loop.h"

enum { APP_STILL_MAX_BYTES = 2048 };

struct app_stills;

struct app_stills *app_stills_create(struct loop *loop, struct db *db);
/* Says that there is a new picture. */
void app_stills_wake(struct app_stills *stills);
/* Begins no more stills. */
void app_stills_drain(struct app_stills *stills);
/* Call it after the database's connections are closed and the worker threads have ended. */
void app_stills_destroy(struct app_stills *stills);
