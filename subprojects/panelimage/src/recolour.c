#include "recolour.h"

enum { WHOLE = 1000 };

/* Rounds thousandths half up, within 0 to 255. */
static uint32_t sample_of(int32_t thousandths)
{
	int32_t sample = (thousandths + WHOLE / 2) / WHOLE;

	return thousandths < 0 ? 0 : sample > 255 ? 255 : (uint32_t)sample;
}

static uint32_t darken(uint32_t sample, uint16_t level)
{
	uint32_t darker = sample_of((int32_t)(sample * level));

	return sample && !darker && level ? 1 : darker;
}

uint32_t panelimage_recolour(uint32_t rgb, const struct panelimage_colours *colours)
{
	const int32_t from[3] = {rgb >> 16 & 0xff, rgb >> 8 & 0xff, rgb & 0xff};
	uint32_t result = 0;

	for (unsigned i = 0; i < 3; i++) {
		const int16_t *mix = colours->mix[i];
		uint32_t sample = sample_of(mix[0] * from[0] + mix[1] * from[1] + mix[2] * from[2]);

		result = result << 8 | darken(sample, colours->level);
	}
	return result;
}

static int on_frame(struct frame_sink *sink, const struct canvas *canvas, uint32_t duration_ms,
		    struct panelimage_error *reterr)
{
	struct recolourer *recolourer = (struct recolourer *)sink;
	uint32_t before = 0, after = panelimage_recolour(0, &recolourer->colours);

	/* Pictures for panels have few colours, and long runs of one. */
	for (size_t i = 0; i < pi_canvas_pixels(canvas); i++) {
		uint32_t rgb = canvas->argb[i] & 0xffffff;

		if (rgb != before)
			after = panelimage_recolour(rgb, &recolourer->colours);
		before = rgb;
		recolourer->changed.argb[i] = CANVAS_BLACK | after;
	}
	return recolourer->next->on_frame(recolourer->next, &recolourer->changed, duration_ms,
					  reterr);
}

int pi_recolourer_init(struct recolourer *recolourer, struct frame_sink *next,
		       struct panelimage_size panel, const struct panelimage_colours *colours,
		       struct panelimage_error *reterr)
{
	*recolourer =
	    (struct recolourer){.sink = {.on_frame = on_frame}, .next = next, .colours = *colours};
	return pi_canvas_init(&recolourer->changed, panel, reterr);
}

void pi_recolourer_finish(struct recolourer *recolourer)
{
	pi_canvas_finish(&recolourer->changed);
}
