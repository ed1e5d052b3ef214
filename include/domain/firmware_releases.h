/* Lists of a repository's releases of panels' firmware, as GitHub's interface gives them (and those
 * of Gitea and Forgejo): which image is the newest for each board, and its checksum. A list is a
 * stranger's text. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "domain/firmware_image.h"
#include "domain/firmware_releases_records.h"

enum {
	FIRMWARE_BOARDS_MAX = 7, /* that take updates */
	FIRMWARE_LIST_BYTES_MAX = 4 * 1024 * 1024,
	FIRMWARE_SUMS_BYTES_MAX = 64 * 1024,
	FIRMWARE_RELEASES_URL_MAX = 500,
};

/* Image of a release for a board. Texts lie in the arena. */
struct firmware_asset {
	struct str board;
	struct str version; /* of the release, without "v" */
	struct str file, url;
	char sha256[2 * FIRMWARE_HASH_BYTES + 1]; /* as the list has it; empty: it has none */
	struct str sums_url; /* of the release's file of checksums; empty: it has none */
};

/* Returns NULL, or the fault ("must ...") of the address of a list; it may be empty. */
const char *firmware_releases_check(struct str url);

/* Returns the board for which a file of a release is the application, "tidbyt_gen1" for
 * tidbyt-gen1.bin and tidbyt-gen1_firmware.bin; empty: none. */
struct str firmware_file_board(struct str file);

/* Reads a list: of each board the image of the first release that has one, and is neither a draft
 * nor a preliminary one. Returns NULL, or the fault of the list, as a sentence. */
const char *firmware_releases_read(struct str list, struct arena *arena,
				   struct firmware_asset ret_assets[static FIRMWARE_BOARDS_MAX],
				   unsigned *ret_count);

/* Finds a file's SHA-256 in a file of checksums, as sha256sum writes it. Returns false if it has
 * none. */
bool firmware_sums_find(struct str sums, struct str file,
			char ret_sha256[static 2 * FIRMWARE_HASH_BYTES + 1]);

/* Appends what came of an image, as JSON; a comma first, if the buffer is not empty. state: of the
 * API's FetchedFirmware. reason: NULL: none. */
void firmware_outcome_write(const struct firmware_asset *asset, const char *state,
			    const char *reason, struct buffer *buffer);
