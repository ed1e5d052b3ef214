#include "panelimage/panelimage.h"

#include <stdlib.h>
#include <string.h>

#include "encoder.h"
#include "fail.h"
#include "gif.h"
#include "input.h"
#include "png.h"
#include "webp.h"

/* A sink for frames that are only to be checked. */
static int pass_over(struct frame_sink *sink, const struct canvas *canvas, uint32_t duration_ms,
		     struct panelimage_error *reterr)
{
	(void)canvas;
	(void)duration_ms;
	(void)reterr;
	pi_pause(sink);
	return 0;
}

static int convert_png(const uint8_t *data, size_t size, struct encoder *encoder,
		       struct panelimage_result *ret, struct panelimage_error *reterr)
{
	struct canvas canvas;
	int rc = -1;

	if (pi_canvas_init(&canvas, encoder->pending.size, reterr) == 0 &&
	    pi_png_decode(data, size, &canvas, reterr) == 0 &&
	    encoder->sink.on_frame(&encoder->sink, &canvas, 0, reterr) == 0)
		rc = pi_encoder_end(encoder, 0, ret, reterr);
	pi_canvas_finish(&canvas);
	return rc;
}

static int convert_gif(const uint8_t *data, size_t size, struct encoder *encoder,
		       struct panelimage_result *ret, struct panelimage_error *reterr)
{
	struct gif_outline outline;

	if (pi_gif_outline(data, size, encoder->pending.size, &outline, reterr) ||
	    pi_gif_decode(data, size, &outline, &encoder->sink, reterr))
		return -1;
	return pi_encoder_end(encoder, outline.loop_count, ret, reterr);
}

static int copy_webp(const uint8_t *data, const struct webp_outline *outline,
		     struct panelimage_result *ret, struct panelimage_error *reterr)
{
	ret->data = malloc(outline->file_bytes);
	if (!ret->data)
		return pi_fail_memory(reterr);
	memcpy(ret->data, data, outline->file_bytes);
	ret->size = outline->file_bytes;
	ret->info = pi_webp_info(outline);
	return 0;
}

static int convert_webp(const uint8_t *data, size_t size, struct encoder *encoder,
			struct panelimage_result *ret, struct panelimage_error *reterr)
{
	struct frame_sink check = {.on_frame = pass_over, .pause = encoder->sink.pause};
	struct webp_outline outline;
	struct cpu_limit limit;
	bool fit;

	if (pi_webp_outline(data, size, encoder->pending.size, &outline, reterr))
		return -1;
	limit = pi_cpu_limit_for_frames(outline.frame_count);
	if (pi_webp_decode(data, &outline, &check, &limit, &fit, reterr))
		return -1;
	if (fit)
		return copy_webp(data, &outline, ret, reterr);
	if (pi_webp_decode(data, &outline, &encoder->sink, &limit, &fit, reterr))
		return -1;
	return pi_encoder_end(encoder, outline.loop_count, ret, reterr);
}

static int convert_with(struct encoder *encoder, const uint8_t *data, size_t size,
			struct panelimage_result *ret, struct panelimage_error *reterr)
{
	switch (panelimage_detect(data, size)) {
	case PANELIMAGE_FORMAT_PNG:
		return convert_png(data, size, encoder, ret, reterr);
	case PANELIMAGE_FORMAT_GIF:
		return convert_gif(data, size, encoder, ret, reterr);
	case PANELIMAGE_FORMAT_WEBP:
		return convert_webp(data, size, encoder, ret, reterr);
	case PANELIMAGE_FORMAT_UNKNOWN:
		break;
	}
	return pi_fail(reterr, "image is not a PNG, GIF or WebP file");
}

int panelimage_convert_with_pauses(const uint8_t *data, size_t size, struct panelimage_size panel,
				   panelimage_pause_fn *pause, struct panelimage_result *ret,
				   struct panelimage_error *reterr)
{
	struct panelimage_result result = {0};
	struct encoder *encoder;
	int rc = -1;

	if (pi_check_input(data, size, panel, reterr))
		return -1;
	encoder = malloc(sizeof(*encoder));
	if (!encoder)
		return pi_fail_memory(reterr);
	if (pi_encoder_init(encoder, panel, reterr) == 0) {
		encoder->sink.pause = pause;
		rc = convert_with(encoder, data, size, &result, reterr);
	}
	pi_encoder_finish(encoder);
	free(encoder);
	if (rc)
		return -1;
	result.info.format = panelimage_detect(data, size);
	*ret = result;
	return 0;
}

int panelimage_convert(const uint8_t *data, size_t size, struct panelimage_size panel,
		       struct panelimage_result *ret, struct panelimage_error *reterr)
{
	return panelimage_convert_with_pauses(data, size, panel, NULL, ret, reterr);
}

void panelimage_result_finish(struct panelimage_result *result)
{
	if (!result)
		return;
	free(result->data);
	*result = (struct panelimage_result){0};
}
