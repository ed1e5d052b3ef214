/* heap_peak FILE... - the most heap that converting each file takes, in bytes, and its name. Exit
 * status 1 if something was not given back. Makes the same number in each run. */
#include <stdio.h>
#include <stdlib.h>

#include "heap.h"
#include "panelimage/panelimage.h"

static const struct panelimage_size panel = {64, 32};

int main(int argc, char **argv)
{
	static uint8_t data[PANELIMAGE_INPUT_MAX_BYTES + 1];
	int status = EXIT_SUCCESS;

	for (int i = 1; i < argc; i++) {
		struct panelimage_result result = {0};
		struct panelimage_error error;
		FILE *in = fopen(argv[i], "rb");
		size_t before;
		size_t size;

		if (!in) {
			perror(argv[i]);
			return EXIT_FAILURE;
		}
		size = fread(data, 1, sizeof(data), in);
		fclose(in);
		heap_start(0);
		before = heap_in_use_bytes();
		if (panelimage_convert(data, size, panel, &result, &error) == 0)
			panelimage_result_finish(&result);
		if (heap_in_use_bytes() != before)
			status = EXIT_FAILURE;
		printf("%zu %s\n", heap_peak_bytes(), argv[i]);
	}
	return status;
}
