#include "export_png.h"

#include <spng.h>
#include <stdlib.h>

#include "fail.h"

enum { SAMPLES = 4 }; /* of a pixel, in each direction, to smooth the edge of an LED */

/* How much of the sub-pixel at x, y of a pixel of that scale its round LED covers, 0 to 255. */
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

static void enlarge(const uint8_t *rgb, struct panelimage_size panel, unsigned scale, bool has_leds,
		    uint8_t *ret)
{
	unsigned covered[PANELIMAGE_SCALE_MAX][PANELIMAGE_SCALE_MAX];

	for (unsigned y = 0; y < PANELIMAGE_SCALE_MAX; y++)
		for (unsigned x = 0; x < PANELIMAGE_SCALE_MAX; x++)
			covered[y][x] = has_leds ? coverage(x, y, scale) : 255;
	for (size_t y = 0; y < panel.height * scale; y++) {
		for (size_t x = 0; x < panel.width * scale; x++) {
			const uint8_t *pixel = rgb + (y / scale * panel.width + x / scale) * 3;
			unsigned part = covered[y % scale][x % scale];

			for (unsigned i = 0; i < 3; i++)
				*ret++ = (uint8_t)((pixel[i] * part + 127) / 255);
		}
	}
}

static int encode(const uint8_t *rgb, struct spng_ihdr *head, uint8_t **ret_data, size_t *ret_size)
{
	spng_ctx *context = spng_ctx_new(SPNG_CTX_ENCODER);
	size_t size = (size_t)head->width * head->height * 3;
	int error = 1;

	if (!context)
		return -1;
	if (spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1) == 0 &&
	    spng_set_ihdr(context, head) == 0 &&
	    spng_encode_image(context, rgb, size, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE) == 0)
		*ret_data = spng_get_png_buffer(context, ret_size, &error);
	spng_ctx_free(context);
	return error ? -1 : 0;
}

int pi_png_write(const uint8_t *rgb, struct panelimage_size panel, unsigned scale, bool has_leds,
		 uint8_t **ret_data, size_t *ret_size, struct panelimage_error *reterr)
{
	struct spng_ihdr head = {.width = panel.width * scale,
				 .height = panel.height * scale,
				 .bit_depth = 8,
				 .color_type = SPNG_COLOR_TYPE_TRUECOLOR};
	uint8_t *large = malloc((size_t)head.width * head.height * 3);
	int result;

	if (!large)
		return pi_fail_memory(reterr);
	enlarge(rgb, panel, scale, has_leds, large);
	result = encode(large, &head, ret_data, ret_size);
	free(large);
	return result ? pi_fail_memory(reterr) : 0;
}
