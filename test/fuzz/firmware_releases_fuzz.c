/* Lists of releases of panels' firmware, and files of checksums: for any input, what is found is
 * within its bounds, of each board one image, with a version that an image may have. */
#include "base/memory.h"
#include "domain/firmware_releases.h"

#include <stdlib.h>
#include <string.h>

enum { HASH_LENGTH = 2 * FIRMWARE_HASH_BYTES };

static bool is_hash(const char *sha256)
{
	return strlen(sha256) == HASH_LENGTH && strspn(sha256, "0123456789abcdef") == HASH_LENGTH;
}

static bool is_sound(const struct firmware_asset *asset)
{
	return firmware_board_named(asset->board).length > 0 &&
	       str_equal(firmware_file_board(asset->file), asset->board) &&
	       !firmware_version_check(asset->version) &&
	       (asset->sha256[0] == '\0' || is_hash(asset->sha256));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy =
	    memory_alloc(size ? size : 1); /* a separate copy, so that an overrun is detected */
	struct firmware_asset assets[FIRMWARE_BOARDS_MAX];
	char sha256[HASH_LENGTH + 1];
	struct arena arena = {0};
	unsigned count;

	memcpy(copy, data, size);
	if ((firmware_releases_read((struct str){copy, size}, &arena, assets, &count) == NULL) !=
		(count > 0) ||
	    count > FIRMWARE_BOARDS_MAX)
		abort();
	for (unsigned i = 0; i < count; i++) {
		if (!is_sound(&assets[i]))
			abort();
		for (unsigned j = 0; j < i; j++)
			if (str_equal(assets[i].board, assets[j].board))
				abort();
	}
	if (firmware_sums_find((struct str){copy, size}, STR("f.bin"), sha256) && !is_hash(sha256))
		abort();
	arena_finish(&arena);
	free(copy);
	return 0;
}
