/* Runs a fuzz target over files, or over all files of folders: fuzz inputs are ordinary tests. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data;
	struct stat status;
	size_t size;

	if (!file || fstat(fileno(file), &status) != 0) {
		perror(path);
		return 0;
	}
	data = malloc((size_t)status.st_size + 1); /* exact size, so that an overrun is detected */
	size = fread(data, 1, (size_t)status.st_size, file);
	fclose(file);
	data = realloc(data, size ? size : 1);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 1;
}

static int run_folder(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	char name[4096];
	int count = 0;

	if (!folder)
		return run_file(path);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		count += run_file(name);
	}
	closedir(folder);
	return count;
}

int main(int argc, char **argv)
{
	int count = 0;

	for (int i = 1; i < argc; i++)
		count += run_folder(argv[i]);
	printf("%d inputs\n", count);
	return count ? 0 : 1; /* an empty corpus tests nothing */
}
