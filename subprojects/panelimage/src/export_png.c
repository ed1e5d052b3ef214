#include "export_png.h"

#include <spng.h>
#include <stdlib.h>

enum { SAMPLES = 4 }; /* samples of a pixel in each direction, to smooth the edge of an LED */

/* Returns how much of the sub-pixel at x, y of a pixel of that scale is covered by its round LED, 0
 * to 255. */
static unsigned coverage(unsigned x, unsigned y, unsigned scale)
{
	/* In units of a sample: the LED's diameter is 84 % of its pixel. */
	int side = (int)(scale * SAMPLES), radius2 = side * side * 84 * 84 / 100 / 100;
	unsigned inside = 0;

	for (unsigned i = 0; i < SAMPLES * SAMPLES; i++) {
		int dx = 2 * (int)(x * SAMPLES + i % SAMPLES) + 1 - side;
		int dy = 2 * (int)(y * SAMPLES + i / SAMPLES) + 1 - side;

		inside += dx * dx + dy * dy <= radius2;
	}
	return inside * 255 / (SAMPLES * SAMPLES);
}

struct pi_png_writer {
	struct panelimage_size panel;
	unsigned scale;
	spng_ctx *context;
	uint8_t *row; /* a row of the PNG */
	unsigned covered[PANELIMAGE_SCALE_MAX][PANELIMAGE_SCALE_MAX];
};

static bool begin(spng_ctx *context, struct panelimage_size panel, unsigned scale)
{
	struct spng_ihdr head = {.width = panel.width * scale,
				 .height = panel.height * scale,
				 .bit_depth = 8,
				 .color_type = SPNG_COLOR_TYPE_TRUECOLOR};

	return spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1) == 0 &&
	       spng_set_ihdr(context, &head) == 0 &&
	       spng_encode_image(context, NULL, 0, SPNG_FMT_PNG,
				 SPNG_ENCODE_PROGRESSIVE | SPNG_ENCODE_FINALIZE) == 0;
}

struct pi_png_writer *pi_png_writer_new(struct panelimage_size panel, unsigned scale, bool has_leds)
{
	struct pi_png_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->panel = panel;
	writer->scale = scale;
	for (unsigned y = 0; y < PANELIMAGE_SCALE_MAX; y++)
		for (unsigned x = 0; x < PANELIMAGE_SCALE_MAX; x++)
			writer->covered[y][x] = has_leds ? coverage(x, y, scale) : 255;
	writer->context = spng_ctx_new(SPNG_CTX_ENCODER);
	writer->row = malloc((size_t)panel.width * scale * 3);
	if (writer->context && writer->row && begin(writer->context, panel, scale))
		return writer;
	pi_png_writer_free(writer);
	return NULL;
}

int pi_png_writer_add(struct pi_png_writer *writer, const uint8_t *rgb)
{
	size_t size = (size_t)writer->panel.width * writer->scale;
	int error = 0;

	for (unsigned y = 0; y < writer->scale && error == 0; y++) {
		uint8_t *at = writer->row;

		for (size_t x = 0; x < size; x++) {
			const uint8_t *pixel = rgb + x / writer->scale * 3;
			unsigned part = writer->covered[y][x % writer->scale];

			for (unsigned i = 0; i < 3; i++)
				*at++ = (uint8_t)((pixel[i] * part + 127) / 255);
		}
		error = spng_encode_row(writer->context, writer->row, size * 3);
	}
	return error == 0 || error == SPNG_EOI ? 0 : -1;
}

int pi_png_writer_end(struct pi_png_writer *writer, uint8_t **ret_data, size_t *ret_size)
{
	int error = 1;

	*ret_data = spng_get_png_buffer(writer->context, ret_size, &error);
	return error ? -1 : 0;
}

void pi_png_writer_free(struct pi_png_writer *writer)
{
	if (!writer)
		return;
	spng_ctx_free(writer->context);
	free(writer->row);
	free(writer);
}
