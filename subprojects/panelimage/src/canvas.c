#include "canvas.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

int pi_canvas_check_size(uint32_t width, uint32_t height, struct panelimage_size panel,
			 struct panelimage_error *reterr)
{
	if (width == panel.width && height == panel.height)
		return 0;
	return pi_fail(reterr, "image is %ux%u pixels, must be %ux%u", width, height, panel.width,
		       panel.height);
}

int pi_canvas_init(struct canvas *canvas, struct panelimage_size size,
		   struct panelimage_error *reterr)
{
	canvas->size = size;
	canvas->argb = malloc(pi_canvas_pixels(canvas) * sizeof(canvas->argb[0]));
	return canvas->argb ? 0 : pi_fail_memory(reterr);
}

void pi_canvas_finish(struct canvas *canvas)
{
	free(canvas->argb);
	canvas->argb = NULL;
}

void pi_canvas_clear(struct canvas *canvas)
{
	for (size_t i = 0; i < pi_canvas_pixels(canvas); i++)
		canvas->argb[i] = CANVAS_BLACK;
}

void pi_canvas_copy(struct canvas *to, const struct canvas *from)
{
	memcpy(to->argb, from->argb, pi_canvas_pixels(from) * sizeof(from->argb[0]));
}
