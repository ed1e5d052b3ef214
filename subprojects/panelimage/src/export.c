#include "panelimage/panelimage.h"

#include <stdlib.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>

#include "export_gif.h"
#include "export_png.h"
#include "fail.h"

struct panelimage_export {
	struct panelimage_export_options options;
	struct panelimage_size panel;
	WebPAnimDecoder *decoder; /* NULL: the picture is black */
	struct pi_gif_writer *gif;
	struct pi_png_writer *png;
	unsigned png_rows; /* rows of the panel that the PNG has already */
	uint8_t *rgb;	   /* pixels of the current frame */
	int shown_ms;	   /* end of the frames so far */
	int written_cs;	   /* the same in the GIF, in hundredths of a second */
};

static bool begin_decoder(struct panelimage_export *exporting, const uint8_t *data, size_t size,
			  WebPAnimInfo *ret_info)
{
	WebPData file = {data, size};
	WebPAnimDecoderOptions options;

	if (!WebPAnimDecoderOptionsInit(&options))
		return false;
	options.color_mode = MODE_RGBA;
	exporting->decoder = WebPAnimDecoderNew(&file, &options);
	return exporting->decoder && WebPAnimDecoderGetInfo(exporting->decoder, ret_info) &&
	       ret_info->canvas_width == exporting->panel.width &&
	       ret_info->canvas_height == exporting->panel.height;
}

struct panelimage_export *panelimage_export_new(const uint8_t *data, size_t size,
						struct panelimage_size panel,
						const struct panelimage_export_options *options,
						struct panelimage_error *reterr)
{
	struct panelimage_export *exporting = calloc(1, sizeof(*exporting));
	WebPAnimInfo info = {.loop_count = 1, .frame_count = 1};

	if (!exporting) {
		pi_fail_memory(reterr);
		return NULL;
	}
	exporting->options = *options;
	exporting->panel = panel;
	exporting->rgb = calloc((size_t)panel.width * panel.height, 3);
	if (!exporting->rgb || (data && !begin_decoder(exporting, data, size, &info)) ||
	    (options->format == PANELIMAGE_FORMAT_GIF &&
	     !(exporting->gif =
		   pi_gif_writer_new(panel, info.frame_count > 1 ? info.loop_count : 1))) ||
	    (options->format == PANELIMAGE_FORMAT_PNG &&
	     !(exporting->png = pi_png_writer_new(panel, options->scale, options->has_leds)))) {
		pi_fail(reterr, "image cannot be converted");
		panelimage_export_free(exporting);
		return NULL;
	}
	return exporting;
}

/* Reads the next frame, over black. Returns false if there is none. */
static bool next_frame(struct panelimage_export *exporting, int *ret_end_ms)
{
	size_t pixels = (size_t)exporting->panel.width * exporting->panel.height;
	uint8_t *rgba;

	if (!exporting->decoder || !WebPAnimDecoderHasMoreFrames(exporting->decoder) ||
	    !WebPAnimDecoderGetNext(exporting->decoder, &rgba, ret_end_ms))
		return false;
	for (size_t i = 0; i < pixels; i++) {
		for (size_t j = 0; j < 3; j++)
			exporting->rgb[3 * i + j] =
			    (uint8_t)((rgba[4 * i + j] * rgba[4 * i + 3] + 127) / 255);
	}
	return true;
}

static int write_black_webp(const struct panelimage_export *exporting, uint8_t **ret_data,
			    size_t *ret_size)
{
	int width = (int)exporting->panel.width, height = (int)exporting->panel.height;
	uint8_t *file = NULL;
	size_t size = WebPEncodeLosslessRGB(exporting->rgb, width, height, width * 3, &file);
	uint8_t *copy = size ? malloc(size) : NULL;

	if (copy) {
		memcpy(copy, file, size);
		*ret_data = copy;
		*ret_size = size;
	}
	WebPFree(file);
	return copy ? 0 : -1;
}

/* Adds a frame. Delays of a GIF are hundredths, rounded so that no error grows; players take less
 * than two for ten. */
static enum panelimage_progress step_gif(struct panelimage_export *exporting, uint8_t **ret_data,
					 size_t *ret_size)
{
	int end_ms = 0, delay_cs;

	if (next_frame(exporting, &end_ms) || !exporting->decoder) {
		delay_cs = (end_ms + 5) / 10 - exporting->written_cs;
		if (delay_cs < 2 && end_ms > 0)
			delay_cs = 2;
		if (delay_cs > UINT16_MAX)
			delay_cs = UINT16_MAX;
		exporting->written_cs += delay_cs;
		if (pi_gif_writer_add(exporting->gif, exporting->rgb, (unsigned)delay_cs))
			return PANELIMAGE_FAILED;
		if (exporting->decoder)
			return PANELIMAGE_MORE;
	}
	return pi_gif_writer_end(exporting->gif, ret_data, ret_size) ? PANELIMAGE_FAILED
								     : PANELIMAGE_DONE;
}

/* Adds a row of the first frame. */
static enum panelimage_progress step_png(struct panelimage_export *exporting, uint8_t **ret_data,
					 size_t *ret_size)
{
	const uint8_t *row =
	    exporting->rgb + (size_t)exporting->png_rows * exporting->panel.width * 3;
	int end_ms;

	if (exporting->png_rows == 0 && exporting->decoder && !next_frame(exporting, &end_ms))
		return PANELIMAGE_FAILED;
	if (pi_png_writer_add(exporting->png, row))
		return PANELIMAGE_FAILED;
	if (++exporting->png_rows < exporting->panel.height)
		return PANELIMAGE_MORE;
	return pi_png_writer_end(exporting->png, ret_data, ret_size) ? PANELIMAGE_FAILED
								     : PANELIMAGE_DONE;
}

enum panelimage_progress panelimage_export_step(struct panelimage_export *exporting,
						uint8_t **ret_data, size_t *ret_size,
						struct panelimage_error *reterr)
{
	enum panelimage_progress progress = PANELIMAGE_DONE;

	switch (exporting->options.format) {
	case PANELIMAGE_FORMAT_GIF:
		progress = step_gif(exporting, ret_data, ret_size);
		break;
	case PANELIMAGE_FORMAT_PNG:
		progress = step_png(exporting, ret_data, ret_size);
		break;
	default:
		if (exporting->decoder || write_black_webp(exporting, ret_data, ret_size))
			progress = PANELIMAGE_FAILED;
	}
	if (progress == PANELIMAGE_FAILED)
		pi_fail(reterr, "image cannot be converted");
	return progress;
}

void panelimage_export_free(struct panelimage_export *exporting)
{
	if (!exporting)
		return;
	if (exporting->decoder)
		WebPAnimDecoderDelete(exporting->decoder);
	pi_gif_writer_free(exporting->gif);
	pi_png_writer_free(exporting->png);
	free(exporting->rgb);
	free(exporting);
}
