/* Converts any bytes, with little effort or also with high effort; the result must decode to the
 * same frames again.
 *
 * With libFuzzer (meson option libfuzzer) its main() calls this; without it, main.c reads a corpus.
 */
#include <stdio.h>
#include <stdlib.h>

#include "panelimage/panelimage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct panelimage_size panel = {64, 32};

/* A checksum of all frames and their durations: equal neighbours count as one frame. */
struct film {
	uint64_t sum;
	uint64_t last_frame;
	uint64_t duration_ms;
	uint32_t frames;
};

static void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

static bool on_frame(const uint8_t *rgb, uint32_t duration_ms, void *user)
{
	const size_t bytes = (size_t)panel.width * panel.height * 3;
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
	struct film *film = user;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ rgb[i]) * UINT64_C(1099511628211);
	film->duration_ms += duration_ms;
	film->frames++;
	if (film->frames == 1 || hash != film->last_frame)
		film->sum = film->sum * 31 + hash;
	film->last_frame = hash;
	return true;
}

static void check_result(const uint8_t *data, size_t size, const struct panelimage_result *result)
{
	struct panelimage_error error;
	struct panelimage_info info;
	struct film before = {0};
	struct film after = {0};

	require(result->size > 0 && result->size <= PANELIMAGE_OUTPUT_MAX_BYTES, "size");
	require(panelimage_probe_webp(result->data, result->size, panel, &info, &error) == 0,
		"probe");
	require(info.frame_count == result->info.frame_count, "frame count");
	require(info.duration_ms == result->info.duration_ms, "duration");
	require(info.loop_count == result->info.loop_count, "loop count");
	require(info.animated == panelimage_is_animation(result->data, result->size) ||
		    result->size == size,
		"animation");
	require(panelimage_decode(data, size, panel, on_frame, &before, &error) == 0,
		"decode source");
	/* A result may be larger than the largest input. */
	if (result->size > PANELIMAGE_INPUT_MAX_BYTES)
		return;
	require(panelimage_decode(result->data, result->size, panel, on_frame, &after, &error) == 0,
		"decode result");
	require(before.sum == after.sum, "same frames");
	require(!info.animated || before.duration_ms == after.duration_ms, "same duration");
	require(after.frames == info.frame_count, "as many frames");
}

/* Any result has more bytes than a limit of 0: an animation is encoded again. */
static size_t limit_of(const uint8_t *data, size_t size)
{
	unsigned bits = 0;

	for (size_t i = 0; i < size; i++)
		bits ^= data[i];
	return bits & 1 ? 0 : PANELIMAGE_OUTPUT_MAX_BYTES;
}

static int convert(const uint8_t *data, size_t size, struct panelimage_result *ret,
		   struct panelimage_error *reterr)
{
	struct panelimage_conversion *conversion =
	    panelimage_conversion_new(data, size, panel, reterr);

	if (!conversion)
		return -1;
	panelimage_conversion_limit(conversion, limit_of(data, size));
	return panelimage_conversion_finish(conversion, ret, reterr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct panelimage_result result = {0};
	struct panelimage_error error;
	struct panelimage_info info;

	(void)panelimage_is_animation(data, size);
	(void)!panelimage_probe_webp(data, size, panel, &info, &error);
	if (convert(data, size, &result, &error)) {
		require(error.text[0] && !result.data, "an error says why");
		return 0;
	}
	check_result(data, size, &result);
	panelimage_result_finish(&result);
	return 0;
}
