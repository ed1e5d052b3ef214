/* The public functions, on one file of each kind and on bytes that are none. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "panelimage/panelimage.h"
#include "samples.h"

static const struct panelimage_size panel = {64, 32};

struct sample {
	const char *name;
	const uint8_t *data;
	size_t size;
	struct panelimage_info info;
};

#define SAMPLE(name) #name, name, sizeof(name)

static const struct sample samples[] = {
    {SAMPLE(sample_png), {PANELIMAGE_FORMAT_PNG, 1, false, 0, 0}},
    {SAMPLE(sample_gif), {PANELIMAGE_FORMAT_GIF, 3, true, 50 + 200 + 100, 3}},
    {SAMPLE(sample_webp), {PANELIMAGE_FORMAT_WEBP, 1, false, 0, 0}},
    {SAMPLE(sample_webp_alpha), {PANELIMAGE_FORMAT_WEBP, 2, true, 70, 5}},
};

#undef SAMPLE

enum { SAMPLES = sizeof(samples) / sizeof(samples[0]) };

static void assert_info(const struct panelimage_info *info, const struct panelimage_info *expected)
{
	assert_int_equal(info->frame_count, expected->frame_count);
	assert_int_equal(info->animated, expected->animated);
	assert_int_equal(info->duration_ms, expected->duration_ms);
	assert_int_equal(info->loop_count, expected->loop_count);
}

static void assert_refused(const uint8_t *data, size_t size, const char *text)
{
	struct panelimage_result untouched;
	struct panelimage_result result;
	struct panelimage_error error;

	memset(&result, 0xa5, sizeof(result));
	untouched = result;
	assert_int_equal(panelimage_convert(data, size, panel, &result, &error), -1);
	assert_string_equal(error.text, text);
	assert_false(error.out_of_memory);
	assert_memory_equal(&result, &untouched, sizeof(result));
}

TEST(test_samples)
{
	for (size_t i = 0; i < SAMPLES; i++) {
		const struct sample *sample = &samples[i];
		struct panelimage_result result;
		struct panelimage_error error;
		struct panelimage_info info;

		assert_int_equal(panelimage_detect(sample->data, sample->size),
				 sample->info.format);
		assert_int_equal(panelimage_is_animation(sample->data, sample->size),
				 sample->info.animated);
		assert_int_equal(
		    panelimage_convert(sample->data, sample->size, panel, &result, &error), 0);
		assert_int_equal(result.info.format, sample->info.format);
		assert_info(&result.info, &sample->info);
		assert_int_equal(
		    panelimage_probe_webp(result.data, result.size, panel, &info, &error), 0);
		assert_int_equal(info.format, PANELIMAGE_FORMAT_WEBP);
		assert_info(&info, &sample->info);
		panelimage_result_finish(&result);
		assert_null(result.data);
	}
}

TEST(test_converted_is_fit)
{
	for (size_t i = 0; i < SAMPLES; i++) {
		struct panelimage_result once;
		struct panelimage_result twice;
		struct panelimage_error error;

		assert_int_equal(
		    panelimage_convert(samples[i].data, samples[i].size, panel, &once, &error), 0);
		assert_int_equal(panelimage_convert(once.data, once.size, panel, &twice, &error),
				 0);
		assert_int_equal(once.size, twice.size);
		assert_memory_equal(once.data, twice.data, once.size);
		panelimage_result_finish(&once);
		panelimage_result_finish(&twice);
	}
}

/* A conversion gives its thread back between frames; what it makes is the same, whoever else is
 * converted in between. */
TEST(test_steps)
{
	for (size_t i = 0; i < SAMPLES; i++) {
		const struct sample *sample = &samples[i];
		struct panelimage_conversion *conversions[2];
		enum panelimage_progress progress[2] = {PANELIMAGE_MORE, PANELIMAGE_MORE};
		struct panelimage_result plain, stepped[2];
		struct panelimage_error error;
		unsigned steps = 0;

		assert_int_equal(
		    panelimage_convert(sample->data, sample->size, panel, &plain, &error), 0);
		for (unsigned k = 0; k < 2; k++) {
			conversions[k] =
			    panelimage_conversion_new(sample->data, sample->size, panel, &error);
			assert_non_null(conversions[k]);
		}
		for (; progress[0] == PANELIMAGE_MORE; steps++)
			for (unsigned k = 0; k < 2; k++)
				progress[k] =
				    panelimage_conversion_step(conversions[k], &stepped[k], &error);
		assert_true(steps >= sample->info.frame_count);
		for (unsigned k = 0; k < 2; k++) {
			assert_int_equal(progress[k], PANELIMAGE_DONE);
			panelimage_conversion_free(conversions[k]);
			assert_int_equal(stepped[k].size, plain.size);
			assert_memory_equal(stepped[k].data, plain.data, plain.size);
			assert_int_equal(stepped[k].info.format, plain.info.format);
			assert_info(&stepped[k].info, &plain.info);
			panelimage_result_finish(&stepped[k]);
		}
		panelimage_result_finish(&plain);
	}
}

/* Nothing leaks when a conversion is abandoned at any step. */
TEST(test_given_up)
{
	panelimage_conversion_free(NULL);
	for (size_t i = 0; i < SAMPLES; i++) {
		for (unsigned steps = 0; steps < samples[i].info.frame_count; steps++) {
			struct panelimage_result result;
			struct panelimage_error error;
			struct panelimage_conversion *conversion = panelimage_conversion_new(
			    samples[i].data, samples[i].size, panel, &error);

			assert_non_null(conversion);
			for (unsigned k = 0; k < steps; k++)
				assert_int_equal(
				    panelimage_conversion_step(conversion, &result, &error),
				    PANELIMAGE_MORE);
			panelimage_conversion_free(conversion);
		}
	}
}

TEST(test_refused_before_decoding)
{
	static const uint8_t text[] = "this is not an image at all";
	uint8_t *large = calloc(1, 200000);

	memcpy(large, sample_png, sizeof(sample_png));
	assert_refused(large, 200000, "image is 200000 bytes, at most 196608 are allowed");
	free(large);
	assert_refused(text, sizeof(text), "image is not a PNG, GIF or WebP file");
	assert_refused(NULL, 0, "image is empty");
	assert_refused(sample_png, 20, "PNG is truncated in its header");
	assert_refused(sample_gif, 12, "GIF is truncated in its header");
	assert_refused(sample_gif, 20, "GIF is truncated in its colour table");
	assert_refused(sample_webp, 12, "WebP is truncated in its header");
}

TEST(test_largest_input)
{
	uint8_t *data = calloc(1, PANELIMAGE_INPUT_MAX_BYTES);
	struct panelimage_result result;
	struct panelimage_error error;

	memcpy(data, sample_png, sizeof(sample_png));
	assert_int_equal(
	    panelimage_convert(data, PANELIMAGE_INPUT_MAX_BYTES, panel, &result, &error), 0);
	panelimage_result_finish(&result);
	free(data);
}

/* Each file is in memory of exactly its size, so that a sanitizer or valgrind detects a read beyond
 * it. */
TEST(test_truncated)
{
	for (size_t i = 0; i < SAMPLES; i++) {
		for (size_t size = 0; size < samples[i].size; size++) {
			uint8_t *data = malloc(size + (size == 0));
			struct panelimage_result result;
			struct panelimage_error error;
			struct panelimage_info info;

			memcpy(data, samples[i].data, size);
			assert_int_equal(panelimage_convert(data, size, panel, &result, &error),
					 -1);
			assert_int_equal(panelimage_probe_webp(data, size, panel, &info, &error),
					 -1);
			(void)panelimage_is_animation(data, size);
			free(data);
		}
	}
}

TEST(test_finish_nothing)
{
	struct panelimage_result result = {0};

	panelimage_result_finish(NULL);
	panelimage_result_finish(&result);
	panelimage_result_finish(&result);
}

TEST(test_look_is_bounded)
{
	static uint8_t gif[PANELIMAGE_INPUT_MAX_BYTES];
	const uint8_t head[] = {'G', 'I', 'F', '8', '9', 'a', 64, 0, 32, 0, 0, 0, 0, '!', 0xfe};

	memset(gif, 1, sizeof(gif));
	memcpy(gif, head, sizeof(head));
	/* A comment of a hundred thousand sub-blocks: the walk is abandoned, and the file goes to
	 * the lane of slow pictures. */
	assert_true(panelimage_is_animation(gif, sizeof(gif)));
	assert_refused(gif, sizeof(gif), "GIF is truncated after frame 0");
}

struct seen {
	uint32_t frames, duration_ms;
	uint32_t stop_at;
	uint8_t last[64 * 32 * 3];
};

static bool see(const uint8_t *rgb, uint32_t duration_ms, void *user)
{
	struct seen *seen = user;

	seen->frames++;
	seen->duration_ms += duration_ms;
	memcpy(seen->last, rgb, sizeof(seen->last));
	return seen->frames != seen->stop_at;
}

TEST(test_decode)
{
	for (size_t i = 0; i < SAMPLES; i++) {
		struct panelimage_error error;
		struct seen seen = {0};

		assert_int_equal(
		    panelimage_decode(samples[i].data, samples[i].size, panel, see, &seen, &error),
		    0);
		assert_int_equal(seen.frames, samples[i].info.frame_count);
		assert_int_equal(seen.duration_ms, samples[i].info.duration_ms);
	}
}

TEST(test_decode_pixels)
{
	struct panelimage_error error;
	struct seen seen = {0};

	assert_int_equal(
	    panelimage_decode(sample_png, sizeof(sample_png), panel, see, &seen, &error), 0);
	for (uint32_t y = 0; y < 32; y++) {
		for (uint32_t x = 0; x < 64; x++) {
			const uint8_t *rgb = seen.last + (y * 64 + x) * 3;

			assert_int_equal(rgb[0], (x * 4 * (255 - x) + 127) / 255);
			assert_int_equal(rgb[1], (y * 8 * (255 - x) + 127) / 255);
			assert_int_equal(rgb[2], (7 * (255 - x) + 127) / 255);
		}
	}
}

TEST(test_decode_stops)
{
	struct panelimage_error error;
	struct seen seen = {.stop_at = 2};

	assert_int_equal(
	    panelimage_decode(sample_gif, sizeof(sample_gif), panel, see, &seen, &error), 0);
	assert_int_equal(seen.frames, 2);
	assert_int_equal(panelimage_decode(sample_gif, 100, panel, see, &seen, &error), -1);
	assert_int_equal(panelimage_decode(sample_gif, 0, panel, see, &seen, &error), -1);
	assert_string_equal(error.text, "image is empty");
}

struct cut {
	uint8_t bytes[4096]; /* of the animation */
	size_t size;
};

static void make_animation(struct cut *cut)
{
	struct panelimage_result result;
	struct panelimage_error error;

	assert_int_equal(panelimage_convert(sample_gif, sizeof(sample_gif), panel, &result, &error),
			 0);
	assert_true(result.size <= sizeof(cut->bytes));
	memcpy(cut->bytes, result.data, result.size);
	cut->size = result.size;
	panelimage_result_finish(&result);
}

struct pixels {
	uint8_t first[4][3]; /* a pixel of each frame */
	unsigned count;
};

static bool take_pixel(const uint8_t *rgb, uint32_t duration_ms, void *user)
{
	struct pixels *seen = user;

	(void)duration_ms;
	if (seen->count < 4)
		memcpy(seen->first[seen->count], rgb + (16 * 64 + 32) * 3, 3);
	seen->count++;
	return true;
}

/* Cut to any size, the animation has complete frames that look as before. */
TEST(test_cut)
{
	struct cut whole, part;
	struct pixels all = {0};
	struct panelimage_error error;
	unsigned frames_before = 1;

	make_animation(&whole);
	assert_int_equal(
	    panelimage_decode(whole.bytes, whole.size, panel, take_pixel, &all, &error), 0);
	assert_int_equal(all.count, 3);
	for (size_t most = 0; most <= whole.size; most++) {
		struct pixels seen = {0};

		part = whole;
		part.size = panelimage_cut_webp(part.bytes, part.size, most);
		assert_true(part.size <= most || part.size == whole.size);
		if (part.size == whole.size)
			assert_memory_equal(part.bytes, whole.bytes, whole.size);
		assert_int_equal(
		    panelimage_decode(part.bytes, part.size, panel, take_pixel, &seen, &error), 0);
		assert_memory_equal(seen.first, all.first, 3 * (size_t)seen.count);
		if (part.size == whole.size)
			continue;
		assert_true(seen.count >= frames_before);
		frames_before = seen.count;
	}
	assert_int_equal(frames_before, 2);
}

/* The animation with as many frames: its last one again and again. */
static size_t repeat_last_frame(const struct cut *whole, uint32_t frames, uint8_t **ret)
{
	struct cut part = *whole;
	size_t head = panelimage_cut_webp(part.bytes, whole->size, whole->size - 1);
	size_t last = whole->size - head, size = head + (frames - 2) * last;
	uint8_t *data = malloc(size);

	assert_non_null(data);
	assert_true(head < whole->size);
	memcpy(data, whole->bytes, head);
	for (size_t at = head; at < size; at += last)
		memcpy(data + at, whole->bytes + head, last);
	for (int i = 0; i < 4; i++)
		data[4 + i] = (uint8_t)((size - 8) >> 8 * i);
	*ret = data;
	return size;
}

TEST(test_cut_of_many_frames)
{
	static const uint32_t counts[] = {2, PANELIMAGE_FRAMES_MAX - 1, PANELIMAGE_FRAMES_MAX,
					  PANELIMAGE_FRAMES_MAX + 1, 5000};
	struct panelimage_info info;
	struct panelimage_error error;
	struct cut whole;

	make_animation(&whole);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		bool fits = counts[i] <= PANELIMAGE_FRAMES_MAX;
		uint8_t *data;
		size_t size = repeat_last_frame(&whole, counts[i], &data);

		assert_int_equal(panelimage_probe_webp(data, size, panel, &info, &error),
				 fits ? 0 : -1);
		assert_int_equal(panelimage_cut_webp(data, size, SIZE_MAX) == size, fits);
		size = panelimage_cut_webp(data, size, SIZE_MAX);
		assert_int_equal(panelimage_probe_webp(data, size, panel, &info, &error), 0);
		assert_int_equal(info.frame_count, fits ? counts[i] : PANELIMAGE_FRAMES_MAX);
		size = panelimage_cut_webp(data, size, size - 1);
		assert_int_equal(panelimage_probe_webp(data, size, panel, &info, &error), 0);
		assert_int_equal(info.frame_count, (fits ? counts[i] : PANELIMAGE_FRAMES_MAX) - 1);
		free(data);
	}
}

TEST(test_cut_of_what_is_damaged)
{
	struct cut whole;

	make_animation(&whole);
	for (size_t size = 0; size < whole.size; size++) {
		uint8_t *part = malloc(size ? size : 1);

		assert_non_null(part);
		memcpy(part, whole.bytes, size);
		assert_true(panelimage_cut_webp(part, size, size / 2) <= size);
		free(part);
	}
}

TEST(test_own_files_may_be_large)
{
	enum { SIZE = PANELIMAGE_INPUT_MAX_BYTES + 1 };
	uint8_t *data = calloc(1, SIZE);
	struct panelimage_conversion *conversion;
	struct panelimage_result result;
	struct panelimage_error error;

	assert_non_null(data);
	memcpy(data, sample_webp, sizeof(sample_webp));
	assert_null(panelimage_conversion_new(data, SIZE, panel, &error));
	conversion = panelimage_conversion_new_own(data, SIZE, panel, &error);
	assert_non_null(conversion);
	while (panelimage_conversion_step(conversion, &result, &error) == PANELIMAGE_MORE)
		;
	assert_int_equal(result.size, sizeof(sample_webp));
	panelimage_conversion_free(conversion);
	panelimage_result_finish(&result);
	assert_null(
	    panelimage_conversion_new_own(data, PANELIMAGE_OUTPUT_MAX_BYTES + 1, panel, &error));
	free(data);
}

RUN_TESTS(NULL, NULL)
