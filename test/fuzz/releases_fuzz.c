/* Lists of a repository's releases, and files of checksums (if the input begins with "#"): for any
 * input, each image has one board, a file, and a checksum of the right length or none. */
#include "base/memory.h"
#include "domain/firmware_releases.h"

#include <stdlib.h>
#include <string.h>

static void check_assets(const struct firmware_asset *assets, unsigned count)
{
	if (count > FIRMWARE_BOARDS_MAX)
		abort();
	for (unsigned i = 0; i < count; i++) {
		size_t length = strlen(assets[i].sha256);

		if (!str_equal(assets[i].board, firmware_file_board(assets[i].file)) ||
		    (length && length != 2 * FIRMWARE_HASH_BYTES) ||
		    firmware_version_check(assets[i].version))
			abort();
		for (unsigned j = 0; j < i; j++)
			if (str_equal(assets[i].board, assets[j].board))
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = memory_alloc(size ? size : 1); /* so that an overrun is detected */
	char sha256[2 * FIRMWARE_HASH_BYTES + 1];
	struct firmware_asset assets[FIRMWARE_BOARDS_MAX];
	struct str text = {copy, size};
	struct buffer outcome = {0};
	struct arena arena = {0};
	unsigned count = 0;

	memcpy(copy, data, size);
	if (size && data[0] == '#') {
		if (firmware_sums_find(text, STR("tidbyt-gen1.bin"), sha256) &&
		    strlen(sha256) != 2 * FIRMWARE_HASH_BYTES)
			abort();
	} else if (!firmware_releases_read(text, &arena, assets, &count)) {
		check_assets(assets, count);
		for (unsigned i = 0; i < count; i++)
			firmware_outcome_write(&assets[i], "added", NULL, &outcome);
	}
	buffer_finish(&outcome);
	arena_finish(&arena);
	free(copy);
	return 0;
}
