#include "webp.h"

#include <stdlib.h>

#include <webp/encode.h>
#include <webp/mux.h>

static void require(int is_good)
{
	if (!is_good)
		abort();
}

static void fill(WebPPicture *picture, uint32_t colour, int width, int height)
{
	require(WebPPictureInit(picture));
	picture->use_argb = 1;
	picture->width = width;
	picture->height = height;
	require(WebPPictureAlloc(picture));
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			picture->argb[y * picture->argb_stride + x] = 0xff000000u | colour;
}

static uint8_t *make_still(WebPPicture *picture, size_t *ret_size)
{
	WebPConfig config;
	WebPMemoryWriter writer;

	require(WebPConfigInit(&config));
	config.lossless = 1;
	WebPMemoryWriterInit(&writer);
	picture->writer = WebPMemoryWrite;
	picture->custom_ptr = &writer;
	require(WebPEncode(&config, picture));
	*ret_size = writer.size;
	return writer.mem;
}

uint8_t *webp_make(const uint32_t *colours, int count, int duration_ms, int width, int height,
		   size_t *ret_size)
{
	WebPAnimEncoderOptions options;
	WebPAnimEncoder *encoder;
	WebPConfig config;
	WebPPicture picture;
	WebPData data;

	if (count == 1) {
		uint8_t *still;

		fill(&picture, colours[0], width, height);
		still = make_still(&picture, ret_size);
		WebPPictureFree(&picture);
		return still;
	}
	require(WebPConfigInit(&config));
	config.lossless = 1;
	require(WebPAnimEncoderOptionsInit(&options));
	encoder = WebPAnimEncoderNew(width, height, &options);
	for (int i = 0; i < count; i++) {
		fill(&picture, colours[i], width, height);
		require(WebPAnimEncoderAdd(encoder, &picture, i * duration_ms, &config));
		WebPPictureFree(&picture);
	}
	require(WebPAnimEncoderAdd(encoder, NULL, count * duration_ms, NULL));
	require(WebPAnimEncoderAssemble(encoder, &data));
	WebPAnimEncoderDelete(encoder);
	*ret_size = data.size;
	return (uint8_t *)data.bytes;
}
