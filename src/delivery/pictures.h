/* The bytes of pictures. A worker keeps them once, however many panels show them: a picture for a
 * whole fleet takes the memory of one. Users are counted. */
#pragma once

#include "account_shares.h"
#include "base/map.h"
#include "domain/content.h"
#include "domain/picture_hash.h"

#include <stdbool.h>

struct pictures {
	struct map by_bytes;   /* of struct shared_picture */
	struct map_node *last; /* in by_bytes: the picture shared last; NULL: it is gone */
	size_t bytes;	       /* of all */
	size_t bytes_max;
};

void pictures_init(struct pictures *pictures, size_t bytes_max);
/* The users have released all pictures. */
void pictures_finish(struct pictures *pictures);

/* A user's share of a copy of these bytes, until pictures_release(). They count for the account
 * whose share brought them first. */
struct picture pictures_share(struct pictures *pictures, struct account_share *owner,
			      struct str webp);
/* The same; without data where memory is short and the bytes are not there already. */
struct picture pictures_keep(struct pictures *pictures, struct account_share *owner,
			     struct str webp);
/* Gives a share back and sets its data to NULL. A picture without data stays as it is. */
void pictures_release(struct pictures *pictures, struct picture *picture);
/* Its name, which is made of its bytes once; false for a picture without data. */
bool pictures_hash(const struct picture *picture, uint8_t ret_hash[static PICTURE_HASH_BYTES]);
/* Memory is short: pictures are fetched each time they are sent. An account may have as much as it
 * leaves free for others: one alone half of all, two a third each. */
bool pictures_are_full(const struct pictures *pictures, const struct account_share *owner);

/* Pictures that are built into the program. */
extern const struct str picture_nothing_to_show;
extern const struct str picture_unknown_device;
extern const struct str picture_no_database;
