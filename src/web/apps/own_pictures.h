/* Makes pictures of the catalogue from files that were imported with apps. They are untrusted, so
 * each is decoded completely, in a worker lane of a sandboxed process, before it is shown.
 *
 * A file has at most 1 MiB, and may be magnified (panelimage_magnification()). A picture has at
 * most 60 KB: longer animations are cut. Each worker decodes one at a time, and leases it in the
 * database first. */
#pragma once

#include "app_stills.h"
#include "db/db.h"
#include "loop/loop.h"

struct own_pictures;

/* stills: is told of each new picture. */
struct own_pictures *own_pictures_create(struct loop *loop, struct db *db,
					 struct app_stills *stills);
/* Begins no more pictures. */
void own_pictures_drain(struct own_pictures *pictures);
/* Call it after the database's connections are closed and the loop has ended. */
void own_pictures_destroy(struct own_pictures *pictures);
