/* panelimage_bench [--small] FILE... - how long each file takes to convert and to examine.
 *
 * With --small the limit is 0, so that animations are encoded again with high effort.
 *
 * Prints per file: the shortest and longest time of some rounds in microseconds, the time of
 * panelimage_is_animation(), frames and bytes of the result or the reason of the refusal. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "panelimage/panelimage.h"

enum { ROUNDS = 5, LOOKS = 100 };

static const struct panelimage_size panel = {64, 32};

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double look_us(const uint8_t *data, size_t size)
{
	double start = now_us();
	volatile bool sink;

	for (int i = 0; i < LOOKS; i++)
		sink = panelimage_is_animation(data, size);
	(void)sink;
	return (now_us() - start) / LOOKS;
}

static int convert(const uint8_t *data, size_t size, size_t limit, struct panelimage_result *ret,
		   struct panelimage_error *reterr)
{
	struct panelimage_conversion *conversion =
	    panelimage_conversion_new(data, size, panel, reterr);

	if (!conversion)
		return -1;
	panelimage_conversion_limit(conversion, limit);
	return panelimage_conversion_finish(conversion, ret, reterr);
}

static void measure(const char *name, const uint8_t *data, size_t size, size_t limit)
{
	struct panelimage_result result = {0};
	struct panelimage_error error;
	double shortest = 1e12;
	double longest = 0;
	int rc = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double start = now_us();
		double took;

		panelimage_result_finish(&result);
		rc = convert(data, size, limit, &result, &error);
		took = now_us() - start;
		shortest = took < shortest ? took : shortest;
		longest = took > longest ? took : longest;
	}
	printf("%9.0f %9.0f us  look %6.2f us  ", shortest, longest, look_us(data, size));
	if (rc)
		printf("%s: %s\n", name, error.text);
	else
		printf("%s: %u frames, %zu bytes\n", name, result.info.frame_count, result.size);
	panelimage_result_finish(&result);
}

int main(int argc, char **argv)
{
	static uint8_t data[PANELIMAGE_INPUT_MAX_BYTES + 1];
	bool is_small = argc > 1 && strcmp(argv[1], "--small") == 0;

	for (int i = is_small ? 2 : 1; i < argc; i++) {
		FILE *in = fopen(argv[i], "rb");

		if (!in) {
			perror(argv[i]);
			return EXIT_FAILURE;
		}
		measure(argv[i], data, fread(data, 1, sizeof(data), in),
			is_small ? 0 : PANELIMAGE_OUTPUT_MAX_BYTES);
		fclose(in);
	}
	return EXIT_SUCCESS;
}
