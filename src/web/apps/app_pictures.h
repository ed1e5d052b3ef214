/* Makes the pictures of the catalogue: each deployed version once, with its default settings and
 * without network, since nothing leaves the machine before somebody installs an app.
 *
 * Each worker makes one at a time, and leases it in the database first: so no two workers of any
 * instance make the same one, and the picture of a worker that died is made again when its lease
 * has expired. */
#pragma once

#include "app_stills.h"
#include "db/db.h"
#include "loop/loop.h"
#include "render/engine.h"

struct app_pictures;

/* stills: is told of each new picture. */
struct app_pictures *app_pictures_create(struct loop *loop, struct db *db, struct engines *engines,
					 struct app_stills *stills);
/* Begins no more pictures. */
void app_pictures_drain(struct app_pictures *pictures);
/* Call it after the database's connections are closed and the engines are drained. */
void app_pictures_destroy(struct app_pictures *pictures);
