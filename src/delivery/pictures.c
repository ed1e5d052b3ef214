#include "delivery_private.h"

#include <panelimage/panelimage.h>
#include <stdlib.h>

/* The bytes of pictures are kept once, however many panels show them: what is sent to a whole fleet
 * takes the memory of one picture. The users are counted. */

struct shared_picture {
	struct map_node by_bytes;
	unsigned users;
	uint32_t loop_ms;
	char bytes[];
};

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

/* What goes to many panels comes in a row: looked at first, without a hash. */
static struct shared_picture *find(const struct delivery *delivery, struct str webp)
{
	const struct map_node *last = delivery->last_picture;

	if (!last || !str_equal(last->key, webp))
		last = map_find(&delivery->pictures, webp);
	return last ? container_of(last, struct shared_picture, by_bytes) : NULL;
}

static struct shared_picture *keep(struct delivery *delivery, struct str webp)
{
	struct shared_picture *shared = memory_alloc(sizeof(*shared) + webp.length);

	*shared = (struct shared_picture){.loop_ms = loop_ms_of(webp)};
	memcpy(shared->bytes, webp.data, webp.length);
	map_insert(&delivery->pictures, &shared->by_bytes,
		   (struct str){shared->bytes, webp.length});
	delivery->picture_bytes += webp.length;
	return shared;
}

struct picture picture_share(struct delivery *delivery, struct str webp)
{
	struct shared_picture *shared = find(delivery, webp);

	if (!shared)
		shared = keep(delivery, webp);
	shared->users++;
	delivery->last_picture = &shared->by_bytes;
	return (struct picture){.data = shared->by_bytes.key, .loop_ms = shared->loop_ms};
}

void picture_release(struct delivery *delivery, struct picture *picture)
{
	struct shared_picture *shared;

	if (!picture->data.data)
		return;
	shared = shared_of(picture);
	picture->data = (struct str){0};
	if (--shared->users)
		return;
	map_remove(&delivery->pictures, &shared->by_bytes);
	if (delivery->last_picture == &shared->by_bytes)
		delivery->last_picture = NULL;
	delivery->picture_bytes -= shared->by_bytes.key.length;
	free(shared);
}

struct str picture_of_item(const struct panel *panel, const struct playback_item *item)
{
	const struct content_installation *installation;

	switch (item->kind) {
	case PLAYBACK_BUILT_IN:
		return picture_nothing_to_show;
	case PLAYBACK_INSTALLATION:
		installation = content_at(&panel->content, item->position);
		return installation ? installation->picture.data : (struct str){0};
	case PLAYBACK_PUSH:
		return content_push_picture(&panel->content)
			   ? content_push_picture(&panel->content)->data
			   : (struct str){0};
	default:
		return (struct str){0};
	}
}

struct str delivery_unknown_picture(void)
{
	return picture_unknown_device;
}
