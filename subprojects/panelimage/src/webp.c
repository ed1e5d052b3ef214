#include "webp.h"

#include <stdlib.h>
#include <webp/decode.h>
#include <webp/demux.h>

#include "fail.h"

struct webp_decoder {
	WebPAnimDecoder *anim;
	const uint8_t *data;
	struct webp_outline outline;
	struct canvas canvas;
	uint32_t frame_number; /* of the frame at hand, from 1 */
	uint32_t last_ms;      /* when the frame before it ended */
	bool is_fit;	       /* all frames up to here */
};

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

/* libwebp's decoder of animations does not say why it failed. A frame of a damaged file fails
 * again, one for which there was no memory succeeds, or the lack is told. number: 0 for the file
 * alone. */
static bool lacks_memory(const uint8_t *data, size_t size, uint32_t number)
{
	WebPData file = {.bytes = data, .size = size};
	WebPDemuxState state;
	WebPDemuxer *demuxer = WebPDemuxPartial(&file, &state);
	WebPIterator frame = {0};
	bool lacks = state == WEBP_DEMUX_DONE && number == 0;

	if (demuxer && number > 0 && WebPDemuxGetFrame(demuxer, (int)number, &frame)) {
		WebPDecoderConfig config;
		VP8StatusCode status = VP8_STATUS_INVALID_PARAM;

		if (WebPInitDecoderConfig(&config))
			status = WebPDecode(frame.fragment.bytes, frame.fragment.size, &config);
		lacks = status == VP8_STATUS_OK || status == VP8_STATUS_OUT_OF_MEMORY;
		WebPFreeDecBuffer(&config.output);
	}
	WebPDemuxReleaseIterator(&frame);
	WebPDemuxDelete(demuxer);
	return lacks;
}

struct webp_decoder *pi_webp_open(const uint8_t *data, const struct webp_outline *outline,
				  struct panelimage_error *reterr)
{
	WebPData file = {.bytes = data, .size = outline->file_bytes};
	struct webp_decoder *decoder = malloc(sizeof(*decoder));
	WebPAnimInfo info;

	if (!decoder) {
		(void)pi_fail_memory(reterr);
		return NULL;
	}
	*decoder = (struct webp_decoder){.data = data, .outline = *outline, .is_fit = true};
	decoder->anim = WebPAnimDecoderNew(&file, NULL);
	if (!decoder->anim) {
		if (lacks_memory(data, file.size, 0))
			(void)pi_fail_memory(reterr);
		else
			(void)pi_fail(reterr, "WebP is damaged");
		goto fail;
	}
	/* Had the two walks over the file come to different ends, no limit would hold. */
	if (!WebPAnimDecoderGetInfo(decoder->anim, &info) ||
	    info.frame_count != outline->frame_count) {
		(void)pi_fail(reterr, "WebP is damaged, its frames cannot be counted");
		goto fail;
	}
	if (pi_canvas_init(&decoder->canvas, outline->size, reterr) == 0)
		return decoder;
fail:
	pi_webp_close(decoder);
	return NULL;
}

bool pi_webp_has_more(const struct webp_decoder *decoder)
{
	return WebPAnimDecoderHasMoreFrames(decoder->anim);
}

int pi_webp_next(struct webp_decoder *decoder, struct frame_sink *sink,
		 struct panelimage_error *reterr)
{
	uint8_t *rgba;
	int end_ms;
	uint32_t duration_ms;

	decoder->frame_number++;
	if (!WebPAnimDecoderGetNext(decoder->anim, &rgba, &end_ms)) {
		if (lacks_memory(decoder->data, decoder->outline.file_bytes, decoder->frame_number))
			return pi_fail_memory(reterr);
		return pi_fail(reterr, "WebP frame %u of %u is damaged or truncated",
			       decoder->frame_number, decoder->outline.frame_count);
	}
	/* The sum wraps around in very long animations, the difference does not. */
	duration_ms = (uint32_t)end_ms - decoder->last_ms;
	decoder->last_ms = (uint32_t)end_ms;
	decoder->is_fit &= flatten(rgba, &decoder->canvas);
	return sink->on_frame(sink, &decoder->canvas, decoder->outline.animated ? duration_ms : 0,
			      reterr);
}

bool pi_webp_is_fit(const struct webp_decoder *decoder)
{
	return decoder->is_fit;
}

void pi_webp_close(struct webp_decoder *decoder)
{
	if (!decoder)
		return;
	pi_canvas_finish(&decoder->canvas);
	WebPAnimDecoderDelete(decoder->anim);
	free(decoder);
}
