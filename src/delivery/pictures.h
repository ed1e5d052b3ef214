/* The bytes of pictures, kept once in a worker however many panels show them: what is sent to a
 * whole fleet takes the memory of one picture. The users are counted. */
#pragma once

#include "base/map.h"
#include "domain/content.h"

#include <stdbool.h>

struct pictures {
	struct map by_bytes;   /* of struct shared_picture */
	struct map_node *last; /* in by_bytes: shared last; NULL: gone */
	size_t bytes;	       /* of all */
	size_t bytes_max;
};

void pictures_init(struct pictures *pictures, size_t bytes_max);
/* All of them were released. */
void pictures_finish(struct pictures *pictures);

/* A user's share of these bytes, of which a copy is kept; until pictures_release(). */
struct picture pictures_share(struct pictures *pictures, struct str webp);
/* Its data is NULL then. One without data stays as it is. */
void pictures_release(struct pictures *pictures, struct picture *picture);
/* Memory is short: what can be fetched again is not to be kept. */
bool pictures_are_full(const struct pictures *pictures);

/* Built in. */
extern const struct str picture_nothing_to_show;
extern const struct str picture_unknown_device;
