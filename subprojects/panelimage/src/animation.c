#include "panelimage/panelimage.h"

#include "gif_walk.h"
#include "webp_walk.h"

/* Sub-blocks looked at for a second frame: a 64x32 still rarely has more than fifty. */
enum { LOOK_SUB_BLOCKS_MAX = 1024 };

/* Whether the GIF is an animation. A GIF that takes long to read counts as an animation, so that it
 * goes to the lane of slow pictures. */
static bool gif_has_second_frame(const uint8_t *data, size_t size)
{
	struct gif_walk walk;
	int frames = 0;

	if (!pi_gif_walk_init(&walk, data, size))
		return false;
	walk.sub_blocks_left = LOOK_SUB_BLOCKS_MAX;
	while (frames < 2) {
		switch (pi_gif_walk_next(&walk)) {
		case GIF_BLOCK_IMAGE:
			frames++;
			break;
		case GIF_BLOCK_EXTENSION:
			break;
		case GIF_BLOCK_TIRED:
			return true;
		case GIF_BLOCK_TRAILER:
		case GIF_BLOCK_TRUNCATED:
		case GIF_BLOCK_UNKNOWN:
			return false;
		}
	}
	return true;
}

bool panelimage_is_animation(const uint8_t *data, size_t size)
{
	switch (panelimage_detect(data, size)) {
	case PANELIMAGE_FORMAT_GIF:
		return gif_has_second_frame(data, size);
	case PANELIMAGE_FORMAT_WEBP:
		return pi_webp_has_second_frame(data, size);
	case PANELIMAGE_FORMAT_PNG:
	case PANELIMAGE_FORMAT_UNKNOWN:
		break;
	}
	return false;
}
