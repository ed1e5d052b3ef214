#include "webp.h"

#include <stdlib.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/demux.h>

#include "bytes.h"
#include "fail.h"

enum {
	ALPHA_HEAD_BYTES = 9, /* "ALPH", size, and how it is stored */
	ALPHA_METHOD = 0x03,
	ALPHA_RESERVED = 0x02 | 0x20 | 0x80, /* bits that libwebp does not accept */
	VP8L_HEAD_BYTES = 5,
	VP8L_SIGNATURE = 0x2f,
};

struct webp_decoder {
	WebPAnimDecoder *anim;
	const uint8_t *data;
	struct webp_outline outline;
	struct canvas canvas;
	uint32_t frame_number; /* number of the current frame, from 1 */
	uint32_t last_ms;      /* end of the previous frame */
	bool is_fit;	       /* all frames so far are fit */
};

static uint32_t argb_as_is(const uint8_t *rgba)
{
	return CANVAS_BLACK | (uint32_t)rgba[0] << 16 | (uint32_t)rgba[1] << 8 | rgba[2];
}

/* Whether no pixel is transparent. It looks at all of them, several at a time. */
static bool is_opaque(const uint8_t *rgba, size_t pixels)
{
	uint8_t alpha = 255;

	for (size_t i = 0; i < pixels; i++)
		alpha &= rgba[4 * i + 3];
	return alpha == 255;
}

/* Composes the frame over black. Returns whether a panel that ignores alpha shows the same. */
static bool flatten(const uint8_t *rgba, struct canvas *ret)
{
	bool same = true;

	if (is_opaque(rgba, pi_canvas_pixels(ret))) {
		for (size_t i = 0; i < pi_canvas_pixels(ret); i++)
			ret->argb[i] = argb_as_is(rgba + i * 4);
		return true;
	}
	for (size_t i = 0; i < pi_canvas_pixels(ret); i++) {
		ret->argb[i] = argb_over_black(rgba + i * 4);
		same = same && ret->argb[i] == argb_as_is(rgba + i * 4);
	}
	return same;
}

static VP8StatusCode decode(const uint8_t *data, size_t size)
{
	WebPDecoderConfig config;
	VP8StatusCode status;

	/* It fails only if the header and the library have different versions. */
	if (!WebPInitDecoderConfig(&config))
		return VP8_STATUS_INVALID_PARAM;
	status = WebPDecode(data, size, &config);
	WebPFreeDecBuffer(&config.output);
	return status;
}

/* Decodes the alpha of a lossy image, from the first byte of its ALPH chunk, as a VP8L image (RFC
 * 9649, 2.7.1.2): libwebp reports much damage in it as a lack of memory. */
static VP8StatusCode decode_alpha(const WebPIterator *frame)
{
	const uint8_t *chunk = frame->fragment.bytes;
	size_t size = le32(chunk + 4), left = frame->fragment.size - ALPHA_HEAD_BYTES;
	size_t pixels = (size_t)frame->width * (size_t)frame->height;
	uint8_t *vp8l;
	VP8StatusCode status;

	if (size == 0 || size - 1 > left || chunk[8] & ALPHA_RESERVED)
		return VP8_STATUS_BITSTREAM_ERROR;
	if ((chunk[8] & ALPHA_METHOD) == 0)
		return size - 1 < pixels ? VP8_STATUS_BITSTREAM_ERROR : VP8_STATUS_OK;
	vp8l = malloc(VP8L_HEAD_BYTES + size - 1);
	if (!vp8l)
		return VP8_STATUS_OUT_OF_MEMORY;
	vp8l[0] = VP8L_SIGNATURE;
	put_le32(vp8l + 1, (uint32_t)(frame->width - 1) | (uint32_t)(frame->height - 1) << 14);
	memcpy(vp8l + VP8L_HEAD_BYTES, chunk + ALPHA_HEAD_BYTES, size - 1);
	status = decode(vp8l, VP8L_HEAD_BYTES + size - 1);
	free(vp8l);
	return status;
}

/* Decodes a frame by itself: its alpha, if that has a chunk of its own, and the rest. */
static VP8StatusCode decode_frame(const WebPIterator *frame)
{
	VP8StatusCode status = VP8_STATUS_OK;

	if (frame->fragment.size >= ALPHA_HEAD_BYTES &&
	    memcmp(frame->fragment.bytes, "ALPH", 4) == 0)
		status = decode_alpha(frame);
	return status == VP8_STATUS_OK ? decode(frame->fragment.bytes, frame->fragment.size)
				       : status;
}

/* Whether the decoder of animations has failed for lack of memory: libwebp does not report that.
 * The frame is decoded again: that fails for a damaged file, and succeeds or reports the lack if
 * there was no memory. number: 0 for the file without a frame. */
static bool lacks_memory(const uint8_t *data, size_t size, uint32_t number)
{
	WebPData file = {.bytes = data, .size = size};
	WebPDemuxState state;
	WebPDemuxer *demuxer = WebPDemuxPartial(&file, &state);
	WebPIterator frame = {0};
	bool lacks = state == WEBP_DEMUX_DONE && number == 0;

	if (demuxer && number > 0 && WebPDemuxGetFrame(demuxer, (int)number, &frame)) {
		VP8StatusCode status = decode_frame(&frame);

		lacks = status == VP8_STATUS_OK || status == VP8_STATUS_OUT_OF_MEMORY;
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
	/* If the library's walk over the file and ours differed, no limit would hold. */
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
	if (!decoder->outline.keeps_short)
		duration_ms = pi_shown_ms(duration_ms);
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
