#include "webp.h"

#include <webp/demux.h>

#include "fail.h"

static uint32_t argb_as_is(const uint8_t *rgba)
{
	return CANVAS_BLACK | (uint32_t)rgba[0] << 16 | (uint32_t)rgba[1] << 8 | rgba[2];
}

/* Returns whether a panel that ignores alpha shows the same. */
static bool flatten(const uint8_t *rgba, struct canvas *ret)
{
	bool same = true;

	for (size_t i = 0; i < pi_canvas_pixels(ret); i++) {
		ret->argb[i] = argb_over_black(rgba + i * 4);
		same = same && ret->argb[i] == argb_as_is(rgba + i * 4);
	}
	return same;
}

static int decode_frames(WebPAnimDecoder *decoder, const struct webp_outline *outline,
			 struct frame_sink *sink, struct cpu_limit *limit, struct canvas *canvas,
			 bool *ret_fit, struct panelimage_error *reterr)
{
	uint32_t number = 0;
	uint32_t last_ms = 0;
	bool fit = true;

	while (WebPAnimDecoderHasMoreFrames(decoder)) {
		uint8_t *rgba;
		int end_ms;
		uint32_t duration_ms;

		number++;
		pi_cpu_limit_enter(limit);
		if (!WebPAnimDecoderGetNext(decoder, &rgba, &end_ms))
			return pi_fail(reterr, "WebP frame %u of %u is damaged or truncated",
				       number, outline->frame_count);
		if (!pi_cpu_limit_leave(limit))
			return pi_fail(
			    reterr, "WebP takes too long to decode, given up at frame %u", number);
		/* The sum wraps around in very long animations, the difference does not. */
		duration_ms = (uint32_t)end_ms - last_ms;
		last_ms = (uint32_t)end_ms;
		fit &= flatten(rgba, canvas);
		if (sink->on_frame(sink, canvas, outline->animated ? duration_ms : 0, reterr))
			return -1;
	}
	*ret_fit = fit;
	return 0;
}

int pi_webp_decode(const uint8_t *data, const struct webp_outline *outline, struct frame_sink *sink,
		   struct cpu_limit *limit, bool *ret_fit, struct panelimage_error *reterr)
{
	WebPData file = {.bytes = data, .size = outline->file_bytes};
	WebPAnimDecoder *decoder = WebPAnimDecoderNew(&file, NULL);
	struct canvas canvas = {0};
	WebPAnimInfo info;
	int rc = -1;

	if (!decoder)
		return pi_fail(reterr, "WebP is damaged");
	/* Had the two walks over the file come to different ends, no limit would hold. */
	if (!WebPAnimDecoderGetInfo(decoder, &info) || info.frame_count != outline->frame_count)
		rc = pi_fail(reterr, "WebP is damaged, its frames cannot be counted");
	else if (pi_canvas_init(&canvas, outline->size, reterr) == 0)
		rc = decode_frames(decoder, outline, sink, limit, &canvas, ret_fit, reterr);
	pi_canvas_finish(&canvas);
	WebPAnimDecoderDelete(decoder);
	return rc;
}
