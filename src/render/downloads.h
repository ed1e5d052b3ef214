/* Start and end of a worker's downloads; render/download.h is for their users. */
#pragma once

#include "egress.h"
#include "render/download.h"

/* Call it before the worker enters its sandbox. folder: where the files lie; NULL: in memory.
 * egress: NULL: each download fails. */
struct downloads *downloads_create(struct loop *loop, struct egress *egress, const char *folder);
/* Drops all downloads: done() is called later. Call it before egress_destroy(). */
void downloads_drain(struct downloads *downloads);
/* Call it after downloads_drain(), when the loop has ended. */
void downloads_destroy(struct downloads *downloads);
