#include "panelimage/panelimage.h"

#include <string.h>

enum panelimage_format panelimage_detect(const uint8_t *data, size_t size)
{
	if (size >= 8 && memcmp(data, "\x89PNG\r\n\x1a\n", 8) == 0)
		return PANELIMAGE_FORMAT_PNG;
	if (size >= 6 && (memcmp(data, "GIF87a", 6) == 0 || memcmp(data, "GIF89a", 6) == 0))
		return PANELIMAGE_FORMAT_GIF;
	if (size >= 12 && memcmp(data, "RIFF", 4) == 0 && memcmp(data + 8, "WEBP", 4) == 0)
		return PANELIMAGE_FORMAT_WEBP;
	return PANELIMAGE_FORMAT_UNKNOWN;
}
