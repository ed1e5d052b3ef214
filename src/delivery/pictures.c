#include "pictures.h"
#include "base/memory.h"
#include "base/require.h"

#include <panelimage/panelimage.h>
#include <stdlib.h>
#include <string.h>

struct shared_picture {
	struct map_node by_bytes;
	struct account_share *owner;
	unsigned users;
	uint32_t loop_ms;
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
	const struct panelimage_size panel = {DISPLAY_WIDTH, DISPLAY_HEIGHT};
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
	pictures->bytes -= shared->by_bytes.key.length;
	shared->owner->picture_bytes -= shared->by_bytes.key.length;
	account_share_let_go(shared->owner);
	free(shared);
}
