/* push_bound - the CPU time that converting a pushed picture takes at least.
 *
 * Does on one thread, without a server, the work of a worker thread of displayd for a push: decodes
 * the base64 of the request, decodes the picture, encodes it for the panel. With the database's
 * time for the statement that stores it, a machine of C cores can take at most
 *
 *   C / (base64 + decode + encode + statement)
 *
 * pushes a second; bench/scenarios/push.py says why displayd reaches less. */
#include "base/memory.h"

#include <panelimage/panelimage.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/base64.h>
#include <text/str.h>
#include <time.h>

static const char usage[] =
    "Usage: push_bound SECONDS PICTURE...\n"
    "\n"
    "Prints the CPU microseconds that a picture takes, mean over all files and rounds, as one "
    "line\n"
    "of JSON: for its base64, decoding it, and encoding it as the WebP that a panel shows.\n";

struct picture {
	struct str base64;
	uint8_t *bytes;
	size_t size;
};

struct totals {
	uint64_t rounds;
	double base64_us;
	double convert_us; /* decoding and encoding, as the server calls it */
	size_t output_bytes;
};

static double cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void give_up(const char *name, const char *why)
{
	fprintf(stderr, "push_bound: %s: %s\n", name, why);
	exit(1);
}

static struct str encode_base64(const uint8_t *data, size_t size)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = memory_alloc(size / 3 * 4 + 4);
	size_t length = 0;

	for (size_t i = 0; i < size; i += 3) {
		uint32_t bits = (uint32_t)data[i] << 16;

		bits |= i + 1 < size ? (uint32_t)data[i + 1] << 8 : 0;
		bits |= i + 2 < size ? data[i + 2] : 0;
		text[length++] = digits[bits >> 18];
		text[length++] = digits[bits >> 12 & 63];
		text[length++] = i + 1 < size ? digits[bits >> 6 & 63] : '=';
		text[length++] = i + 2 < size ? digits[bits & 63] : '=';
	}
	return (struct str){text, length};
}

static struct picture read_picture(const char *path)
{
	uint8_t *data = memory_alloc(PANELIMAGE_INPUT_MAX_BYTES + 1);
	FILE *file = fopen(path, "rb");
	struct picture picture = {0};

	if (!file)
		give_up(path, "cannot be read");
	picture.size = fread(data, 1, PANELIMAGE_INPUT_MAX_BYTES + 1, file);
	fclose(file);
	if (picture.size > PANELIMAGE_INPUT_MAX_BYTES)
		give_up(path, "is larger than the server takes");
	picture.base64 = encode_base64(data, picture.size);
	/* Reused for each decoding. */
	picture.bytes = data;
	return picture;
}

static void measure(const char *path, struct picture *picture, struct totals *totals)
{
	const struct panelimage_size panel = {64, 32};
	struct panelimage_result result;
	struct panelimage_error error;
	double start = cpu_us();

	if (base64_decode(picture->base64, picture->bytes, &picture->size))
		give_up(path, "its base64 is not understood");
	totals->base64_us += cpu_us() - start;
	start = cpu_us();
	if (panelimage_is_animation(picture->bytes, picture->size))
		give_up(path, "is an animation");
	if (panelimage_convert(picture->bytes, picture->size, panel, &result, &error))
		give_up(path, error.text);
	totals->convert_us += cpu_us() - start;
	totals->output_bytes += result.size;
	totals->rounds++;
	panelimage_result_finish(&result);
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? strtod(argv[1], NULL) : 0, start;
	struct totals totals = {0};
	struct picture *pictures;

	if (!(seconds > 0)) {
		fputs(usage, stderr);
		return 2;
	}
	pictures = memory_zalloc((size_t)argc * sizeof(*pictures));
	for (int i = 2; i < argc; i++) {
		pictures[i] = read_picture(argv[i]);
		/* Warms up caches and the heap. */
		measure(argv[i], &pictures[i], &totals);
	}
	totals = (struct totals){0};
	start = cpu_us();
	while (cpu_us() - start < seconds * 1e6) {
		for (int i = 2; i < argc; i++)
			measure(argv[i], &pictures[i], &totals);
	}
	printf("{\"sum_us\": %.2f, \"webp_bytes\": %.0f}\n",
	       (totals.base64_us + totals.convert_us) / (double)totals.rounds,
	       (double)totals.output_bytes / (double)totals.rounds);
	return 0;
}
