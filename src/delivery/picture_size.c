#include "delivery/picture_size.h"

enum panel_size picture_panel_size(struct str image)
{
	for (unsigned size = 0; size < PANEL_SIZES; size++)
		if (panelimage_has_size((const uint8_t *)image.data, image.length,
					picture_pixels((enum panel_size)size)))
			return (enum panel_size)size;
	return PANEL_SIZE_64X32;
}

struct panelimage_size picture_pixels(enum panel_size size)
{
	return (struct panelimage_size){panel_size_width(size), panel_size_height(size)};
}
