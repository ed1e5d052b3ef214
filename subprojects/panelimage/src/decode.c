#include "panelimage/panelimage.h"

#include <stdlib.h>

#include "canvas.h"
#include "fail.h"
#include "gif.h"
#include "input.h"
#include "png.h"
#include "webp.h"

/* Hands canvases on as bytes. */
struct rgb_sink {
	struct frame_sink sink; /* first */
	panelimage_frame_fn *on_frame;
	void *user;
	struct panelimage_size panel;
	uint8_t *rgb; /* the current frame, three bytes per pixel */
	bool still;   /* its duration is 0 */
	bool stopped; /* on_frame has stopped the decoding */
};

static int on_canvas(struct frame_sink *sink, const struct canvas *canvas, uint32_t duration_ms,
		     struct panelimage_error *reterr)
{
	struct rgb_sink *rgb_sink = (struct rgb_sink *)sink;
	uint8_t *rgb = rgb_sink->rgb;

	for (size_t i = 0; i < pi_canvas_pixels(canvas); i++) {
		rgb[i * 3] = (uint8_t)(canvas->argb[i] >> 16);
		rgb[i * 3 + 1] = (uint8_t)(canvas->argb[i] >> 8);
		rgb[i * 3 + 2] = (uint8_t)canvas->argb[i];
	}
	if (rgb_sink->on_frame(rgb, rgb_sink->still ? 0 : duration_ms, rgb_sink->user))
		return 0;
	rgb_sink->stopped = true;
	return pi_fail(reterr, "stopped");
}

static int decode_png(const uint8_t *data, size_t size, struct rgb_sink *sink,
		      struct panelimage_error *reterr)
{
	struct canvas canvas;
	int rc = -1;

	if (pi_canvas_init(&canvas, sink->panel, reterr) == 0 &&
	    pi_png_decode(data, size, &canvas, reterr) == 0)
		rc = on_canvas(&sink->sink, &canvas, 0, reterr);
	pi_canvas_finish(&canvas);
	return rc;
}

static int decode_webp(const uint8_t *data, size_t size, struct rgb_sink *sink,
		       struct panelimage_error *reterr)
{
	struct webp_outline outline;
	struct webp_decoder *decoder;
	int rc = 0;

	if (pi_webp_outline(data, size, sink->panel, &outline, reterr))
		return -1;
	sink->still = outline.frame_count == 1;
	decoder = pi_webp_open(data, &outline, reterr);
	if (!decoder)
		return -1;
	while (rc == 0 && pi_webp_has_more(decoder))
		rc = pi_webp_next(decoder, &sink->sink, reterr);
	pi_webp_close(decoder);
	return rc;
}

static int decode_gif(const uint8_t *data, size_t size, struct rgb_sink *sink,
		      struct panelimage_error *reterr)
{
	struct gif_outline outline;
	struct gif_decoder *decoder;
	int rc = 0;

	if (pi_gif_outline(data, size, sink->panel, &outline, reterr))
		return -1;
	sink->still = outline.frame_count == 1;
	decoder = pi_gif_open(data, size, &outline, reterr);
	if (!decoder)
		return -1;
	while (rc == 0 && pi_gif_has_more(decoder))
		rc = pi_gif_next(decoder, &sink->sink, reterr);
	pi_gif_close(decoder);
	return rc;
}

static int decode_with(struct rgb_sink *sink, const uint8_t *data, size_t size,
		       struct panelimage_error *reterr)
{
	switch (panelimage_detect(data, size)) {
	case PANELIMAGE_FORMAT_PNG:
		return decode_png(data, size, sink, reterr);
	case PANELIMAGE_FORMAT_GIF:
		return decode_gif(data, size, sink, reterr);
	default: /* pi_check_input() accepts no fourth format */
		return decode_webp(data, size, sink, reterr);
	}
}

int panelimage_decode(const uint8_t *data, size_t size, struct panelimage_size panel,
		      panelimage_frame_fn *on_frame, void *user, struct panelimage_error *reterr)
{
	struct rgb_sink sink = {
	    .sink = {.on_frame = on_canvas}, .on_frame = on_frame, .user = user, .panel = panel};
	struct panelimage_error error;
	int rc;

	if (pi_check_input(data, size, PANELIMAGE_INPUT_MAX_BYTES, panel, reterr))
		return -1;
	sink.rgb = malloc((size_t)panel.width * panel.height * 3);
	if (!sink.rgb)
		return pi_fail_memory(reterr);
	rc = decode_with(&sink, data, size, &error);
	free(sink.rgb);
	if (rc == 0 || sink.stopped)
		return 0;
	*reterr = error;
	return -1;
}
