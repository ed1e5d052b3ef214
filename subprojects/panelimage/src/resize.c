#include "resize.h"

#include <webp/decode.h>

#include "bytes.h"

enum { GIF_HEAD_BYTES = 10, PNG_HEAD_BYTES = 24 };

struct panelimage_size pi_size_of(const uint8_t *data, size_t size)
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

bool panelimage_has_size(const uint8_t *data, size_t size, struct panelimage_size panel)
{
	struct panelimage_size image = pi_size_of(data, size);

	return image.width == panel.width && image.height == panel.height;
}

unsigned panelimage_magnification(const uint8_t *data, size_t size, struct panelimage_size panel)
{
	struct panelimage_size image = pi_size_of(data, size);
	uint32_t times = image.width / panel.width;

	if (times > PANELIMAGE_MAGNIFICATION_MAX || times * panel.width != image.width ||
	    times * panel.height != image.height)
		return 0;
	return times;
}

/* Position in the source of a row or column of the result. */
static size_t source_of(const struct resizer *resizer, size_t at)
{
	size_t times = resizer->times;

	return resizer->does_enlarge ? at / times : at * times + times / 2;
}

static int on_frame(struct frame_sink *sink, const struct canvas *canvas, uint32_t duration_ms,
		    struct panelimage_error *reterr)
{
	struct resizer *resizer = (struct resizer *)sink;
	struct canvas *resized = &resizer->resized;
	uint32_t *pixel = resized->argb;

	for (size_t y = 0; y < resized->size.height; y++) {
		const uint32_t *row = canvas->argb + source_of(resizer, y) * canvas->size.width;

		for (size_t x = 0; x < resized->size.width; x++)
			*pixel++ = row[source_of(resizer, x)];
	}
	return resizer->next->on_frame(resizer->next, resized, duration_ms, reterr);
}

int pi_resizer_init(struct resizer *resizer, struct frame_sink *next, struct panelimage_size panel,
		    unsigned times, bool does_enlarge, struct panelimage_error *reterr)
{
	*resizer = (struct resizer){.sink = {.on_frame = on_frame},
				    .next = next,
				    .times = times,
				    .does_enlarge = does_enlarge};
	return pi_canvas_init(&resizer->resized, panel, reterr);
}

void pi_resizer_finish(struct resizer *resizer)
{
	pi_canvas_finish(&resizer->resized);
}
