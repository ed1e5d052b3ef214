/* Addresses beside the C library's. (Networks are in http/client_address_test.c.) */
#include "text/address.h"
#include "text_test.h"

#include <arpa/inet.h>
#include <stdlib.h>

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

/* Parses as the C library does. */
static bool read_by_library(const char *text, struct address *ret_address)
{
	if (inet_pton(AF_INET6, text, ret_address->bytes) == 1)
		return true;
	memcpy(ret_address->bytes, mapped, sizeof(mapped));
	return inet_pton(AF_INET, text, ret_address->bytes + sizeof(mapped)) == 1;
}

static void assert_read_alike(const char *text)
{
	struct address found = {0}, expected = {0};
	bool is_address = read_by_library(text, &expected);

	if (address_read(str_from(text), &found) != is_address)
		fail_msg("\"%s\" is %san address", text, is_address ? "" : "not ");
	if (is_address)
		assert_memory_equal(found.bytes, expected.bytes, sizeof(found.bytes));
}

TEST(chosen_addresses)
{
	static const char *const texts[] = {"0.0.0.0",
					    "255.255.255.255",
					    "1.2.3.4",
					    "1.2.3",
					    "1.2.3.4.5",
					    "1.2.3.",
					    ".1.2.3",
					    "1..2.3",
					    "256.1.1.1",
					    "1.1.1.256",
					    "01.2.3.4",
					    "1.2.3.04",
					    "1.2.3.00",
					    "0001.2.3.4",
					    "1.2.3.4 ",
					    " 1.2.3.4",
					    "1.2.3.x",
					    "1,2,3,4",
					    "99999999999.1.1",
					    "1.2.3.4:5",
					    "",
					    ".",
					    "...",
					    "-1.2.3.4",
					    "::",
					    "::1",
					    "::1.2.3.4",
					    "2001:db8::",
					    "1::2::3",
					    ":",
					    "::ffff:1.2.3.4",
					    "::ffff:1.2.3",
					    "+1.2.3.4",
					    "1.2.3.0x4",
					    "1.2.3.4.",
					    "1000.1.1.1"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_read_alike(texts[i]);
}

TEST(random_texts)
{
	static const char characters[] = "0123456789.....";
	char text[20];

	srandom(1);
	for (int i = 0; i < 200000; i++) {
		size_t length = 7 + (size_t)random() % 9;

		for (size_t at = 0; at < length; at++)
			text[at] = characters[(size_t)random() % (sizeof(characters) - 1)];
		text[length] = '\0';
		assert_read_alike(text);
	}
}

TEST(what_is_written_is_read)
{
	struct address address, read;
	char text[ADDRESS_TEXT_BYTES], expected[ADDRESS_TEXT_BYTES];

	srandom(1);
	memcpy(address.bytes, mapped, sizeof(mapped));
	for (int i = 0; i < 10000; i++) {
		for (int byte = 12; byte < 16; byte++)
			address.bytes[byte] = (uint8_t)(random() % (i % 2 ? 256 : 12));
		address_write(&address, text);
		inet_ntop(AF_INET, address.bytes + 12, expected, sizeof(expected));
		assert_string_equal(text, expected);
		assert_true(address_read(str_from(text), &read));
		assert_memory_equal(read.bytes, address.bytes, sizeof(read.bytes));
	}
	assert_true(address_read(STR("2001:DB8:0::1"), &address));
	address_write(&address, text);
	assert_string_equal(text, "2001:db8::1");
}

TEST(subscribers)
{
	static const char *const cut[][2] = {
	    {"192.0.2.1", "192.0.2.1"},
	    {"::ffff:192.0.2.1", "192.0.2.1"},
	    {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"},
	    {"::1", "::"},
	};
	struct address address;
	char text[ADDRESS_TEXT_BYTES];

	for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
		assert_true(address_read(str_from(cut[i][0]), &address));
		address_cut_to_subscriber(&address);
		address_write(&address, text);
		assert_string_equal(text, cut[i][1]);
	}
}

TEST(networks_of_addresses)
{
	static const char *const cut[][2] = {
	    {"192.0.2.1", "192.0.2.0"},
	    {"::ffff:192.0.2.255", "192.0.2.0"},
	    {"2001:db8:1:2:3:4:5:6", "2001:db8:1::"},
	    {"::1", "::"},
	};
	struct address address;
	char text[ADDRESS_TEXT_BYTES];

	for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
		assert_true(address_read(str_from(cut[i][0]), &address));
		address_cut_to_network(&address);
		address_write(&address, text);
		assert_string_equal(text, cut[i][1]);
	}
}

RUN_TESTS(NULL, NULL)
