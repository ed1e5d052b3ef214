/* Stills: one frame of a picture, in few bytes. */

#include "panelimage/panelimage.h"

#include <stdlib.h>
#include <string.h>
#include <webp/encode.h>

#include "buffer.h"
#include "fail.h"

enum {
	LOOKED_AT = 100, /* frames: ten milliseconds of decoding */
	LIT = 32,	 /* a sample from which a pixel is seen */
};

/* Ways to encode, each in fewer bytes than the one before: a still of few colours looks better
 * lossless, and one like a photograph lossy. */
static const struct way {
	int near_lossless; /* 100: as it is; -1: lossy */
	int quality;
} ways[] = {{100, 100}, {60, 100}, {-1, 75}, {-1, 45}, {-1, 20}, {-1, 5}, {-1, 0}};

/* The frame with the most lit pixels so far. */
struct choice {
	uint8_t *rgb;
	size_t pixels;
	size_t lit;
	unsigned seen;
};

static bool look(const uint8_t *rgb, uint32_t duration_ms, void *user)
{
	struct choice *choice = user;
	size_t lit = 0;

	(void)duration_ms;
	for (size_t i = 0; i < choice->pixels; i++) {
		const uint8_t *pixel = rgb + i * 3;

		lit += pixel[0] >= LIT || pixel[1] >= LIT || pixel[2] >= LIT;
	}
	if (choice->seen++ == 0 || lit > choice->lit) {
		memcpy(choice->rgb, rgb, choice->pixels * 3);
		choice->lit = lit;
	}
	return choice->seen < LOOKED_AT;
}

static int write_bytes(const uint8_t *data, size_t size, const WebPPicture *picture)
{
	return pi_buffer_append(picture->custom_ptr, data, size);
}

static bool encode(const uint8_t *rgb, struct panelimage_size size, const struct way *way,
		   struct buffer *ret)
{
	WebPConfig config;
	WebPPicture picture;
	bool is_good = false;

	ret->size = 0;
	ret->full = ret->out_of_memory = false;
	if (!WebPConfigInit(&config) || !WebPPictureInit(&picture))
		return false;
	config.lossless = way->near_lossless >= 0;
	config.near_lossless = way->near_lossless >= 0 ? way->near_lossless : 100;
	config.quality = (float)way->quality;
	config.method = 6;
	picture.use_argb = config.lossless;
	picture.width = (int)size.width;
	picture.height = (int)size.height;
	picture.writer = write_bytes;
	picture.custom_ptr = ret;
	if (WebPPictureImportRGB(&picture, rgb, (int)size.width * 3))
		is_good = WebPEncode(&config, &picture);
	WebPPictureFree(&picture);
	return is_good;
}

static int make(const struct choice *choice, struct panelimage_size panel, size_t max_bytes,
		struct panelimage_result *ret, struct panelimage_error *reterr)
{
	struct buffer buffer;
	bool is_good = false;

	pi_buffer_init(&buffer, max_bytes);
	for (size_t i = 0; !is_good && i < sizeof(ways) / sizeof(ways[0]); i++) {
		is_good = encode(choice->rgb, panel, &ways[i], &buffer);
		if (!is_good && !buffer.full)
			break;
	}
	if (!is_good) {
		bool was_full = buffer.full;

		pi_buffer_finish(&buffer);
		return was_full ? pi_fail(reterr, "a still takes more than %zu bytes", max_bytes)
				: pi_fail_memory(reterr);
	}
	*ret = (struct panelimage_result){
	    .data = buffer.data,
	    .size = buffer.size,
	    .info = {.format = PANELIMAGE_FORMAT_WEBP, .frame_count = 1},
	};
	return 0;
}

int panelimage_still(const uint8_t *data, size_t size, struct panelimage_size panel,
		     size_t max_bytes, struct panelimage_result *ret,
		     struct panelimage_error *reterr)
{
	struct choice choice = {.pixels = (size_t)panel.width * panel.height};
	int rc;

	choice.rgb = malloc(choice.pixels * 3);
	if (!choice.rgb)
		return pi_fail_memory(reterr);
	rc = panelimage_decode(data, size, panel, look, &choice, reterr);
	if (rc == 0)
		rc = make(&choice, panel, max_bytes, ret, reterr);
	free(choice.rgb);
	return rc;
}
