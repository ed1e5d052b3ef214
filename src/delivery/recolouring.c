#include "delivery/recolouring.h"
#include "delivery/picture_size.h"

#include <string.h>

enum { TWENTIETH = 50 };

static struct panelimage_colours colours_of(struct picture_look look)
{
	struct panelimage_colours colours = {.level = (uint16_t)(1000 - TWENTIETH * look.dark)};

	memcpy(colours.mix, color_filter_mix((enum color_filter)look.filter), sizeof(colours.mix));
	return colours;
}

enum lane recolouring_lane(const struct recolouring *recolouring)
{
	struct str webp = recolouring->webp;

	return panelimage_is_animation((const uint8_t *)webp.data, webp.length) ? LANE_LONG
										: LANE_SHORT;
}

static size_t bytes_max(struct picture_look look)
{
	return look.limit_kb ? (size_t)look.limit_kb * 1000 : PANELIMAGE_OUTPUT_MAX_BYTES;
}

/* A still is encoded with little effort: a panel waits for it. */
static bool recolouring_begin(struct recolouring *recolouring)
{
	struct picture_look look = recolouring->look;
	struct panelimage_colours colours = colours_of(look);
	struct panelimage_error error;

	recolouring->conversion = panelimage_conversion_new_adapted(
	    (const uint8_t *)recolouring->webp.data, recolouring->webp.length,
	    picture_pixels((enum panel_size)look.size), &error);
	if (!recolouring->conversion)
		return false;
	panelimage_conversion_be_quick(recolouring->conversion);
	panelimage_conversion_cut(recolouring->conversion);
	panelimage_conversion_limit(recolouring->conversion, bytes_max(look));
	return picture_look_keeps_colors(look) ||
	       panelimage_conversion_recolour(recolouring->conversion, &colours, &error) == 0;
}

bool recolouring_step(struct recolouring *recolouring)
{
	struct panelimage_error error;
	enum panelimage_progress progress = PANELIMAGE_FAILED;

	if (recolouring->conversion || recolouring_begin(recolouring))
		progress = panelimage_conversion_step(recolouring->conversion, &recolouring->result,
						      &error);
	recolouring->has_failed = progress == PANELIMAGE_FAILED;
	/* A panel that cannot load all of an animation shows its beginning, not nothing. */
	if (progress == PANELIMAGE_DONE && recolouring->result.size > bytes_max(recolouring->look))
		recolouring->result.size =
		    panelimage_cut_webp(recolouring->result.data, recolouring->result.size,
					bytes_max(recolouring->look));
	return progress == PANELIMAGE_MORE;
}

struct str recolouring_result(const struct recolouring *recolouring)
{
	if (recolouring->has_failed)
		return recolouring->webp;
	return (struct str){(const char *)recolouring->result.data, recolouring->result.size};
}

void recolouring_finish(struct recolouring *recolouring)
{
	panelimage_conversion_free(recolouring->conversion);
	panelimage_result_finish(&recolouring->result);
	recolouring->conversion = NULL;
}
