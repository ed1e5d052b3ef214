#include "gif_lzw.h"

#include <stdbool.h>

enum { CODE_BITS_MAX = 12, CODES_MAX = 1 << CODE_BITS_MAX };

/* Reads the bits of sub-blocks, lowest first. */
struct code_reader {
	const uint8_t *data;
	size_t size;
	size_t pos;
	size_t block_left;
	uint32_t bits;
	unsigned bit_count;
};

static bool read_byte(struct code_reader *reader)
{
	if (reader->block_left == 0) {
		if (reader->pos >= reader->size || reader->data[reader->pos] == 0)
			return false;
		reader->block_left = reader->data[reader->pos++];
	}
	if (reader->pos >= reader->size)
		return false;
	reader->bits |= (uint32_t)reader->data[reader->pos++] << reader->bit_count;
	reader->bit_count += 8;
	reader->block_left--;
	return true;
}

static bool read_code(struct code_reader *reader, unsigned width, unsigned *ret_code)
{
	while (reader->bit_count < width) {
		if (!read_byte(reader))
			return false;
	}
	*ret_code = reader->bits & ((1U << width) - 1);
	reader->bits >>= width;
	reader->bit_count -= width;
	return true;
}

/* Number of pixels of each defined code's string. */
struct code_table {
	unsigned clear;
	unsigned following; /* the code to be defined next */
	unsigned width;	    /* bits of a code */
	unsigned last;	    /* pixels of the previous string; 0: none since the last clear code */
	uint16_t pixels[CODES_MAX];
};

static void clear_table(struct code_table *table, unsigned code_bits)
{
	table->following = table->clear + 2;
	table->width = code_bits + 1;
	table->last = 0;
}

/* Returns the number of pixels of a code's string; 0: it was never defined. */
static unsigned string_pixels(const struct code_table *table, unsigned code)
{
	if (code < table->clear)
		return 1;
	if (code < table->following)
		return table->pixels[code];
	/* The code that is being defined: the string before, and its first pixel once more. */
	if (code == table->following && table->last)
		return table->last + 1;
	return 0;
}

static void define_string(struct code_table *table)
{
	if (!table->last || table->following == CODES_MAX)
		return;
	table->pixels[table->following++] = (uint16_t)(table->last + 1);
	if (table->following == 1U << table->width && table->width < CODE_BITS_MAX)
		table->width++;
}

enum gif_lzw pi_gif_lzw_check(const uint8_t *data, size_t size, size_t pos, unsigned code_bits,
			      size_t pixels, unsigned *ret_code)
{
	struct code_reader reader = {.data = data, .size = size, .pos = pos};
	struct code_table table = {.clear = 1U << code_bits};
	unsigned code;

	clear_table(&table, code_bits);
	while (pixels > 0 && read_code(&reader, table.width, &code)) {
		unsigned length;

		if (code == table.clear) {
			clear_table(&table, code_bits);
			continue;
		}
		if (code == table.clear + 1)
			return GIF_LZW_SOUND;
		length = string_pixels(&table, code);
		if (length == 0) {
			*ret_code = code;
			return GIF_LZW_UNDEFINED;
		}
		define_string(&table);
		table.last = length;
		pixels -= length < pixels ? length : pixels;
	}
	return GIF_LZW_SOUND;
}
