#include "input.h"

#include "fail.h"

int pi_check_input(const uint8_t *data, size_t size, size_t max_bytes, struct panelimage_size panel,
		   struct panelimage_error *reterr)
{
	if (panel.width == 0 || panel.width > PANELIMAGE_SIDE_MAX || panel.height == 0 ||
	    panel.height > PANELIMAGE_SIDE_MAX)
		return pi_fail(reterr, "panel is %ux%u pixels, must be 1x1 to %dx%d", panel.width,
			       panel.height, PANELIMAGE_SIDE_MAX, PANELIMAGE_SIDE_MAX);
	if (size == 0)
		return pi_fail(reterr, "image is empty");
	if (size > max_bytes)
		return pi_fail(reterr, "image is %zu bytes, at most %zu are allowed", size,
			       max_bytes);
	if (panelimage_detect(data, size) == PANELIMAGE_FORMAT_UNKNOWN)
		return pi_fail(reterr, "image is not a PNG, GIF or WebP file");
	return 0;
}
