#include "vp8l.h"

#include <webp/encode.h>

static int write_bytes(const uint8_t *data, size_t size, const WebPPicture *picture)
{
	return pi_buffer_append(picture->custom_ptr, data, size);
}

int pi_vp8l_encode(const struct vp8l_picture *picture, struct vp8l_effort effort,
		   struct buffer *ret)
{
	WebPConfig config;
	WebPPicture webp;

	ret->size = 0;
	ret->full = false;
	ret->out_of_memory = false;
	/* Both fail only if the header and the library have different versions. */
	if (!WebPConfigInit(&config) || !WebPPictureInit(&webp))
		return -1;
	config.lossless = 1;
	config.exact = 1;
	config.method = effort.method;
	config.quality = (float)effort.quality;
	webp.use_argb = 1;
	webp.width = picture->width;
	webp.height = picture->height;
	webp.argb = picture->argb;
	webp.argb_stride = picture->stride;
	webp.writer = write_bytes;
	webp.custom_ptr = ret;
	return WebPEncode(&config, &webp) ? 0 : -1;
}
