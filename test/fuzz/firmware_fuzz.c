/* Images of firmware: any bytes, then the same with the checksum and hash mended, since few inputs
 * would pass these. An accepted image can be filled, and is accepted then. */
#include "base/memory.h"
#include "domain/esp_image.h"
#include "domain/firmware_image.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 24, SEGMENT = 8, HASH = 32 };

/* Writes the checksum behind the segments, as their headers have it, and the hash at the end. */
static void mend(uint8_t *bytes, size_t size)
{
	size_t at = HEADER, end = size - HASH;
	uint8_t checksum = 0xEF;

	for (unsigned i = 0; i < bytes[1] && at + SEGMENT < end; i++) {
		uint32_t length;

		memcpy(&length, bytes + at + 4,
		       sizeof(length)); /* as little-endian as this machine */
		at += SEGMENT;
		if (length > end - at)
			return;
		for (size_t j = 0; j < length; j++)
			checksum ^= bytes[at + j];
		at += length;
	}
	bytes[end - 1] = checksum;
	crypto_hash_sha256(bytes + end, bytes, end);
}

static void read_image(char *bytes, size_t size)
{
	struct str image = {bytes, size};
	struct firmware_facts facts;
	struct esp_image read;

	if (!firmware_image_read(image, STR("tronbyt_s3"), &facts) &&
	    (facts.version.length > 32 || strlen(facts.sha256) != 2 * FIRMWARE_HASH_BYTES))
		abort();
	if (esp_image_read(image, &read))
		return;
	if (read.project.length > 32 || read.version.length > 32 || read.hash_at > size - HASH)
		abort();
	if (esp_image_check_fields(image, &read) ||
	    esp_image_fill(bytes, &read, STR("home"), STR("secret"), STR("http://a/")))
		return;
	if (esp_image_read(image, &read) || !esp_image_check_fields(image, &read))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = memory_alloc(size ? size : 1); /* so that an overrun is detected */

	if (sodium_init() < 0)
		abort();
	memcpy(copy, data, size);
	read_image(copy, size);
	if (size > HEADER + HASH + 1) {
		memcpy(copy, data, size);
		mend((uint8_t *)copy, size);
		read_image(copy, size);
	}
	free(copy);
	return 0;
}
