/* Tests the parts of a client's hello that decide which thread computes the handshake. */
#include "../cmocka_test.h"
#include "base/buffer.h"
#include "http/tls_hello.h"

#include <stdbool.h>

enum { TICKET = 35, SUPPORTED_VERSIONS = 43, SERVER_NAME = 0, HELLO_MAX = 512 };

static struct buffer extensions, hello;

static void put(struct buffer *to, uint32_t number, unsigned bytes)
{
	while (bytes-- > 0)
		buffer_append(to, &(char){(char)(number >> (8 * bytes))}, 1);
}

static void put_vector(struct buffer *to, struct str data, unsigned length_bytes)
{
	put(to, (uint32_t)data.length, length_bytes);
	buffer_append_str(to, data);
}

static void extend(unsigned type, struct str value)
{
	put(&extensions, type, 2);
	put_vector(&extensions, value, 2);
}

/* Puts the extensions so far into a hello in a record. */
static struct str finish_hello(bool has_extensions)
{
	static const char random[32];
	struct buffer body = {0}, message = {0};

	put(&body, 0x0303, 2);
	buffer_append(&body, random, sizeof(random));
	put_vector(&body, STR("a session's name"), 1);
	put_vector(&body, (struct str){"\x13\x01\xc0\x2b", 4}, 2);
	put_vector(&body, (struct str){"\0", 1}, 1);
	if (has_extensions)
		put_vector(&body, buffer_view(&extensions), 2);
	put(&message, 1, 1);
	put_vector(&message, buffer_view(&body), 3);
	buffer_finish(&hello);
	put(&hello, 22, 1);
	put(&hello, 0x0301, 2);
	put_vector(&hello, buffer_view(&message), 2);
	buffer_finish(&body);
	buffer_finish(&message);
	return buffer_view(&hello);
}

static int forget(void **state)
{
	(void)state;
	buffer_finish(&extensions);
	buffer_finish(&hello);
	return 0;
}

static struct tls_hello read_hello(struct str data)
{
	struct tls_hello found;

	assert_true(tls_hello_read(data, &found));
	return found;
}

TEST_IN(a_hello_without_extensions, NULL, forget)
{
	struct tls_hello found = read_hello(finish_hello(false));

	assert_false(found.offers_tls13);
	assert_int_equal(found.ticket.length, 0);
	found = read_hello(finish_hello(true));
	assert_false(found.offers_tls13);
}

TEST_IN(a_ticket_of_tls12, NULL, forget)
{
	struct tls_hello found;

	extend(SERVER_NAME, STR("name"));
	extend(TICKET, STR("the ticket"));
	extend(0x1234, STR(""));
	found = read_hello(finish_hello(true));
	assert_true(str_equal(found.ticket, STR("the ticket")));
	assert_false(found.offers_tls13);
}

TEST_IN(an_empty_ticket_is_none, NULL, forget)
{
	extend(TICKET, STR(""));
	assert_int_equal(read_hello(finish_hello(true)).ticket.length, 0);
}

TEST_IN(versions, NULL, forget)
{
	static const struct {
		struct str list;
		bool has_tls13;
	} cases[] = {
	    {{"\x02\x03\x04", 3}, true},
	    {{"\x02\x03\x03", 3}, false},
	    {{"\x04\x03\x03\x03\x04", 5}, true},
	    {{"\x06\x7f\x12\x03\x04\x03\x03", 7}, true},
	    {{"\x03\x03\x03\x03", 4}, false},
	    {{"\x00", 1}, false},
	    {{"", 0}, false},
	    {{"\x09\x03\x04", 3}, false}, /* mbedTLS rejects it */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		extend(SUPPORTED_VERSIONS, cases[i].list);
		assert_int_equal(read_hello(finish_hello(true)).offers_tls13, cases[i].has_tls13);
		buffer_finish(&extensions);
	}
}

/* mbedTLS may use either of them, so a possible handshake of TLS 1.3 costs a job. */
TEST_IN(one_of_two_lists_of_versions_suffices, NULL, forget)
{
	const struct str with = {"\x02\x03\x04", 3}, without = {"\x02\x03\x03", 3};

	extend(SUPPORTED_VERSIONS, with);
	extend(TICKET, STR("the ticket"));
	extend(SUPPORTED_VERSIONS, without);
	assert_true(read_hello(finish_hello(true)).offers_tls13);
	buffer_finish(&extensions);
	extend(SUPPORTED_VERSIONS, without);
	extend(SUPPORTED_VERSIONS, with);
	assert_true(read_hello(finish_hello(true)).offers_tls13);
}

static struct tls_hello ignored;

TEST_IN(a_hello_that_is_cut_off_is_none, NULL, forget)
{
	size_t without_extensions = finish_hello(false).length;
	struct str whole;

	extend(TICKET, STR("the ticket"));
	whole = finish_hello(true);
	for (size_t length = 0; length < whole.length; length++) {
		char copy[HELLO_MAX];

		/* Its records' and messages' lengths stay, and then follow it. */
		assert_false(tls_hello_read((struct str){whole.data, length}, &ignored));
		memcpy(copy, whole.data, length);
		if (length >= 9) {
			copy[4] = (char)(length - 5);
			assert_false(tls_hello_read((struct str){copy, length}, &ignored));
			copy[8] = (char)(length - 9);
			/* Only the part before the extensions is a valid hello as well. */
			if (tls_hello_read((struct str){copy, length}, &ignored))
				assert_int_equal(length, without_extensions);
		}
	}
}

/* A start that is not a hello in a single record may be anything. */
TEST_IN(what_else_begins_a_connection_is_none, NULL, forget)
{
	char copy[HELLO_MAX];
	struct str whole;

	whole = finish_hello(true);
	memcpy(copy, whole.data, whole.length);
	copy[0] = 23; /* data */
	assert_false(tls_hello_read((struct str){copy, whole.length}, &ignored));
	copy[0] = 22;
	copy[5] = 2; /* a server's hello */
	assert_false(tls_hello_read((struct str){copy, whole.length}, &ignored));
	copy[5] = 1;
	copy[4]++; /* further data in its record */
	copy[whole.length] = 0;
	assert_false(tls_hello_read((struct str){copy, whole.length + 1}, &ignored));
	assert_false(tls_hello_read(STR("GET / HTTP/1.1\r\n\r\n"), &ignored));
}

static size_t whole_of(const char *data, size_t length)
{
	return tls_records_length((struct str){data, length});
}

TEST_IN(records_are_whole_or_wait, NULL, forget)
{
	static const char two[] = "\x16\x03\x01\0\x03"
				  "abc"
				  "\x17\x03\x03\0\x01"
				  "d";

	for (size_t length = 0; length < sizeof(two); length++)
		assert_int_equal(whole_of(two, length), length < 8 ? 0 : length < 14 ? 8 : 14);
	assert_int_equal(whole_of("\x16\x03\x01\0\0", 5), 5);
}

TEST_IN(what_is_no_record_does_not_wait, NULL, forget)
{
	assert_int_equal(whole_of("GET / HTTP/1.1", 14), 14);
	assert_int_equal(whole_of("\x16\x02\x01\0\x09", 5), 5);
	assert_int_equal(whole_of("\x13\x03\x01\0\x09", 5), 5);
	assert_int_equal(whole_of("\x18\x03\x01\0\x09", 5), 5);
	assert_int_equal(whole_of("\x17\x03\x01\x41\x00", 5), 0); /* 16 KiB and 256 bytes */
	assert_int_equal(whole_of("\x17\x03\x01\x41\x01", 5), 5);
	/* Also after a whole one. */
	assert_int_equal(whole_of("\x16\x03\x01\0\x01x\x80\x03\x01\0\x09", 11), 11);
}

TEST_IN(a_message_is_whole_or_more_is_awaited, NULL, forget)
{
	struct str record = finish_hello(false);
	struct buffer many = {0};

	assert_true(tls_message_is_whole(record));
	/* A byte in each record. */
	for (size_t i = TLS_RECORD_HEAD_BYTES; i < record.length; i++) {
		assert_int_equal(tls_message_is_whole(buffer_view(&many)), false);
		put(&many, 22, 1);
		put(&many, 0x0301, 2);
		put_vector(&many, (struct str){record.data + i, 1}, 2);
	}
	assert_true(tls_message_is_whole(buffer_view(&many)));
	buffer_finish(&many);
}

/* Returns records with this many bytes of a message each, and a record after them. */
static struct buffer split(struct str record, size_t size)
{
	struct buffer many = {0};

	for (size_t i = TLS_RECORD_HEAD_BYTES; i < record.length; i += size) {
		size_t left = record.length - i;

		put(&many, 22, 1);
		put(&many, 0x0301, 2);
		put_vector(&many, (struct str){record.data + i, left < size ? left : size}, 2);
	}
	buffer_append_str(&many, (struct str){"\x14\x03\x03\0\1\1\x16\x03", 8});
	return many;
}

TEST_IN(small_records_are_joined, NULL, forget)
{
	struct str record = finish_hello(false);

	for (size_t size = 1; size <= 5; size++) {
		struct buffer many = split(record, size), joined = {0};
		struct str found;

		assert_int_equal(tls_message_join(buffer_view(&many), &joined), size < 4);
		found = buffer_view(&joined);
		if (size < 4) {
			assert_true(str_equal((struct str){found.data, record.length}, record));
			assert_int_equal(found.length, record.length + 8);
		} else {
			assert_int_equal(found.length, 0);
		}
		buffer_finish(&many);
		buffer_finish(&joined);
	}
}

TEST_IN(only_a_whole_message_is_joined, NULL, forget)
{
	static const struct str not_whole[] = {
	    {"", 0},
	    {"\x16\x03\x01\0\0", 5},
	    {"\x16\x03\x01\0\1\1", 6},
	    {"\x15\x03\x01\0\2\1\x70", 7},
	    {"\x16\x03\x01\0\1\1\x15\x03\x01\0\2\1\x70", 13},
	    {"\x16\x03\x01\0\1\1\x16\x03\x01\0\3\1\0\0", 14}, /* 64 KiB */
	    {"\x16\x03\x01\0\1\1GET / HTTP/1.1", 20},
	};
	static const char zeroes[16 * 1024 - 3];
	struct buffer joined = {0}, large = {0};

	for (size_t i = 0; i < sizeof(not_whole) / sizeof(not_whole[0]); i++)
		assert_false(tls_message_join(not_whole[i], &joined));
	/* The data after the message would exceed the size of its last record. */
	buffer_append(&large, "\x16\x03\x01\0\1\1\x16\x03\x01\x40\0\0\0\1", 14);
	buffer_append(&large, zeroes, sizeof(zeroes));
	assert_false(tls_message_join(buffer_view(&large), &joined));
	assert_int_equal(buffer_length(&joined), 0);
	buffer_finish(&large);
}

TEST_IN(what_is_no_message_is_not_awaited, NULL, forget)
{
	static const struct str whole[] = {
	    {"\x16\x03\x01\0\0", 5},			      /* nothing in it */
	    {"\x15\x03\x01\0\2\1\x70", 7},		      /* an alert */
	    {"\x16\x03\x01\0\1\1\x15\x03\x01\0\2\1\x70", 13}, /* and one after a part */
	    {"\x16\x03\x01\0\5\1\x01\0\0\1", 10},	      /* too long a message */
	    {"GET / HTTP/1.1\r\n", 16},
	};

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		assert_true(tls_message_is_whole(whole[i]));
	assert_false(tls_message_is_whole((struct str){"\x16\x03\x01\0\5\1\0\0\2\1", 10}));
	assert_false(tls_message_is_whole((struct str){0}));
}

TEST_IN(kinds_of_records, NULL, forget)
{
	struct str two = {"\x16\x03\x01\0\1\1\x14\x03\x01\0\1\1", 12};
	struct str cut = {two.data, 8};

	assert_true(tls_records_have(two, TLS_RECORD_CHANGE));
	assert_true(tls_records_have(cut, TLS_RECORD_CHANGE));
	assert_true(tls_records_have(two, TLS_RECORD_HANDSHAKE));
	assert_false(tls_records_have(two, TLS_RECORD_DATA));
	assert_false(tls_records_have((struct str){0}, TLS_RECORD_DATA));
}

RUN_TESTS(NULL, NULL)
