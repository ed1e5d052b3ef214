/* heap_peak FILE... - the most heap that converting each file takes, in a step and between two
 * steps or as its result, in bytes, and its name. Exit status 1 if something was not given back.
 * Makes the same numbers in each run. */
#include <stdio.h>
#include <stdlib.h>

#include "heap.h"
#include "panelimage/panelimage.h"

static const struct panelimage_size panel = {64, 32};

/* Returns the most that is in use after a step. */
static size_t convert(const uint8_t *data, size_t size)
{
	struct panelimage_result result = {0};
	struct panelimage_error error;
	size_t before = heap_in_use_bytes(), held = 0;
	enum panelimage_progress progress = PANELIMAGE_FAILED;
	struct panelimage_conversion *conversion =
	    panelimage_conversion_new(data, size, panel, &error);

	if (!conversion)
		return 0;
	do {
		progress = panelimage_conversion_step(conversion, &result, &error);
		if (heap_in_use_bytes() - before > held)
			held = heap_in_use_bytes() - before;
	} while (progress == PANELIMAGE_MORE);
	panelimage_conversion_free(conversion);
	panelimage_result_finish(&result);
	return held;
}

int main(int argc, char **argv)
{
	static uint8_t data[PANELIMAGE_INPUT_MAX_BYTES + 1];
	int status = EXIT_SUCCESS;

	for (int i = 1; i < argc; i++) {
		FILE *in = fopen(argv[i], "rb");
		size_t before, held, size;

		if (!in) {
			perror(argv[i]);
			return EXIT_FAILURE;
		}
		size = fread(data, 1, sizeof(data), in);
		fclose(in);
		heap_start(0);
		before = heap_in_use_bytes();
		held = convert(data, size);
		if (heap_in_use_bytes() != before)
			status = EXIT_FAILURE;
		printf("%zu %zu %s\n", heap_peak_bytes(), held, argv[i]);
	}
	return status;
}
