/* Tests that decoding the encoder's output gives the same frames. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoder.h"
#include "fail.h"
#include "samples.h"

enum { FRAMES_MAX = 64, PIXELS = 64 * 32 };

static const struct panelimage_size panel = {64, 32};

struct film {
	struct canvas canvas[FRAMES_MAX];
	uint32_t ms[FRAMES_MAX];
	uint32_t count;
	uint32_t at; /* while it is compared */
};

/* Always the same, unlike rand() on another system (xorshift32). */
static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static bool compare_frame(const uint8_t *rgb, uint32_t ms, void *user)
{
	struct film *film = user;
	const struct canvas *canvas = &film->canvas[film->at];

	assert_true(film->at < film->count);
	assert_int_equal(ms, film->count > 1 ? film->ms[film->at] : 0);
	for (size_t i = 0; i < PIXELS; i++)
		assert_int_equal(canvas->argb[i], CANVAS_BLACK | (uint32_t)rgb[i * 3] << 16 |
						      (uint32_t)rgb[i * 3 + 1] << 8 |
						      rgb[i * 3 + 2]);
	film->at++;
	return true;
}

static void add_frames(const struct film *film, struct encoder *encoder)
{
	struct panelimage_error error;

	for (uint32_t i = 0; i < film->count; i++)
		assert_int_equal(
		    encoder->sink.on_frame(&encoder->sink, &film->canvas[i], film->ms[i], &error),
		    0);
}

static void assert_same_film(struct film *film, struct panelimage_result result)
{
	struct panelimage_error error;

	assert_int_equal(result.info.frame_count, film->count);
	film->at = 0;
	assert_int_equal(
	    panelimage_decode(result.data, result.size, panel, compare_frame, film, &error), 0);
	assert_int_equal(film->at, film->count);
}

/* Encodes the film, decodes what came of it, and compares. */
static void assert_round_trip(struct film *film, struct encoder *encoder)
{
	struct panelimage_result result = {0};
	struct panelimage_error error;

	add_frames(film, encoder);
	assert_int_equal(pi_encoder_end(encoder, 3, &result, &error), 0);
	assert_same_film(film, result);
	panelimage_result_finish(&result);
}

static struct film *create_film(void)
{
	struct film *film = calloc(1, sizeof(*film));
	struct panelimage_error error;

	for (int i = 0; i < FRAMES_MAX; i++)
		assert_int_equal(pi_canvas_init(&film->canvas[i], panel, &error), 0);
	return film;
}

static void destroy_film(struct film *film)
{
	for (int i = 0; i < FRAMES_MAX; i++)
		pi_canvas_finish(&film->canvas[i]);
	free(film);
}

static void init(struct encoder *encoder)
{
	struct panelimage_error error;

	assert_int_equal(pi_encoder_init(encoder, panel, &error), 0);
}

/* Each frame changes a random rectangle, all of it or some pixels. */
static void make_film(struct film *film, uint32_t count, uint32_t *seed)
{
	film->count = count;
	pi_canvas_clear(&film->canvas[0]);
	for (uint32_t i = 0; i < count; i++) {
		struct canvas *canvas = &film->canvas[i];
		uint32_t left = next_random(seed) % 64, top = next_random(seed) % 32;
		uint32_t right = left + 1 + next_random(seed) % (64 - left);
		uint32_t bottom = top + 1 + next_random(seed) % (32 - top);
		uint32_t one_of = 1 + next_random(seed) % 12;
		uint32_t colors = 1 + next_random(seed) % 400;

		if (i > 0)
			pi_canvas_copy(canvas, &film->canvas[i - 1]);
		for (uint32_t y = top; y < bottom; y++)
			for (uint32_t x = left; x < right; x++)
				if (next_random(seed) % one_of == 0)
					canvas->argb[y * 64 + x] =
					    CANVAS_BLACK |
					    (next_random(seed) % colors * 2654435U & 0xffffff);
		/* At least this pixel is another than before. */
		canvas->argb[top * 64 + left] =
		    CANVAS_BLACK | ((canvas->argb[top * 64 + left] + 1) & 0xffffff);
		film->ms[i] = 11 + next_random(seed) % 1000; /* less is decoded as 100 */
	}
}

TEST(test_round_trips)
{
	struct film *film = create_film();
	uint32_t seed = 2026;

	for (int i = 0; i < 40; i++) {
		struct encoder encoder;

		init(&encoder);
		make_film(film, 1 + next_random(&seed) % FRAMES_MAX, &seed);
		assert_round_trip(film, &encoder);
		pi_encoder_finish(&encoder);
	}
	destroy_film(film);
}

/* The same with all effort spent from the start, or after some frames. */
TEST(test_round_trips_with_low_effort)
{
	struct film *film = create_film();
	uint32_t seed = 7;

	for (uint32_t i = 0; i < 20; i++) {
		struct encoder encoder;

		init(&encoder);
		pi_encoder_begin_small(&encoder);
		encoder.effort_left = i * PIXELS;
		make_film(film, FRAMES_MAX, &seed);
		assert_round_trip(film, &encoder);
		pi_encoder_finish(&encoder);
	}
	destroy_film(film);
}

/* A still that is encoded quickly has the same pixels; which one of both is smaller depends on it.
 */
TEST(test_quick_stills)
{
	struct film *film = create_film();
	uint32_t seed = 11;

	for (int i = 0; i < 20; i++) {
		struct encoder encoder;

		init(&encoder);
		encoder.is_quick = true;
		make_film(film, 1, &seed);
		assert_round_trip(film, &encoder);
		pi_encoder_finish(&encoder);
	}
	destroy_film(film);
}

/* Encodes a film within a limit, and checks that it was done again if it did not fit at first.
 * Returns the size of the result. */
static size_t size_within(struct film *film, size_t max_bytes, bool is_small)
{
	struct panelimage_result result = {0};
	struct panelimage_error error;
	struct encoder encoder;
	size_t size;

	init(&encoder);
	encoder.max_bytes = max_bytes;
	add_frames(film, &encoder);
	assert_int_equal(pi_encoder_end(&encoder, 0, &result, &error), 0);
	assert_int_equal(encoder.is_over, is_small);
	if (is_small) {
		assert_null(result.data);
		pi_encoder_begin_small(&encoder);
		add_frames(film, &encoder);
		assert_int_equal(pi_encoder_end(&encoder, 0, &result, &error), 0);
		assert_false(encoder.is_over);
	}
	assert_same_film(film, result);
	size = result.size;
	panelimage_result_finish(&result);
	pi_encoder_finish(&encoder);
	return size;
}

/* A limit decides only how often a film is encoded: from one byte too many on, it is made small.
 */
TEST(test_limits)
{
	struct film *film = create_film();
	size_t all = 0, all_small = 0;
	uint32_t seed = 3;

	for (int i = 0; i < 10; i++) {
		size_t size, small;

		make_film(film, FRAMES_MAX, &seed);
		size = size_within(film, PANELIMAGE_OUTPUT_MAX_BYTES, false);
		assert_int_equal(size_within(film, size, false), size);
		small = size_within(film, size - 1, true);
		assert_int_equal(size_within(film, 0, true), small);
		all += size;
		all_small += small;
	}
	assert_true(all_small < all);
	destroy_film(film);
}

/* A conversion decodes an animation again if it is larger than the panels' limit. */
TEST(test_conversion_within_a_limit)
{
	size_t sizes[2];

	for (unsigned k = 0; k < 2; k++) {
		struct panelimage_result result = {0};
		struct panelimage_error error;
		struct panelimage_conversion *conversion =
		    panelimage_conversion_new(sample_gif, sizeof(sample_gif), panel, &error);

		assert_non_null(conversion);
		panelimage_conversion_limit(conversion, k ? 0 : PANELIMAGE_OUTPUT_MAX_BYTES);
		assert_int_equal(panelimage_conversion_finish(conversion, &result, &error), 0);
		assert_int_equal(result.info.frame_count, 3);
		assert_int_equal(result.info.duration_ms, 50 + 200 + 100);
		sizes[k] = result.size;
		panelimage_result_finish(&result);
	}
	assert_true(sizes[1] <= sizes[0]);
}

/* Measures a file that is too large to its end, without keeping it. */
TEST(test_too_large)
{
	enum { FRAMES = 80, FRAME_BYTES = 6272 };
	struct panelimage_result result;
	struct panelimage_error error;
	struct encoder encoder;
	struct canvas canvas;
	uint32_t seed = 1;
	unsigned long size;
	char *end;

	assert_int_equal(pi_canvas_init(&canvas, panel, &error), 0);
	init(&encoder);
	pi_encoder_begin_small(&encoder);
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		for (size_t i = 0; i < PIXELS; i++)
			canvas.argb[i] = CANVAS_BLACK | (next_random(&seed) & 0xffffff);
		assert_int_equal(encoder.sink.on_frame(&encoder.sink, &canvas, 10, &error), 0);
		assert_true(encoder.file.capacity <= 2 * PANELIMAGE_OUTPUT_MAX_BYTES);
	}
	assert_int_equal(pi_encoder_end(&encoder, 0, &result, &error), -1);
	assert_memory_equal(error.text, "image takes ", strlen("image takes "));
	size = strtoul(error.text + strlen("image takes "), &end, 10);
	assert_string_equal(end, " bytes as a WebP, at most 460000 are allowed");
	assert_in_range(size, FRAMES * (FRAME_BYTES - 16), FRAMES * (FRAME_BYTES + 16));
	assert_null(encoder.file.data);
	pi_encoder_finish(&encoder);
	pi_canvas_finish(&canvas);
}

TEST(test_same_bytes_each_time)
{
	struct film *film = create_film();
	struct panelimage_result result[2];
	struct panelimage_error error;
	uint32_t seed = 5;

	make_film(film, 20, &seed);
	for (int i = 0; i < 2; i++) {
		struct encoder encoder;

		init(&encoder);
		add_frames(film, &encoder);
		assert_int_equal(pi_encoder_end(&encoder, 0, &result[i], &error), 0);
		pi_encoder_finish(&encoder);
	}
	assert_int_equal(result[0].size, result[1].size);
	assert_memory_equal(result[0].data, result[1].data, result[0].size);
	panelimage_result_finish(&result[0]);
	panelimage_result_finish(&result[1]);
	destroy_film(film);
}

RUN_TESTS(NULL, NULL)
