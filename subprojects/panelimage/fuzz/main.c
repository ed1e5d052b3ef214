/* Gives each file of the folders named to the fuzz target: the corpus as an ordinary test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Copies the file into memory of exactly its size, so that a read beyond the end is detected. */
static int run_file(const char *path)
{
	static uint8_t data[1 << 20];
	FILE *in = fopen(path, "rb");
	uint8_t *exact;
	size_t size;

	if (!in) {
		perror(path);
		return -1;
	}
	size = fread(data, 1, sizeof(data), in);
	fclose(in);
	exact = malloc(size + (size == 0));
	if (!exact)
		return -1;
	for (size_t i = 0; i < size; i++)
		exact[i] = data[i];
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	return 0;
}

static int run_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int files = 0;

	if (!dir) {
		perror(folder);
		return -1;
	}
	while ((entry = readdir(dir))) {
		char path[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (run_file(path)) {
			files = -1;
			break;
		}
		files++;
	}
	closedir(dir);
	return files;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int files = run_folder(argv[i]);

		/* An empty corpus means a wrong path. */
		if (files <= 0)
			return EXIT_FAILURE;
		printf("%s: %d files\n", argv[i], files);
	}
	return EXIT_SUCCESS;
}
