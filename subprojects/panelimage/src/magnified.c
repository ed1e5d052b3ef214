#include "magnified.h"

#include <webp/decode.h>

#include "bytes.h"

enum { GIF_HEAD_BYTES = 10, PNG_HEAD_BYTES = 24 };

/* Reads the image's size from its header; zero if there is none. */
static struct panelimage_size size_of(const uint8_t *data, size_t size)
{
	int width = 0;
	int height = 0;

	switch (panelimage_detect(data, size)) {
	case PANELIMAGE_FORMAT_GIF:
		if (size >= GIF_HEAD_BYTES)
			return (struct panelimage_size){le16(data + 6), le16(data + 8)};
		break;
	case PANELIMAGE_FORMAT_PNG:
		if (size >= PNG_HEAD_BYTES)
			return (struct panelimage_size){be32(data + 16), be32(data + 20)};
		break;
	case PANELIMAGE_FORMAT_WEBP:
		if (WebPGetInfo(data, size, &width, &height))
			return (struct panelimage_size){(uint32_t)width, (uint32_t)height};
		break;
	case PANELIMAGE_FORMAT_UNKNOWN:
		break;
	}
	return (struct panelimage_size){0};
}

unsigned panelimage_magnification(const uint8_t *data, size_t size, struct panelimage_size panel)
{
	struct panelimage_size image = size_of(data, size);
	uint32_t times = image.width / panel.width;

	if (times > PANELIMAGE_MAGNIFICATION_MAX || times * panel.width != image.width ||
	    times * panel.height != image.height)
		return 0;
	return times;
}

static int on_frame(struct frame_sink *sink, const struct canvas *canvas, uint32_t duration_ms,
		    struct panelimage_error *reterr)
{
	struct shrinker *shrinker = (struct shrinker *)sink;
	struct canvas *small = &shrinker->small;
	size_t times = shrinker->times;

	for (size_t y = 0; y < small->size.height; y++) {
		const uint32_t *row =
		    canvas->argb + (y * times + times / 2) * canvas->size.width + times / 2;

		for (size_t x = 0; x < small->size.width; x++)
			small->argb[y * small->size.width + x] = row[x * times];
	}
	return shrinker->next->on_frame(shrinker->next, small, duration_ms, reterr);
}

int pi_shrinker_init(struct shrinker *shrinker, struct frame_sink *next,
		     struct panelimage_size panel, unsigned times, struct panelimage_error *reterr)
{
	*shrinker = (struct shrinker){.sink = {.on_frame = on_frame}, .next = next, .times = times};
	return pi_canvas_init(&shrinker->small, panel, reterr);
}

void pi_shrinker_finish(struct shrinker *shrinker)
{
	pi_canvas_finish(&shrinker->small);
}
