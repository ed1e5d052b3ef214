/* Bytes of pictures, which a worker keeps once for all panels that show them. Users are counted. */
#pragma once

#include "account_shares.h"
#include "base/map.h"
#include "domain/content.h"
#include "domain/look.h"
#include "domain/picture_hash.h"

#include <stdbool.h>

struct pictures {
	struct map by_bytes;   /* of struct shared_picture */
	struct map_node *last; /* the picture shared last, in by_bytes; NULL: it is gone */
	size_t bytes;	       /* of all */
	size_t bytes_max;
};

void pictures_init(struct pictures *pictures, size_t bytes_max);
/* Call it when all pictures were released. */
void pictures_finish(struct pictures *pictures);

/* Returns a reference to a copy of these bytes, until pictures_release(). They count for the
 * account that loaded them first. */
struct picture pictures_share(struct pictures *pictures, struct account_share *owner,
			      struct str webp);
/* Works as pictures_share(), but without data if memory is short and the bytes are not in memory
 * already.
 */
struct picture pictures_keep(struct pictures *pictures, struct account_share *owner,
			     struct str webp);
/* Returns another reference to a picture that has data. */
struct picture pictures_hold(struct pictures *pictures, const struct picture *picture);
/* Releases a reference and sets its data to NULL. Does nothing for a picture without data. */
void pictures_release(struct pictures *pictures, struct picture *picture);
/* Returns the bytes of the picture with a look; NULL data: they are to be made,
 * or the picture is not in memory. */
struct str picture_with_look(const struct picture *picture, struct picture_look look);
/* Keeps the bytes of the picture, which must have data, with that look, as long as the picture
 * itself; of several looks the newest. They count for the picture's account. webp: NULL data: the
 * look cannot be made, and the picture's own bytes count as it. */
void pictures_keep_look(struct pictures *pictures, const struct picture *picture,
			struct picture_look look, struct str webp);
/* Returns the picture's hash, which is computed once; false for a picture without data. */
bool pictures_hash(const struct picture *picture, uint8_t ret_hash[static PICTURE_HASH_BYTES]);
/* Whether memory is short, so that pictures are fetched each time they are sent. An account may
 * have as much as it leaves free for others: a single one half of all, two a third each. */
bool pictures_are_full(const struct pictures *pictures, const struct account_share *owner);

/* Pictures that are built into the program. */
extern const struct str picture_nothing_to_show, picture_nothing_to_show_wide;
extern const struct str picture_unknown_device;
extern const struct str picture_no_database;

static inline struct str pictures_nothing_to_show(enum panel_size panel)
{
	return panel == PANEL_SIZE_64X32 ? picture_nothing_to_show : picture_nothing_to_show_wide;
}
