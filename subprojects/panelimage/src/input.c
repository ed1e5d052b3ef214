#include "input.h"

#include "fail.h"

int pi_check_input(const uint8_t *data, size_t size, struct panelimage_error *reterr)
{
	if (size == 0)
		return pi_fail(reterr, "image is empty");
	if (size > PANELIMAGE_INPUT_MAX_BYTES)
		return pi_fail(reterr, "image is %zu bytes, at most %d are allowed", size,
			       PANELIMAGE_INPUT_MAX_BYTES);
	if (panelimage_detect(data, size) == PANELIMAGE_FORMAT_UNKNOWN)
		return pi_fail(reterr, "image is not a PNG, GIF or WebP file");
	return 0;
}
