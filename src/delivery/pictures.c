#include "pictures.h"
#include "base/memory.h"
#include "base/require.h"
#include "delivery/picture_size.h"

#include <panelimage/panelimage.h>
#include <stdlib.h>
#include <string.h>

/* Looks of a picture that are kept: panels with the same picture rarely differ in more. */
enum { LOOKS_MAX = 8 };

struct kept_look {
	struct kept_look *next; /* an older one */
	struct picture_look look;
	size_t length; /* 0: the picture's own bytes */
	char bytes[];
};

struct shared_picture {
	struct map_node by_bytes;
	struct account_share *owner;
	struct kept_look *looks; /* newest first */
	unsigned users;
	uint32_t loop_ms;
	enum panel_size size;
	bool has_hash;
	uint8_t hash[PICTURE_HASH_BYTES];
	char bytes[];
};

void pictures_init(struct pictures *pictures, size_t bytes_max)
{
	*pictures = (struct pictures){.bytes_max = bytes_max};
}

void pictures_finish(struct pictures *pictures)
{
	require(pictures->by_bytes.count == 0);
	map_finish(&pictures->by_bytes);
}

bool pictures_are_full(const struct pictures *pictures, const struct account_share *owner)
{
	return pictures->bytes >= pictures->bytes_max ||
	       owner->picture_bytes >= pictures->bytes_max - pictures->bytes;
}

static struct shared_picture *shared_of(const struct picture *picture)
{
	return container_of(picture->data.data, struct shared_picture, bytes);
}

static uint32_t loop_ms_of(struct str webp)
{
	const struct panelimage_size panel = picture_pixels(picture_panel_size(webp));
	const uint8_t *bytes = (const uint8_t *)webp.data;
	struct panelimage_error error;
	struct panelimage_info info;

	if (panelimage_probe_webp(bytes, webp.length, panel, &info, &error) == 0 && info.animated)
		return info.duration_ms;
	return 0;
}

/* A picture for many panels is shared many times in a row, so compare with the last one first: that
 * needs no hash, and nothing at all if both are the same memory. */
static struct shared_picture *find(const struct pictures *pictures, struct str webp)
{
	const struct map_node *last = pictures->last;

	if (!last || (last->key.data != webp.data && !str_equal(last->key, webp)))
		last = map_find(&pictures->by_bytes, webp);
	return last ? container_of(last, struct shared_picture, by_bytes) : NULL;
}

static struct shared_picture *copy(struct pictures *pictures, struct account_share *owner,
				   struct str webp)
{
	struct shared_picture *shared = memory_alloc(sizeof(*shared) + webp.length);

	*shared = (struct shared_picture){
	    .owner = account_share_hold(owner->shares, owner->account_id),
	    .loop_ms = loop_ms_of(webp),
	    .size = picture_panel_size(webp),
	};
	memcpy(shared->bytes, webp.data, webp.length);
	map_insert(&pictures->by_bytes, &shared->by_bytes,
		   (struct str){shared->bytes, webp.length});
	pictures->bytes += webp.length;
	owner->picture_bytes += webp.length;
	return shared;
}

static struct picture use(struct pictures *pictures, struct shared_picture *shared)
{
	shared->users++;
	pictures->last = &shared->by_bytes;
	return (struct picture){.data = shared->by_bytes.key, .loop_ms = shared->loop_ms};
}

struct picture pictures_hold(struct pictures *pictures, const struct picture *picture)
{
	return use(pictures, shared_of(picture));
}

struct picture pictures_share(struct pictures *pictures, struct account_share *owner,
			      struct str webp)
{
	struct shared_picture *shared = find(pictures, webp);

	return use(pictures, shared ? shared : copy(pictures, owner, webp));
}

struct picture pictures_keep(struct pictures *pictures, struct account_share *owner,
			     struct str webp)
{
	struct shared_picture *shared = find(pictures, webp);

	if (!shared && pictures_are_full(pictures, owner))
		return (struct picture){.loop_ms = loop_ms_of(webp)};
	return use(pictures, shared ? shared : copy(pictures, owner, webp));
}

bool pictures_hash(const struct picture *picture, uint8_t ret_hash[static PICTURE_HASH_BYTES])
{
	struct shared_picture *shared;

	if (!picture->data.data)
		return false;
	shared = shared_of(picture);
	if (!shared->has_hash)
		picture_hash(shared->by_bytes.key, shared->hash);
	shared->has_hash = true;
	memcpy(ret_hash, shared->hash, PICTURE_HASH_BYTES);
	return true;
}

static void count_look(struct pictures *pictures, struct shared_picture *shared, ssize_t bytes)
{
	pictures->bytes += (size_t)bytes;
	shared->owner->picture_bytes += (size_t)bytes;
}

/* Frees all looks after the first of them. */
static void drop_looks(struct pictures *pictures, struct shared_picture *shared, unsigned kept)
{
	struct kept_look **at = &shared->looks;

	while (*at && kept > 0) {
		at = &(*at)->next;
		kept--;
	}
	while (*at) {
		struct kept_look *look = *at;

		*at = look->next;
		count_look(pictures, shared, -(ssize_t)look->length);
		free(look);
	}
}

static struct str kept_bytes(const struct kept_look *kept, const struct picture *picture)
{
	return kept->length ? (struct str){kept->bytes, kept->length} : picture->data;
}

struct str picture_with_look(const struct picture *picture, struct picture_look look)
{
	const struct kept_look *kept;

	if (!picture->data.data ||
	    picture_look_is_plain(look, shared_of(picture)->size, picture->data.length))
		return picture->data;
	kept = shared_of(picture)->looks;
	while (kept && !picture_look_serves(kept->look, kept_bytes(kept, picture).length, look))
		kept = kept->next;
	return kept ? kept_bytes(kept, picture) : (struct str){0};
}

void pictures_keep_look(struct pictures *pictures, const struct picture *picture,
			struct picture_look look, struct str webp)
{
	struct shared_picture *shared = shared_of(picture);
	struct kept_look *kept = memory_alloc(sizeof(*kept) + webp.length);

	*kept = (struct kept_look){.next = shared->looks, .look = look, .length = webp.length};
	if (webp.length)
		memcpy(kept->bytes, webp.data, webp.length);
	shared->looks = kept;
	count_look(pictures, shared, (ssize_t)webp.length);
	drop_looks(pictures, shared, LOOKS_MAX);
}

void pictures_release(struct pictures *pictures, struct picture *picture)
{
	struct shared_picture *shared;

	if (!picture->data.data)
		return;
	shared = shared_of(picture);
	picture->data = (struct str){0};
	if (--shared->users)
		return;
	map_remove(&pictures->by_bytes, &shared->by_bytes);
	if (pictures->last == &shared->by_bytes)
		pictures->last = NULL;
	drop_looks(pictures, shared, 0);
	pictures->bytes -= shared->by_bytes.key.length;
	shared->owner->picture_bytes -= shared->by_bytes.key.length;
	account_share_let_go(shared->owner);
	free(shared);
}
