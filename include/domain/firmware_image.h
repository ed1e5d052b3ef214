/* Images of panels' firmware that administrators add, each for one board. An image is a stranger's
 * file until firmware_image_read() has accepted it. */
#pragma once

#include "domain/firmware_image_records.h"

enum {
	/* Most images of a server; also in SQL. */
	FIRMWARE_IMAGES_MAX = 32,
	FIRMWARE_HASH_BYTES = 32,
	FIRMWARE_VERSION_LENGTH_MAX = 32,
	FIRMWARE_VERSION_DIGITS_MAX = 5, /* of its first number, as in the database */
};

/* Header and hash of an image. */
struct firmware_facts {
	const char *chip;
	struct str project; /* into the bytes */
	struct str version; /* into the bytes, as its header has it, perhaps with a "v" */
	char sha256[2 * FIRMWARE_HASH_BYTES + 1]; /* of all bytes, in hexadecimal digits */
};

/* Reads an image for a board that firmware_board_check() accepted: an application whose checksum
 * and hash are right, for the board's chip, with empty fields for Wi-Fi and URL. Takes about 10 ms
 * a MiB. Returns NULL, or the fault ("is cut: ..."). */
const char *firmware_image_read(struct str bytes, struct str board,
				struct firmware_facts *ret_facts);

/* Returns NULL, or the fault ("must ...") of a board whose panels take no updates. */
const char *firmware_board_check(struct str board);

/* Returns the board of that name whose panels take updates, as a static text; empty: there is none.
 */
struct str firmware_board_named(struct str name);

/* Returns NULL, or the fault of a version: it must begin with a number below 100,000, perhaps
 * after a "v". */
const char *firmware_version_check(struct str version);
