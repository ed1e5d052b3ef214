/* Application images of ESP32 chips, and the fields that an image of the panels' firmware has for
 * its Wi-Fi network and the URL of its server.
 *
 *   24 bytes of header: magic, number of segments, chip, whether a hash follows
 *   segments, each with 8 bytes of header; the first begins with the description of the application
 *   padding, and the XOR of the segments' bytes; then the SHA-256 of all before it
 *
 * An image is a stranger's: each length is checked before it is used. */
#pragma once

#include <text/str.h>

enum {
	ESP_IMAGE_BYTES_MAX = 8 * 1024 * 1024,
	/* Start of the application in a merged image, behind boot loader and partition table. */
	ESP_IMAGE_MERGED_OFFSET = 0x10000,
	ESP_IMAGE_SSID_LENGTH_MAX = 32,
	ESP_IMAGE_PASSWORD_LENGTH_MAX = 64,
	ESP_IMAGE_URL_LENGTH_MAX = 128,
};

struct esp_image {
	size_t start; /* of the application: 0, or ESP_IMAGE_MERGED_OFFSET */
	size_t checksum_at;
	size_t hash_at;
	const char *chip;   /* "esp32s3"; NULL: a chip without a name here */
	struct str project; /* into the bytes: at most 32 printable bytes */
	struct str version;
};

/* Reads an image, or a merged one, and verifies its checksum and hash. Returns NULL, or the fault
 * ("is cut: ..."). */
const char *esp_image_read(struct str bytes, struct esp_image *ret_image);

/* Whether the image that esp_image_read() accepted is firmware of such panels whose fields nobody
 * has filled in. Returns NULL, or the fault. */
const char *esp_image_check_fields(struct str bytes, const struct esp_image *image);

/* Writes network and URL into the fields of an image that esp_image_read() accepted, and mends its
 * checksum and hash. Returns NULL, or the fault of the image, which must not be used then. The
 * texts must fit. */
const char *esp_image_fill(char *bytes, const struct esp_image *image, struct str ssid,
			   struct str password, struct str url);
