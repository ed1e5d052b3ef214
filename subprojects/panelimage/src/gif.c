#include "gif.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "gif_lzw.h"

enum {
	DELAY_UNIT_MS = 10,
};

struct rect {
	size_t left, top, width, height;
};

struct gif_decoder {
	const uint8_t *data;
	size_t size;
	size_t pos;
	GifFileType *gif;
	struct frame_sink *sink;
	uint32_t frame_count;	      /* frames of the file */
	uint32_t frame_number;	      /* number of the current frame, from 1 */
	GraphicsControlBlock control; /* control block for the next image */
	int disposal;		      /* of the last frame */
	struct rect disposed;
	struct canvas canvas;
	struct canvas previous; /* the canvas that disposal 3 restores */
};

static const GraphicsControlBlock no_control = {.TransparentColor = NO_TRANSPARENT_COLOR};

static int read_bytes(GifFileType *gif, GifByteType *ret, int wanted)
{
	struct gif_decoder *decoder = gif->UserData;
	size_t left = decoder->size - decoder->pos;
	size_t bytes = (size_t)wanted < left ? (size_t)wanted : left;

	memcpy(ret, decoder->data + decoder->pos, bytes);
	decoder->pos += bytes;
	return (int)bytes;
}

static int fail_frame(const struct gif_decoder *decoder, struct panelimage_error *reterr)
{
	int error = decoder->gif->Error;
	const char *text = GifErrorString(error);

	if (error == D_GIF_ERR_NOT_ENOUGH_MEM)
		return pi_fail_memory(reterr);
	if (error == D_GIF_ERR_EOF_TOO_SOON)
		return pi_fail(reterr, "GIF frame %u ends before its last pixel",
			       decoder->frame_number);
	return pi_fail(reterr, "GIF frame %u is damaged: %s", decoder->frame_number,
		       text ? text : "unknown error");
}

/* Reads the rectangle of the current image, and checks it before any of its pixels are read. */
static int take_rect(const struct gif_decoder *decoder, struct rect *ret,
		     struct panelimage_error *reterr)
{
	const GifImageDesc *image = &decoder->gif->Image;
	struct panelimage_size panel = decoder->canvas.size;

	if (image->Left < 0 || image->Top < 0 || image->Width <= 0 || image->Height <= 0 ||
	    image->Left + image->Width > (int)panel.width ||
	    image->Top + image->Height > (int)panel.height)
		return pi_fail(reterr, "GIF frame %u is %dx%d pixels at %d,%d, outside of %ux%u",
			       decoder->frame_number, image->Width, image->Height, image->Left,
			       image->Top, panel.width, panel.height);
	*ret = (struct rect){.left = (size_t)image->Left,
			     .top = (size_t)image->Top,
			     .width = (size_t)image->Width,
			     .height = (size_t)image->Height};
	return 0;
}

/* giflib has read up to the image's first sub-block, which follows its code size. */
static int check_codes(const struct gif_decoder *decoder, const struct rect *rect,
		       struct panelimage_error *reterr)
{
	unsigned code_bits = decoder->data[decoder->pos - 1];
	unsigned code;

	if (pi_gif_lzw_check(decoder->data, decoder->size, decoder->pos, code_bits,
			     rect->width * rect->height, &code) == GIF_LZW_SOUND)
		return 0;
	return pi_fail(reterr, "GIF frame %u is damaged: its LZW code %u was never defined",
		       decoder->frame_number, code);
}

static void dispose_last(struct gif_decoder *decoder)
{
	const struct rect *rect = &decoder->disposed;

	if (decoder->disposal >= DISPOSE_PREVIOUS)
		pi_canvas_copy(&decoder->canvas, &decoder->previous);
	if (decoder->disposal != DISPOSE_BACKGROUND)
		return;
	for (size_t y = rect->top; y < rect->top + rect->height; y++)
		for (size_t x = rect->left; x < rect->left + rect->width; x++)
			decoder->canvas.argb[y * decoder->canvas.size.width + x] = CANVAS_BLACK;
}

/* Draws a row. An index beyond the colour table draws nothing, as in browsers. */
static void draw_row(struct gif_decoder *decoder, const struct rect *rect, size_t row,
		     const GifPixelType *pixels, const ColorMapObject *map)
{
	uint32_t *target =
	    decoder->canvas.argb + (rect->top + row) * decoder->canvas.size.width + rect->left;

	for (size_t x = 0; x < rect->width; x++) {
		const GifColorType *color = map->Colors + pixels[x];

		if (pixels[x] == decoder->control.TransparentColor || pixels[x] >= map->ColorCount)
			continue;
		target[x] = CANVAS_BLACK | (uint32_t)color->Red << 16 |
			    (uint32_t)color->Green << 8 | color->Blue;
	}
}

static int draw_image(struct gif_decoder *decoder, const struct rect *rect,
		      struct panelimage_error *reterr)
{
	/* The four passes of an interlaced image (GIF89a, appendix E). */
	static const size_t first_row[] = {0, 4, 2, 1}, row_step[] = {8, 8, 4, 2};
	const GifFileType *gif = decoder->gif;
	const ColorMapObject *map = gif->Image.ColorMap ? gif->Image.ColorMap : gif->SColorMap;
	GifPixelType pixels[PANELIMAGE_SIDE_MAX * PANELIMAGE_MAGNIFICATION_MAX];
	size_t passes = gif->Image.Interlace ? 4 : 1;

	if (!map)
		return pi_fail(reterr, "GIF frame %u has no colour table", decoder->frame_number);
	for (size_t pass = 0; pass < passes; pass++) {
		size_t step = gif->Image.Interlace ? row_step[pass] : 1;

		for (size_t row = first_row[pass]; row < rect->height; row += step) {
			if (DGifGetLine(decoder->gif, pixels, (int)rect->width) != GIF_OK)
				return fail_frame(decoder, reterr);
			draw_row(decoder, rect, row, pixels, map);
		}
	}
	return 0;
}

static uint32_t delay_ms(const GraphicsControlBlock *control)
{
	return pi_shown_ms((uint32_t)control->DelayTime * DELAY_UNIT_MS);
}

static int decode_image(struct gif_decoder *decoder, struct panelimage_error *reterr)
{
	struct rect rect = {0};

	decoder->frame_number++;
	if (DGifGetImageDesc(decoder->gif) != GIF_OK)
		return fail_frame(decoder, reterr);
	if (take_rect(decoder, &rect, reterr) || check_codes(decoder, &rect, reterr))
		return -1;
	dispose_last(decoder);
	if (decoder->control.DisposalMode >= DISPOSE_PREVIOUS)
		pi_canvas_copy(&decoder->previous, &decoder->canvas);
	if (draw_image(decoder, &rect, reterr))
		return -1;
	if (decoder->sink->on_frame(decoder->sink, &decoder->canvas, delay_ms(&decoder->control),
				    reterr))
		return -1;
	decoder->disposal = decoder->control.DisposalMode;
	decoder->disposed = rect;
	decoder->control = no_control;
	return 0;
}

static int decode_extension(struct gif_decoder *decoder, struct panelimage_error *reterr)
{
	GifByteType *block;
	int code;
	int rc = DGifGetExtension(decoder->gif, &code, &block);

	/* GIF89a 23: a control extension is one sub-block. Browsers ignore further ones. */
	if (rc == GIF_OK && block && code == GRAPHICS_EXT_FUNC_CODE && block[0] == 4)
		(void)DGifExtensionToGCB(block[0], block + 1, &decoder->control);
	while (rc == GIF_OK && block)
		rc = DGifGetExtensionNext(decoder->gif, &block);
	return rc == GIF_OK ? 0 : fail_frame(decoder, reterr);
}

/* Reads up to the end of the next image. */
static int decode_records(struct gif_decoder *decoder, struct panelimage_error *reterr)
{
	uint32_t last = decoder->frame_number;
	GifRecordType type;

	while (decoder->frame_number == last) {
		/* Skip zero bytes between blocks, as pi_gif_outline() does. */
		while (decoder->pos < decoder->size && decoder->data[decoder->pos] == 0)
			decoder->pos++;
		if (DGifGetRecordType(decoder->gif, &type) != GIF_OK)
			return fail_frame(decoder, reterr);
		if (type == IMAGE_DESC_RECORD_TYPE) {
			if (decode_image(decoder, reterr))
				return -1;
		} else if (type == EXTENSION_RECORD_TYPE) {
			if (decode_extension(decoder, reterr))
				return -1;
		} else {
			return pi_fail(reterr, "GIF is truncated after frame %u",
				       decoder->frame_number);
		}
	}
	return 0;
}

struct gif_decoder *pi_gif_open(const uint8_t *data, size_t size, const struct gif_outline *outline,
				struct panelimage_error *reterr)
{
	struct panelimage_size panel = {outline->width, outline->height};
	struct gif_decoder *decoder = malloc(sizeof(*decoder));
	int error = 0;

	if (!decoder) {
		(void)pi_fail_memory(reterr);
		return NULL;
	}
	*decoder = (struct gif_decoder){
	    .data = data, .size = size, .frame_count = outline->frame_count, .control = no_control};
	if (pi_canvas_init(&decoder->canvas, panel, reterr) ||
	    pi_canvas_init(&decoder->previous, panel, reterr))
		goto fail;
	pi_canvas_clear(&decoder->canvas);
	decoder->gif = DGifOpen(decoder, read_bytes, &error);
	/* The outline has found the header to be sound and whole: what is missing is memory,
	 * whatever giflib calls it. */
	if (!decoder->gif) {
		(void)pi_fail_memory(reterr);
		goto fail;
	}
	return decoder;
fail:
	pi_gif_close(decoder);
	return NULL;
}

bool pi_gif_has_more(const struct gif_decoder *decoder)
{
	return decoder->frame_number < decoder->frame_count;
}

int pi_gif_next(struct gif_decoder *decoder, struct frame_sink *sink,
		struct panelimage_error *reterr)
{
	decoder->sink = sink;
	return decode_records(decoder, reterr);
}

void pi_gif_close(struct gif_decoder *decoder)
{
	int error;

	if (!decoder)
		return;
	if (decoder->gif)
		DGifCloseFile(decoder->gif, &error);
	pi_canvas_finish(&decoder->canvas);
	pi_canvas_finish(&decoder->previous);
	free(decoder);
}
