#include "domain/firmware_image.h"
#include "base/hex.h"
#include "base/memory.h"
#include "domain/esp_image.h"

#include <sodium.h>
#include <stdint.h>
#include <string.h>

/* Boards whose panels take updates. A pixoticker has no room for a second image. */
static const struct {
	const char *board;
	const char *chip;
} boards[] = {
    {"tidbyt_gen1", "esp32"},	    {"tidbyt_gen2", "esp32"},
    {"tronbyt_s3", "esp32s3"},	    {"tronbyt_s3_wide", "esp32s3"},
    {"matrixportal_s3", "esp32s3"}, {"matrixportal_s3_waveshare", "esp32s3"},
    {"waveshare_s3", "esp32s3"},
};

static const char *chip_of(struct str board)
{
	for (size_t i = 0; i < array_length(boards); i++)
		if (str_equal(board, str_from(boards[i].board)))
			return boards[i].chip;
	return NULL;
}

struct str firmware_board_named(struct str name)
{
	for (size_t i = 0; i < array_length(boards); i++)
		if (str_equal(name, str_from(boards[i].board)))
			return str_from(boards[i].board);
	return (struct str){0};
}

const char *firmware_board_check(struct str board)
{
	return chip_of(board) ? NULL
			      : "must be tidbyt_gen1, tidbyt_gen2, tronbyt_s3, tronbyt_s3_wide, "
				"matrixportal_s3, matrixportal_s3_waveshare or waveshare_s3; "
				"panels of other boards take no updates";
}

static size_t count_digits(struct str text)
{
	size_t digits = 0;

	while (digits < text.length && text.data[digits] >= '0' && text.data[digits] <= '9')
		digits++;
	return digits;
}

const char *firmware_version_check(struct str version)
{
	size_t start = version.length && (version.data[0] == 'v' || version.data[0] == 'V');
	size_t digits = count_digits(str_from_offset(version, start));
	bool is_good = digits > 0 && digits <= FIRMWARE_VERSION_DIGITS_MAX &&
		       version.length <= FIRMWARE_VERSION_LENGTH_MAX;

	for (size_t i = 0; i < version.length; i++)
		is_good &= version.data[i] > ' ' && version.data[i] <= '~';
	return is_good ? NULL
		       : "must begin with a number below 100,000, perhaps after \"v\", and have 1 "
			 "to 32 characters without spaces";
}

const char *firmware_image_read(struct str bytes, struct str board,
				struct firmware_facts *ret_facts)
{
	const char *chip = chip_of(board), *fault;
	struct esp_image image;
	uint8_t hash[FIRMWARE_HASH_BYTES];

	*ret_facts = (struct firmware_facts){0};
	fault = esp_image_read(bytes, &image);
	if (fault)
		return fault;
	if (image.start)
		return "is a merged image, which is flashed by cable: upload the application alone";
	if (!image.chip || !chip || strcmp(image.chip, chip) != 0)
		return image.chip && strcmp(image.chip, "esp32") == 0
			   ? "is for the chip esp32, which this board does not have"
			   : "is for another chip than this board's";
	fault = esp_image_check_fields(bytes, &image);
	if (fault)
		return fault;
	ret_facts->chip = chip;
	ret_facts->project = image.project;
	ret_facts->version = image.version;
	crypto_hash_sha256(hash, (const uint8_t *)bytes.data, bytes.length);
	hex_encode(hash, sizeof(hash), ret_facts->sha256);
	return NULL;
}
