#include "base/zone.h"

#include "../cmocka_test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 8192 };

/* A file under construction. */
struct file {
	size_t length;
	uint8_t bytes[FILE_BYTES_MAX];
};

/* Block of a file, valid unless a test damages it. */
struct made {
	char version;
	uint32_t transitions, types, characters, leap_seconds, standard, ut;
	int64_t times[4];
	uint8_t type_of_times[4];
	int32_t offsets[4];
	uint8_t summer, designation;
	const char *designations; /* 8 bytes */
	uint8_t standard_value, ut_value;
	const char *footer;
};

static const struct made sound = {
    .version = '2',
    .transitions = 3,
    .types = 3,
    .characters = 8,
    .standard = 3,
    .ut = 3,
    .times = {-5000000000, 1000, 2000},
    .type_of_times = {1, 2, 1},
    .offsets = {100, 3600, 7200},
    .designation = 4,
    .designations = "LMT\0CET",
    .standard_value = 1,
    .ut_value = 1,
    .footer = "\nCET-1\n",
};

static void put(struct file *file, uint64_t value, unsigned bytes)
{
	while (bytes--)
		file->bytes[file->length++] = (uint8_t)(value >> (8 * bytes));
}

static void put_header(struct file *file, char version, const uint32_t counts[6])
{
	memcpy(file->bytes + file->length, "TZif", 4);
	file->length += 4;
	put(file, (uint8_t)version, 1);
	memset(file->bytes + file->length, 0, 15);
	file->length += 15;
	for (unsigned i = 0; i < 6; i++)
		put(file, counts[i], 4);
}

static void put_block(struct file *file, const struct made *made, unsigned time_bytes)
{
	put_header(file, made->version,
		   (uint32_t[]){made->ut, made->standard, made->leap_seconds, made->transitions,
				made->types, made->characters});
	for (unsigned i = 0; i < made->transitions && i < 4; i++)
		put(file, (uint64_t)made->times[i], time_bytes);
	for (unsigned i = 0; i < made->transitions && i < 4; i++)
		put(file, made->type_of_times[i], 1);
	for (unsigned i = 0; i < made->types && i < 4; i++) {
		put(file, (uint32_t)made->offsets[i], 4);
		put(file, made->summer, 1);
		put(file, made->designation, 1);
	}
	for (unsigned i = 0; i < made->characters && i < 8; i++)
		put(file, (uint8_t)made->designations[i], 1);
	for (unsigned i = 0; i < made->leap_seconds; i++) {
		put(file, 0, time_bytes);
		put(file, 0, 4);
	}
	for (unsigned i = 0; i < made->standard; i++)
		put(file, made->standard_value, 1);
	for (unsigned i = 0; i < made->ut; i++)
		put(file, made->ut_value, 1);
}

static struct file file_of(const struct made *made)
{
	struct file file = {0};

	if (made->version) {
		/* Write a block of one type, as zic does if old readers do not matter. */
		put_header(&file, made->version, (uint32_t[]){0, 0, 0, 0, 1, 1});
		put(&file, 0, 7);
		put_block(&file, made, 8);
		memcpy(file.bytes + file.length, made->footer, strlen(made->footer));
		file.length += strlen(made->footer);
	} else {
		put_block(&file, made, 4);
	}
	return file;
}

/* Parses from memory of exactly this size, so that ASan and valgrind detect an overrun. */
static struct zone *parse_bytes(const uint8_t *bytes, size_t length)
{
	uint8_t *copy = malloc(length ? length : 1);
	struct zone *zone;

	memcpy(copy, bytes, length);
	zone = zone_parse((struct str){(char *)copy, length});
	free(copy);
	return zone;
}

static struct zone *parse(const struct made *made)
{
	struct file file = file_of(made);

	return parse_bytes(file.bytes, file.length);
}

TEST(offset_changes_with_each_transition)
{
	struct zone *zone = parse(&sound);

	assert_non_null(zone);
	assert_int_equal(zone_offset_s(zone, INT64_MIN), 100);
	assert_int_equal(zone_offset_s(zone, -5000000001), 100);
	assert_int_equal(zone_offset_s(zone, -5000000000), 3600);
	assert_int_equal(zone_offset_s(zone, 999), 3600);
	assert_int_equal(zone_offset_s(zone, 1000), 7200);
	assert_int_equal(zone_offset_s(zone, 1999), 7200);
	assert_int_equal(zone_offset_s(zone, 2000), 3600);
	assert_int_equal(zone_offset_s(zone, INT64_MAX), 3600);
	zone_destroy(zone);
	assert_int_equal(zone_offset_s(NULL, 1000), 0);
	zone_destroy(NULL);
}

TEST(all_versions_are_read)
{
	const char versions[] = {'\0', '2', '3', '4'};

	for (unsigned i = 0; i < 4; i++) {
		struct made made = sound;
		struct zone *zone;

		made.version = versions[i];
		made.times[0] = -5000; /* fits into 32 bits */
		zone = parse(&made);
		assert_non_null(zone);
		assert_int_equal(zone_offset_s(zone, -5001), 100);
		assert_int_equal(zone_offset_s(zone, 1500), 7200);
		zone_destroy(zone);
	}
}

TEST(the_footer_holds_after_the_last_transition)
{
	struct made made = sound;
	struct zone *zone;

	made.footer = "\nCET-1CEST,M3.5.0,M10.5.0/3\n";
	zone = parse(&made);
	assert_int_equal(zone_offset_s(zone, 1999), 7200);
	assert_int_equal(zone_offset_s(zone, 2000), 3600);
	assert_int_equal(zone_offset_s(zone, 1782864000), 7200); /* 2026-07-01 */
	zone_destroy(zone);
	made.transitions = 0;
	zone = parse(&made);
	assert_int_equal(zone_offset_s(zone, 1782864000), 7200);
	assert_int_equal(zone_offset_s(zone, 1767225600), 3600);
	zone_destroy(zone);
	made.footer = "\n\n";
	zone = parse(&made);
	assert_int_equal(zone_offset_s(zone, 1782864000), 100);
	zone_destroy(zone);
}

TEST(a_file_that_is_cut_off_is_refused)
{
	static const char *const footers[] = {"\nCET-1CEST,M3.5.0,M10.5.0/3\n", "\n\n", NULL};

	for (unsigned i = 0; i < 3; i++) {
		struct made made = sound;
		struct file file;

		made.footer = footers[i];
		if (!footers[i]) {
			made.version = '\0';
			made.times[0] = -5000;
		}
		file = file_of(&made);
		for (size_t length = 0; length < file.length; length++)
			assert_null(parse_bytes(file.bytes, length));
		file.bytes[file.length] = '\n';
		assert_null(parse_bytes(file.bytes, file.length + 1));
	}
}

static void refuse(struct made made)
{
	assert_null(parse(&made));
}

#define SPOILT(...)                                                                                \
	({                                                                                         \
		struct made made = sound;                                                          \
		__VA_ARGS__;                                                                       \
		made;                                                                              \
	})

TEST(what_is_malformed_is_refused)
{
	refuse(SPOILT(made.version = '1'));
	refuse(SPOILT(made.version = '5'));
	refuse(SPOILT(made.times[2] = 1000));
	refuse(SPOILT(made.times[2] = 999));
	refuse(SPOILT(made.type_of_times[1] = 3));
	refuse(SPOILT(made.types = 0; made.transitions = made.standard = made.ut = 0));
	refuse(SPOILT(made.characters = 0));
	refuse(SPOILT(made.characters = 7; made.designations = "LMT\0CETx"));
	refuse(SPOILT(made.designation = 8));
	refuse(SPOILT(made.summer = 2));
	refuse(SPOILT(made.offsets[2] = 93600));
	refuse(SPOILT(made.offsets[2] = -90000));
	refuse(SPOILT(made.offsets[0] = INT32_MIN));
	refuse(SPOILT(made.standard = 2));
	refuse(SPOILT(made.ut = 1));
	refuse(SPOILT(made.standard_value = 2));
	refuse(SPOILT(made.standard_value = 0));
	refuse(SPOILT(made.ut_value = 2));
	refuse(SPOILT(made.standard = 0));
	refuse(SPOILT(made.leap_seconds = 1));
	refuse(SPOILT(made.footer = "\nCET\n"));
	refuse(SPOILT(made.footer = "CET-1\n"));
	refuse(SPOILT(made.footer = "\nEET-2EEST,M3.4.4/50,M10.4.4/50\n"));
}

/* Counts near 2^32 must not wrap around. */
TEST(counts_that_lie_are_refused)
{
	struct file file = file_of(&sound);

	for (size_t header = 0; header <= 51; header += 51) {
		for (size_t at = header + 20; at < header + 44; at++) {
			struct file copy = file;

			copy.bytes[at] = 0xff;
			assert_null(parse_bytes(copy.bytes, copy.length));
		}
	}
}

/* Any changed byte gives an error or a usable zone. */
TEST(any_byte_may_be_wrong)
{
	struct made made = sound;
	struct file file;

	made.footer = "\nCET-1CEST,M3.5.0,M10.5.0/3\n";
	file = file_of(&made);
	for (size_t at = 0; at < file.length; at++) {
		for (unsigned value = 0; value < 256; value++) {
			struct file copy = file;
			struct zone *zone;

			copy.bytes[at] = (uint8_t)value;
			zone = parse_bytes(copy.bytes, copy.length);
			for (int64_t s = -6000000000; zone && s < 6000000000; s += 300000007)
				assert_in_range(zone_offset_s(zone, s) + 93600, 0, 2 * 93600);
			zone_destroy(zone);
		}
	}
}

TEST(a_file_of_the_system_can_be_cut_off_anywhere)
{
	uint8_t bytes[FILE_BYTES_MAX];
	int fd = open("/usr/share/zoneinfo/Europe/Zagreb", O_RDONLY | O_CLOEXEC);
	ssize_t size = read(fd, bytes, sizeof(bytes));
	struct zone *zone;

	close(fd);
	assert_true(size > 0);
	for (size_t length = 0; length < (size_t)size; length++)
		assert_null(parse_bytes(bytes, length));
	zone = parse_bytes(bytes, (size_t)size);
	assert_int_equal(zone_offset_s(zone, 1782864000), 7200);
	zone_destroy(zone);
}

RUN_TESTS(NULL, NULL)
