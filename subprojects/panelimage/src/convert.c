#include "panelimage/panelimage.h"

#include <stdlib.h>
#include <string.h>

#include "encoder.h"
#include "fail.h"
#include "gif.h"
#include "input.h"
#include "png.h"
#include "recolour.h"
#include "resize.h"
#include "webp.h"

struct panelimage_conversion {
	const uint8_t *data;
	size_t size;
	enum panelimage_format format;
	bool is_own;
	enum panelimage_progress (*step)(struct panelimage_conversion *conversion,
					 struct panelimage_result *ret,
					 struct panelimage_error *reterr);
	struct panelimage_size
	    image; /* as large as the panel, or by a whole factor larger or smaller */
	struct encoder encoder;
	struct resizer
	    resizer; /* before the encoder, if the image has another size than the panel */
	struct recolourer recolourer; /* before the encoder, if colours change */
	struct frame_sink *sink;      /* the first sink of the chain */
	/* By the format. */
	struct gif_outline gif_outline;
	struct gif_decoder *gif;
	struct webp_outline webp_outline;
	struct webp_decoder *webp;
	struct frame_sink *webp_sink; /* where its frames go */
};

/* A sink for frames that are only checked. */
static int pass_over(struct frame_sink *sink, const struct canvas *canvas, uint32_t duration_ms,
		     struct panelimage_error *reterr)
{
	(void)sink;
	(void)canvas;
	(void)duration_ms;
	(void)reterr;
	return 0;
}

static struct frame_sink check = {.on_frame = pass_over};

static enum panelimage_progress convert_end(struct panelimage_conversion *conversion,
					    uint32_t loop_count, struct panelimage_result *ret,
					    struct panelimage_error *reterr)
{
	struct panelimage_result result = {0};

	if (pi_encoder_end(&conversion->encoder, loop_count, &result, reterr))
		return PANELIMAGE_FAILED;
	if (conversion->encoder.is_over)
		return PANELIMAGE_MORE;
	result.info.format = conversion->format;
	*ret = result;
	return PANELIMAGE_DONE;
}

static enum panelimage_progress convert_png(struct panelimage_conversion *conversion,
					    struct panelimage_result *ret,
					    struct panelimage_error *reterr)
{
	struct frame_sink *sink = conversion->sink;
	enum panelimage_progress progress = PANELIMAGE_FAILED;
	struct canvas canvas;

	if (pi_canvas_init(&canvas, conversion->image, reterr) == 0 &&
	    pi_png_decode(conversion->data, conversion->size, &canvas, reterr) == 0 &&
	    sink->on_frame(sink, &canvas, 0, reterr) == 0)
		progress = convert_end(conversion, 0, ret, reterr);
	pi_canvas_finish(&canvas);
	return progress;
}

/* Opens the decoder at the first frame. Returns 0, or -1 with *reterr set. */
static int open_gif(struct panelimage_conversion *conversion, struct panelimage_error *reterr)
{
	pi_gif_close(conversion->gif);
	conversion->gif =
	    pi_gif_open(conversion->data, conversion->size, &conversion->gif_outline, reterr);
	return conversion->gif ? 0 : -1;
}

static enum panelimage_progress convert_gif(struct panelimage_conversion *conversion,
					    struct panelimage_result *ret,
					    struct panelimage_error *reterr)
{
	if (!pi_gif_has_more(conversion->gif))
		return convert_end(conversion, conversion->gif_outline.loop_count, ret, reterr);
	if (pi_gif_next(conversion->gif, conversion->sink, reterr))
		return PANELIMAGE_FAILED;
	return PANELIMAGE_MORE;
}

static enum panelimage_progress begin_gif(struct panelimage_conversion *conversion,
					  struct panelimage_result *ret,
					  struct panelimage_error *reterr)
{
	(void)ret;
	if (pi_gif_outline(conversion->data, conversion->size, conversion->image,
			   &conversion->gif_outline, reterr) ||
	    open_gif(conversion, reterr))
		return PANELIMAGE_FAILED;
	conversion->step = convert_gif;
	return PANELIMAGE_MORE;
}

/* Opens the decoder at the first frame. Returns 0, or -1 with *reterr set. */
static int open_webp(struct panelimage_conversion *conversion, struct panelimage_error *reterr)
{
	pi_webp_close(conversion->webp);
	conversion->webp = pi_webp_open(conversion->data, &conversion->webp_outline, reterr);
	return conversion->webp ? 0 : -1;
}

static enum panelimage_progress copy_webp(const struct panelimage_conversion *conversion,
					  struct panelimage_result *ret,
					  struct panelimage_error *reterr)
{
	struct webp_outline outline = conversion->webp_outline;
	size_t size = outline.file_bytes;
	uint8_t *copy = malloc(size);

	if (!copy) {
		(void)pi_fail_memory(reterr);
		return PANELIMAGE_FAILED;
	}
	memcpy(copy, conversion->data, size);
	if (!outline.keeps_short && outline.frame_count > 1)
		pi_webp_lengthen(copy, &outline);
	*ret =
	    (struct panelimage_result){.data = copy, .size = size, .info = pi_webp_info(&outline)};
	ret->info.format = conversion->format;
	return PANELIMAGE_DONE;
}

/* Checks all frames first, as most files need nothing more; else encodes them. */
static enum panelimage_progress convert_webp(struct panelimage_conversion *conversion,
					     struct panelimage_result *ret,
					     struct panelimage_error *reterr)
{
	if (pi_webp_has_more(conversion->webp)) {
		if (pi_webp_next(conversion->webp, conversion->webp_sink, reterr))
			return PANELIMAGE_FAILED;
		return PANELIMAGE_MORE;
	}
	if (conversion->webp_sink != &check)
		return convert_end(conversion, conversion->webp_outline.loop_count, ret, reterr);
	if (conversion->sink == &conversion->encoder.sink && pi_webp_is_fit(conversion->webp))
		return copy_webp(conversion, ret, reterr);
	if (open_webp(conversion, reterr))
		return PANELIMAGE_FAILED;
	conversion->webp_sink = conversion->sink;
	return PANELIMAGE_MORE;
}

static enum panelimage_progress begin_webp(struct panelimage_conversion *conversion,
					   struct panelimage_result *ret,
					   struct panelimage_error *reterr)
{
	(void)ret;
	if (pi_webp_outline(conversion->data, conversion->size, conversion->image,
			    &conversion->webp_outline, reterr))
		return PANELIMAGE_FAILED;
	conversion->webp_outline.keeps_short = conversion->is_own;
	if (open_webp(conversion, reterr))
		return PANELIMAGE_FAILED;
	conversion->webp_sink =
	    conversion->sink == &conversion->encoder.sink ? &check : conversion->sink;
	conversion->step = convert_webp;
	return PANELIMAGE_MORE;
}

static struct panelimage_conversion *new_conversion(const uint8_t *data, size_t size,
						    size_t max_bytes, struct panelimage_size panel,
						    struct panelimage_error *reterr)
{
	struct panelimage_conversion *conversion;

	if (pi_check_input(data, size, max_bytes, panel, reterr))
		return NULL;
	conversion = calloc(1, sizeof(*conversion));
	if (!conversion) {
		(void)pi_fail_memory(reterr);
		return NULL;
	}
	conversion->data = data;
	conversion->size = size;
	conversion->format = panelimage_detect(data, size);
	conversion->image = panel;
	conversion->sink = &conversion->encoder.sink;
	if (pi_encoder_init(&conversion->encoder, panel, reterr)) {
		panelimage_conversion_free(conversion);
		return NULL;
	}
	if (conversion->format == PANELIMAGE_FORMAT_PNG)
		conversion->step = convert_png;
	else if (conversion->format == PANELIMAGE_FORMAT_GIF)
		conversion->step = begin_gif;
	else /* pi_check_input() accepts no fourth format */
		conversion->step = begin_webp;
	return conversion;
}

struct panelimage_conversion *panelimage_conversion_new(const uint8_t *data, size_t size,
							struct panelimage_size panel,
							struct panelimage_error *reterr)
{
	return new_conversion(data, size, PANELIMAGE_INPUT_MAX_BYTES, panel, reterr);
}

/* Makes the conversion take images of another size, which a resizer brings to the panel's. Frees
 * the conversion and returns NULL, with *reterr set, if there is no memory. */
static struct panelimage_conversion *take_size(struct panelimage_conversion *conversion,
					       struct panelimage_size image, unsigned times,
					       struct panelimage_error *reterr)
{
	struct panelimage_size panel = conversion->image;

	if (pi_resizer_init(&conversion->resizer, conversion->sink, panel, times,
			    image.width < panel.width, reterr)) {
		panelimage_conversion_free(conversion);
		return NULL;
	}
	conversion->image = image;
	conversion->sink = &conversion->resizer.sink;
	return conversion;
}

struct panelimage_conversion *panelimage_conversion_new_own(const uint8_t *data, size_t size,
							    struct panelimage_size panel,
							    struct panelimage_error *reterr)
{
	struct panelimage_conversion *conversion =
	    new_conversion(data, size, PANELIMAGE_OUTPUT_MAX_BYTES, panel, reterr);

	if (conversion)
		conversion->is_own = true;
	return conversion;
}

struct panelimage_conversion *panelimage_conversion_new_adapted(const uint8_t *data, size_t size,
								struct panelimage_size panel,
								struct panelimage_error *reterr)
{
	struct panelimage_conversion *conversion =
	    panelimage_conversion_new_own(data, size, panel, reterr);
	struct panelimage_size image = pi_size_of(data, size);
	bool is_half = image.width * 2 == panel.width && image.height * 2 == panel.height;
	bool is_double = image.width == panel.width * 2 && image.height == panel.height * 2;

	return conversion && (is_half || is_double) ? take_size(conversion, image, 2, reterr)
						    : conversion;
}

struct panelimage_conversion *panelimage_conversion_new_magnified(const uint8_t *data, size_t size,
								  struct panelimage_size panel,
								  struct panelimage_error *reterr)
{
	struct panelimage_conversion *conversion =
	    new_conversion(data, size, PANELIMAGE_MAGNIFIED_MAX_BYTES, panel, reterr);
	unsigned times;

	if (!conversion)
		return NULL;
	times = panelimage_magnification(data, size, panel);
	if (times <= 1)
		return conversion;
	return take_size(conversion,
			 (struct panelimage_size){panel.width * times, panel.height * times}, times,
			 reterr);
}

void panelimage_conversion_be_quick(struct panelimage_conversion *conversion)
{
	conversion->encoder.is_quick = true;
}

void panelimage_conversion_limit(struct panelimage_conversion *conversion, size_t max_bytes)
{
	conversion->encoder.max_bytes = max_bytes;
}

void panelimage_conversion_cut(struct panelimage_conversion *conversion)
{
	conversion->encoder.does_cut = true;
}

int panelimage_conversion_recolour(struct panelimage_conversion *conversion,
				   const struct panelimage_colours *colours,
				   struct panelimage_error *reterr)
{
	bool is_resized = conversion->resizer.next != NULL;
	struct panelimage_size panel =
	    is_resized ? conversion->resizer.resized.size : conversion->image;
	struct frame_sink **last = is_resized ? &conversion->resizer.next : &conversion->sink;

	if (pi_recolourer_init(&conversion->recolourer, &conversion->encoder.sink, panel, colours,
			       reterr))
		return -1;
	*last = &conversion->recolourer.sink;
	return 0;
}

/* Encodes again, from the first frame, for fewer bytes. */
static enum panelimage_progress begin_small(struct panelimage_conversion *conversion,
					    struct panelimage_error *reterr)
{
	pi_encoder_begin_small(&conversion->encoder);
	if (conversion->gif ? open_gif(conversion, reterr) : open_webp(conversion, reterr))
		return PANELIMAGE_FAILED;
	return PANELIMAGE_MORE;
}

enum panelimage_progress panelimage_conversion_step(struct panelimage_conversion *conversion,
						    struct panelimage_result *ret,
						    struct panelimage_error *reterr)
{
	enum panelimage_progress progress = conversion->step(conversion, ret, reterr);

	if (progress == PANELIMAGE_MORE && conversion->encoder.is_over)
		return begin_small(conversion, reterr);
	return progress;
}

void panelimage_conversion_free(struct panelimage_conversion *conversion)
{
	if (!conversion)
		return;
	pi_gif_close(conversion->gif);
	pi_webp_close(conversion->webp);
	pi_resizer_finish(&conversion->resizer);
	pi_recolourer_finish(&conversion->recolourer);
	pi_encoder_finish(&conversion->encoder);
	free(conversion);
}

int panelimage_conversion_finish(struct panelimage_conversion *conversion,
				 struct panelimage_result *ret, struct panelimage_error *reterr)
{
	enum panelimage_progress progress;

	do
		progress = panelimage_conversion_step(conversion, ret, reterr);
	while (progress == PANELIMAGE_MORE);
	panelimage_conversion_free(conversion);
	return progress == PANELIMAGE_DONE ? 0 : -1;
}

int panelimage_convert(const uint8_t *data, size_t size, struct panelimage_size panel,
		       struct panelimage_result *ret, struct panelimage_error *reterr)
{
	struct panelimage_conversion *conversion =
	    panelimage_conversion_new(data, size, panel, reterr);

	return conversion ? panelimage_conversion_finish(conversion, ret, reterr) : -1;
}

void panelimage_result_finish(struct panelimage_result *result)
{
	if (!result)
		return;
	free(result->data);
	*result = (struct panelimage_result){0};
}
