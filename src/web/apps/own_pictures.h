/* Makes pictures of the catalogue out of the files that apps were imported with: strangers' files,
 * so each is decoded completely, in a worker lane of a encrypted process, before anybody sees it.
 *
 * A file has at most 192 KiB, as a push, and may be magnified (panelimage_magnification()); a
 * picture has 60 KB: longer animations are cut. Each worker
 * decodes one at a time, and leases it in the database first. */
#pragma once

#include "db/db.h"
#include "loop/loop.h"

struct own_pictures;

struct own_pictures *own_pictures_create(struct loop *loop, struct db *db);
/* No more are begun. */
void own_pictures_drain(struct own_pictures *pictures);
/* After the database's connections are closed and the loop has ended. */
void own_pictures_destroy(struct own_pictures *pictures);
