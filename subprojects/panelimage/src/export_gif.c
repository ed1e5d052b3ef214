#include "export_gif.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

enum { COLOURS = 256, BITS = 8, SLOTS = 1024 };

struct pi_gif_writer {
	struct panelimage_size panel;
	GifFileType *file;
	uint8_t *data;
	size_t size, room;
	bool has_failed;
};

/* The colours of a frame: a hash table of the colours found so far, and their order. */
struct palette {
	uint32_t keys[SLOTS]; /* colour + 1; 0: free */
	uint8_t places[SLOTS];
	GifColorType colours[COLOURS];
	unsigned count;
};

static int on_write(GifFileType *file, const GifByteType *bytes, int count)
{
	struct pi_gif_writer *writer = file->UserData;
	size_t needed = writer->size + (size_t)count;

	if (needed > writer->room) {
		size_t room = needed * 2;
		uint8_t *data = realloc(writer->data, room);

		if (!data) {
			writer->has_failed = true;
			return 0;
		}
		writer->data = data;
		writer->room = room;
	}
	memcpy(writer->data + writer->size, bytes, (size_t)count);
	writer->size = needed;
	return count;
}

static int put_loops(GifFileType *file, unsigned loop_count)
{
	/* A player shows the frames once more than it is told. */
	unsigned again = loop_count ? loop_count - 1 : 0;
	uint8_t loops[] = {1, (uint8_t)again, (uint8_t)(again >> 8)};

	if (loop_count == 1)
		return GIF_OK;
	return EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE) &&
		       EGifPutExtensionBlock(file, 11, "NETSCAPE2.0") &&
		       EGifPutExtensionBlock(file, sizeof(loops), loops) &&
		       EGifPutExtensionTrailer(file)
		   ? GIF_OK
		   : GIF_ERROR;
}

struct pi_gif_writer *pi_gif_writer_new(struct panelimage_size panel, unsigned loop_count)
{
	struct pi_gif_writer *writer = calloc(1, sizeof(*writer));
	int error;

	if (!writer)
		return NULL;
	writer->panel = panel;
	writer->file = EGifOpen(writer, on_write, &error);
	if (writer->file) {
		EGifSetGifVersion(writer->file, true);
		if (EGifPutScreenDesc(writer->file, (int)panel.width, (int)panel.height, BITS, 0,
				      NULL) == GIF_OK &&
		    put_loops(writer->file, loop_count) == GIF_OK)
			return writer;
	}
	pi_gif_writer_free(writer);
	return NULL;
}

static uint32_t colour_at(const uint8_t *rgb, unsigned lost)
{
	uint32_t mask = 0xffu >> lost << lost;

	return (rgb[0] & mask) << 16 | (rgb[1] & mask) << 8 | (rgb[2] & mask);
}

/* Returns the index of a colour in the palette; -1: it is full. */
static int place_of(struct palette *palette, uint32_t colour, const uint8_t *rgb)
{
	uint32_t slot = colour * 2654435761u >> 22;

	while (palette->keys[slot] && palette->keys[slot] != colour + 1)
		slot = (slot + 1) % SLOTS;
	if (palette->keys[slot])
		return palette->places[slot];
	if (palette->count == COLOURS)
		return -1;
	palette->keys[slot] = colour + 1;
	palette->places[slot] = (uint8_t)palette->count;
	palette->colours[palette->count] = (GifColorType){rgb[0], rgb[1], rgb[2]};
	return (int)palette->count++;
}

static bool index_pixels(const uint8_t *rgb, size_t count, unsigned lost, struct palette *palette,
			 uint8_t *ret_indices)
{
	*palette = (struct palette){0};
	for (size_t i = 0; i < count; i++) {
		int place = place_of(palette, colour_at(rgb + 3 * i, lost), rgb + 3 * i);

		if (place < 0)
			return false;
		ret_indices[i] = (uint8_t)place;
	}
	return true;
}

static int put_frame(struct pi_gif_writer *writer, const struct palette *palette,
		     const uint8_t *indices, unsigned hundredths)
{
	int width = (int)writer->panel.width, height = (int)writer->panel.height;
	GraphicsControlBlock control = {.DisposalMode = DISPOSE_DO_NOT,
					.DelayTime = (int)hundredths,
					.TransparentColor = NO_TRANSPARENT_COLOR};
	GifByteType block[4];
	ColorMapObject *map = GifMakeMapObject(COLOURS, palette->colours);
	int result;

	if (!map)
		return GIF_ERROR;
	EGifGCBToExtension(&control, block);
	result = EGifPutExtension(writer->file, GRAPHICS_EXT_FUNC_CODE, sizeof(block), block) &&
		 EGifPutImageDesc(writer->file, 0, 0, width, height, false, map);
	for (int y = 0; result && y < height; y++)
		result = EGifPutLine(writer->file, (GifPixelType *)(indices + y * width), width);
	GifFreeMapObject(map);
	return result;
}

int pi_gif_writer_add(struct pi_gif_writer *writer, const uint8_t *rgb, unsigned hundredths)
{
	size_t count = (size_t)writer->panel.width * writer->panel.height;
	struct palette palette;
	uint8_t *indices = malloc(count);
	unsigned lost = 0;
	int result;

	if (!indices)
		return -1;
	while (!index_pixels(rgb, count, lost, &palette, indices))
		lost++;
	result = put_frame(writer, &palette, indices, hundredths);
	free(indices);
	return result == GIF_OK && !writer->has_failed ? 0 : -1;
}

int pi_gif_writer_end(struct pi_gif_writer *writer, uint8_t **ret_data, size_t *ret_size)
{
	GifFileType *file = writer->file;
	int error;

	writer->file = NULL;
	if (EGifCloseFile(file, &error) != GIF_OK || writer->has_failed)
		return -1;
	*ret_data = writer->data;
	*ret_size = writer->size;
	writer->data = NULL;
	return 0;
}

void pi_gif_writer_free(struct pi_gif_writer *writer)
{
	int error;

	if (!writer)
		return;
	if (writer->file)
		EGifCloseFile(writer->file, &error);
	free(writer->data);
	free(writer);
}
