#include "canvas.h"

#include "fail.h"

int pi_canvas_check_size(uint32_t width, uint32_t height, struct panelimage_error *reterr)
{
	if (width == PANELIMAGE_WIDTH && height == PANELIMAGE_HEIGHT)
		return 0;
	return pi_fail(reterr, "image is %ux%u pixels, must be %dx%d", width, height,
		       PANELIMAGE_WIDTH, PANELIMAGE_HEIGHT);
}

void pi_canvas_clear(struct canvas *canvas)
{
	for (size_t i = 0; i < CANVAS_PIXELS; i++)
		canvas->argb[i] = CANVAS_BLACK;
}
