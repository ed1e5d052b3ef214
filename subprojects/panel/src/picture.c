#include "picture.h"

#include "memory.h"

#include <string.h>
#include <webp/decode.h>
#include <webp/demux.h>

struct picture {
	WebPAnimDecoder *decoder;
	uint8_t *data; /* the decoder reads it until the end */
	bool is_wide;
	uint32_t frame_count;
	int last_timestamp_ms;
};

/* The decoder allocates the canvas that the file claims, so its size is checked before. */
static const char *check_canvas(const WebPData *data, bool *ret_is_wide)
{
	WebPDemuxer *demuxer = WebPDemux(data);
	uint32_t width;
	uint32_t height;

	if (!demuxer)
		return "is not a complete WebP";
	width = WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH);
	height = WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT);
	WebPDemuxDelete(demuxer);
	*ret_is_wide = width == PANEL_WIDTH_MAX && height == PANEL_HEIGHT_MAX;
	return *ret_is_wide || (width == PANEL_WIDTH && height == PANEL_HEIGHT)
		   ? NULL
		   : "is neither 64x32 nor 128x64 pixels";
}

struct picture *picture_open(const uint8_t *data, size_t size, const char **ret_fault)
{
	struct picture *picture;
	WebPAnimDecoderOptions options;
	WebPAnimInfo info;
	WebPData view = {.bytes = data, .size = size};
	bool is_wide;
	const char *fault = size > PICTURE_BYTES_MAX ? "is larger than 460,000 bytes"
						     : check_canvas(&view, &is_wide);

	if (fault) {
		*ret_fault = fault;
		return NULL;
	}
	picture = memory_zalloc(sizeof(*picture));
	picture->is_wide = is_wide;
	picture->data = memory_zalloc(size);
	memcpy(picture->data, data, size);
	view.bytes = picture->data;
	WebPAnimDecoderOptionsInit(&options);
	options.color_mode = MODE_RGBA;
	picture->decoder = WebPAnimDecoderNew(&view, &options);
	if (!picture->decoder || !WebPAnimDecoderGetInfo(picture->decoder, &info) ||
	    info.frame_count == 0) {
		picture_close(picture);
		*ret_fault = "cannot be decoded";
		return NULL;
	}
	picture->frame_count = info.frame_count;
	return picture;
}

void picture_close(struct picture *picture)
{
	if (!picture)
		return;
	WebPAnimDecoderDelete(picture->decoder);
	free(picture->data);
	free(picture);
}

uint32_t picture_frame_count(const struct picture *picture)
{
	return picture->frame_count;
}

bool picture_has_more_frames(const struct picture *picture)
{
	return WebPAnimDecoderHasMoreFrames(picture->decoder);
}

void picture_rewind(struct picture *picture)
{
	WebPAnimDecoderReset(picture->decoder);
	picture->last_timestamp_ms = 0;
}

bool picture_next_frame(struct picture *picture, struct pixels *ret_pixels,
			uint32_t *ret_duration_ms)
{
	uint8_t *rgba;
	int timestamp_ms;

	if (!WebPAnimDecoderGetNext(picture->decoder, &rgba, &timestamp_ms))
		return false;
	ret_pixels->is_wide = picture->is_wide;
	for (size_t i = 0; i < pixels_size(ret_pixels) / 3; i++)
		memcpy(ret_pixels->rgb + 3 * i, rgba + 4 * i, 3);
	*ret_duration_ms = PICTURE_FRAME_DEFAULT_MS;
	if (timestamp_ms > picture->last_timestamp_ms)
		*ret_duration_ms = (uint32_t)timestamp_ms - (uint32_t)picture->last_timestamp_ms;
	picture->last_timestamp_ms = timestamp_ms;
	return true;
}
