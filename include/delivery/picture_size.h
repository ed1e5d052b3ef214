/* Sizes of pictures, which are made for panels of one size and may be shown on others. */
#pragma once

#include "domain/panel_size.h"

#include <panelimage/panelimage.h>

/* Returns the size of the panels for which an image was made, by its header; the usual one if it
 * has another size, or is no image. */
enum panel_size picture_panel_size(struct str image);
/* Returns the pixels of a panel. */
struct panelimage_size picture_pixels(enum panel_size size);
