#include "domain/esp_image.h"
#include "base/memory.h"

#include <sodium.h>
#include <stdint.h>
#include <string.h>

enum {
	MAGIC = 0xe9,
	HEADER_BYTES = 24,
	SEGMENT_HEADER_BYTES = 8,
	SEGMENTS_MAX = 16,
	CHIP_AT = 12,
	HAS_HASH_AT = 23,
	HASH_BYTES = 32,
	CHECKSUM_START = 0xef,
	CHECKSUM_ALIGNMENT = 16,
	/* Offsets of the description and its texts. */
	DESCRIPTION_AT = HEADER_BYTES + SEGMENT_HEADER_BYTES,
	VERSION_AT = DESCRIPTION_AT + 16,
	PROJECT_AT = VERSION_AT + 32,
	DESCRIPTION_TEXT_BYTES = 32,
	DESCRIPTION_BYTES = 256,
};

#define DESCRIPTION_MAGIC UINT32_C(0xabcd5432)

static uint32_t read_uint32(const char *bytes)
{
	const uint8_t *b = (const uint8_t *)bytes;

	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static const char *chip_name(unsigned number)
{
	switch (number) {
	case 0:
		return "esp32";
	case 2:
		return "esp32s2";
	case 5:
		return "esp32c3";
	case 9:
		return "esp32s3";
	default:
		return NULL;
	}
}

static bool is_application(struct str bytes, size_t start)
{
	return bytes.length >= start + DESCRIPTION_AT + DESCRIPTION_BYTES &&
	       (uint8_t)bytes.data[start] == MAGIC &&
	       read_uint32(bytes.data + start + DESCRIPTION_AT) == DESCRIPTION_MAGIC;
}

/* Walks the segments. Returns NULL, or a fault. */
static const char *read_segments(struct str bytes, struct esp_image *image, uint8_t *ret_checksum)
{
	unsigned count = (uint8_t)bytes.data[image->start + 1];
	size_t at = image->start + HEADER_BYTES;
	uint8_t sum = CHECKSUM_START;

	if (count == 0 || count > SEGMENTS_MAX)
		return "is not an image: its header has an invalid number of segments";
	for (unsigned i = 0; i < count; i++) {
		uint32_t length;

		if (bytes.length - at < SEGMENT_HEADER_BYTES)
			return "is cut: a segment is missing";
		length = read_uint32(bytes.data + at + 4);
		at += SEGMENT_HEADER_BYTES;
		if (bytes.length - at < length)
			return "is cut: a segment is longer than the rest of the file";
		for (size_t end = at + length; at < end; at++)
			sum ^= (uint8_t)bytes.data[at];
	}
	/* The checksum is the last byte of a block; the segments' start counts from the image's. */
	image->checksum_at = image->start + (((at - image->start) | (CHECKSUM_ALIGNMENT - 1)));
	image->hash_at = image->checksum_at + 1;
	*ret_checksum = sum;
	return NULL;
}

static void make_hash(const char *bytes, const struct esp_image *image, uint8_t *ret_hash)
{
	crypto_hash_sha256(ret_hash, (const uint8_t *)bytes + image->start,
			   image->hash_at - image->start);
}

/* Reads a text up to the first byte that is not printable: it is shown within a line. */
static struct str read_text(struct str bytes, size_t at)
{
	size_t length = 0;

	while (length < DESCRIPTION_TEXT_BYTES && bytes.data[at + length] >= ' ' &&
	       bytes.data[at + length] <= '~')
		length++;
	return (struct str){bytes.data + at, length};
}

const char *esp_image_read(struct str bytes, struct esp_image *ret_image)
{
	uint8_t hash[HASH_BYTES], checksum;
	struct esp_image *image = ret_image;
	const char *fault;

	*image = (struct esp_image){0};
	if (bytes.length > ESP_IMAGE_BYTES_MAX)
		return "is larger than 8 MiB";
	if (!is_application(bytes, 0)) {
		image->start = ESP_IMAGE_MERGED_OFFSET;
		if (!is_application(bytes, ESP_IMAGE_MERGED_OFFSET))
			return "is not an image of an application for ESP32";
	}
	fault = read_segments(bytes, image, &checksum);
	if (fault)
		return fault;
	if (bytes.data[image->start + HAS_HASH_AT] != 1)
		return "has no hash at its end";
	if (bytes.length < image->hash_at + HASH_BYTES)
		return "is cut: its checksum and hash are missing";
	if ((uint8_t)bytes.data[image->checksum_at] != checksum)
		return "is damaged: its checksum is wrong";
	make_hash(bytes.data, image, hash);
	if (memcmp(bytes.data + image->hash_at, hash, sizeof(hash)) != 0)
		return "is damaged: its hash is wrong";
	if (bytes.length > image->hash_at + HASH_BYTES)
		return "has bytes after its end: it is signed, or several files were joined";
	image->chip = chip_name((uint8_t)bytes.data[image->start + CHIP_AT] |
				(unsigned)(uint8_t)bytes.data[image->start + CHIP_AT + 1] << 8);
	image->version = read_text(bytes, image->start + VERSION_AT);
	image->project = read_text(bytes, image->start + PROJECT_AT);
	return NULL;
}

/* ---- fields ---- */

enum { FIELDS = 3 };

struct field {
	const char *start; /* of its placeholder, which is padded with '_' */
	size_t length;
	size_t at; /* in the image */
};

/* Finds the only placeholder of the field between start and end. Returns NULL, or a fault. */
static const char *look_for(struct field *field, const char *bytes, size_t start, size_t end)
{
	char placeholder[ESP_IMAGE_URL_LENGTH_MAX + 1];
	const char *first, *second;

	memset(placeholder, '_', field->length);
	memcpy(placeholder, field->start, strlen(field->start));
	placeholder[field->length] = '\0'; /* the field ends with it in the image, too */
	first = memmem(bytes + start, end - start, placeholder, field->length + 1);
	if (!first)
		return "has no fields for Wi-Fi and URL: they were filled in before, or it is not "
		       "firmware of such panels";
	second = first + 1;
	if (memmem(second, (size_t)(bytes + end - second), placeholder, field->length + 1))
		return "has a field for Wi-Fi or URL twice";
	field->at = (size_t)(first - bytes);
	return NULL;
}

/* Finds the fields of network, password and URL. Returns NULL, or a fault. */
static const char *find_fields(const char *bytes, const struct esp_image *image,
			       struct field ret_fields[static FIELDS])
{
	static const struct field fields[FIELDS] = {
	    {"XplaceholderWIFISSID", ESP_IMAGE_SSID_LENGTH_MAX, 0},
	    {"XplaceholderWIFIPASSWORD", ESP_IMAGE_PASSWORD_LENGTH_MAX, 0},
	    {"XplaceholderREMOTEURL", ESP_IMAGE_URL_LENGTH_MAX, 0},
	};

	memcpy(ret_fields, fields, sizeof(fields));
	for (size_t i = 0; i < FIELDS; i++) {
		const char *fault =
		    look_for(&ret_fields[i], bytes, image->start, image->checksum_at);

		if (fault)
			return fault;
	}
	return NULL;
}

const char *esp_image_check_fields(struct str bytes, const struct esp_image *image)
{
	struct field fields[FIELDS];

	return find_fields(bytes.data, image, fields);
}

const char *esp_image_fill(char *bytes, const struct esp_image *image, struct str ssid,
			   struct str password, struct str url)
{
	const struct str values[FIELDS] = {ssid, password, url};
	struct field fields[FIELDS];
	struct esp_image filled;
	uint8_t hash[HASH_BYTES], change = 0;
	const char *fault = find_fields(bytes, image, fields);

	if (fault)
		return fault;
	for (size_t i = 0; i < FIELDS; i++) {
		char *field = bytes + fields[i].at;

		for (size_t j = 0; j < fields[i].length; j++) {
			char new = j < values[i].length ? values[i].data[j] : '\0';

			change ^= (uint8_t)(field[j] ^ new);
			field[j] = new;
		}
	}
	bytes[image->checksum_at] = (char)((uint8_t)bytes[image->checksum_at] ^ change);
	make_hash(bytes, image, hash);
	memcpy(bytes + image->hash_at, hash, sizeof(hash));
	/* A field that reaches over the end of its segment is not in the checksum as a whole. */
	if (esp_image_read((struct str){bytes, image->hash_at + HASH_BYTES}, &filled))
		return "has a field for Wi-Fi or URL that is not within a segment";
	return NULL;
}
