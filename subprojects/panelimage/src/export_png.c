#include "export_png.h"

#include <spng.h>
#include <stdlib.h>
#include <string.h>

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
	uint8_t covered[PANELIMAGE_SCALE_MAX][PANELIMAGE_SCALE_MAX];
};

/* A magnified picture repeats its bytes, which zlib finds without filters: with them it takes five
 * times as long, for a larger file if there are LEDs. */
static bool choose_effort(spng_ctx *context, unsigned scale)
{
	enum { EFFORT = 3 };

	return scale == 1 ||
	       (spng_set_option(context, SPNG_FILTER_CHOICE, SPNG_DISABLE_FILTERING) == 0 &&
		spng_set_option(context, SPNG_IMG_COMPRESSION_LEVEL, EFFORT) == 0);
}

static bool export_png_begin(spng_ctx *context, struct panelimage_size panel, unsigned scale)
{
	struct spng_ihdr head = {.width = panel.width * scale,
				 .height = panel.height * scale,
				 .bit_depth = 8,
				 .color_type = SPNG_COLOR_TYPE_TRUECOLOR};

	return spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1) == 0 &&
	       spng_set_ihdr(context, &head) == 0 && choose_effort(context, scale) &&
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
			writer->covered[y][x] = has_leds ? (uint8_t)coverage(x, y, scale) : 255;
	writer->context = spng_ctx_new(SPNG_CTX_ENCODER);
	writer->row = malloc((size_t)panel.width * scale * 3);
	if (writer->context && writer->row && export_png_begin(writer->context, panel, scale))
		return writer;
	pi_png_writer_free(writer);
	return NULL;
}

static void write_row(struct pi_png_writer *writer, const uint8_t *rgb, const uint8_t *covered)
{
	uint8_t *at = writer->row;

	for (unsigned panel_x = 0; panel_x < writer->panel.width; panel_x++, rgb += 3)
		for (unsigned x = 0; x < writer->scale; x++)
			for (unsigned i = 0; i < 3; i++)
				*at++ = (uint8_t)((rgb[i] * covered[x] + 127) / 255);
}

int pi_png_writer_add(struct pi_png_writer *writer, const uint8_t *rgb)
{
	size_t size = (size_t)writer->panel.width * writer->scale;
	int error = 0;

	for (unsigned y = 0; y < writer->scale && error == 0; y++) {
		const uint8_t *covered = writer->covered[y];

		if (y == 0 || memcmp(covered, writer->covered[y - 1], writer->scale) != 0)
			write_row(writer, rgb, covered);
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
