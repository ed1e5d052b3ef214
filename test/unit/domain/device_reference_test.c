#include "../cmocka_test.h"
#include "base/memory.h"
#include "domain/device_reference.h"

static const struct {
	const char *text;
	enum device_reference_kind kind;
} forms[] = {
    {"0190163d-8694-739b-aea5-966c26f8ad91", DEVICE_REFERENCE_ID},
    {"0190163D-8694-739B-AEA5-966C26F8AD91", DEVICE_REFERENCE_ID},
    {"00000000-0000-0000-0000-000000000000", DEVICE_REFERENCE_ID},
    {"0190163d8694739baea5966c26f8ad91", DEVICE_REFERENCE_SERIAL}, /* 32 letters and digits */
    {"0190163d-8694-739b-aea5-966c26f8ad9", DEVICE_REFERENCE_NONE},
    {"0190163d-8694-739b-aea5-966c26f8ad9g", DEVICE_REFERENCE_NONE},
    {"a4:cf:12:ef:00:01", DEVICE_REFERENCE_MAC},
    {"A4:CF:12:EF:00:01", DEVICE_REFERENCE_MAC},
    {"a4-cf-12-ef-00-01", DEVICE_REFERENCE_MAC},
    {"A4-cf-12-EF-00-01", DEVICE_REFERENCE_MAC},
    {"a4cf12ef0001", DEVICE_REFERENCE_MAC},
    {"123456789012", DEVICE_REFERENCE_MAC},
    {"a4:cf-12:ef-00:01", DEVICE_REFERENCE_NONE},
    {"a4:cf:12:ef:00:0", DEVICE_REFERENCE_NONE},
    {"a4:cf:12:ef:00:0g", DEVICE_REFERENCE_NONE},
    {"a4.cf.12.ef.00.01", DEVICE_REFERENCE_NONE},
    {":a4cf12ef:0001:::", DEVICE_REFERENCE_NONE},
    {"a4-cf-12-ef-00-0g", DEVICE_REFERENCE_SERIAL}, /* not a MAC address, but letters and dashes */
    {"a4cf-12ef-0001", DEVICE_REFERENCE_SERIAL},
    {"a4cf12ef000", DEVICE_REFERENCE_SERIAL},
    {"a4cf12ef00011", DEVICE_REFERENCE_SERIAL},
    {"a4cf12ef000g", DEVICE_REFERENCE_SERIAL},
    {"1", DEVICE_REFERENCE_SERIAL},
    {"-", DEVICE_REFERENCE_SERIAL},
    {"_", DEVICE_REFERENCE_SERIAL},
    {"SN-0001_a", DEVICE_REFERENCE_SERIAL},
    {"abcdefghijklmnopqrstuvwxyz012345", DEVICE_REFERENCE_SERIAL},
    {"abcdefghijklmnopqrstuvwxyz0123456", DEVICE_REFERENCE_NONE},
    {"", DEVICE_REFERENCE_NONE},
    {" ", DEVICE_REFERENCE_NONE},
    {"a b", DEVICE_REFERENCE_NONE},
    {"a.b", DEVICE_REFERENCE_NONE},
    {"\xc3\xa9", DEVICE_REFERENCE_NONE},
};

TEST(forms_are_told_apart)
{
	for (size_t i = 0; i < array_length(forms); i++) {
		struct str text = str_from(forms[i].text);
		struct device_reference reference = device_reference_parse(text);

		if (reference.kind != forms[i].kind)
			fail_msg("\"%s\" is of kind %d", forms[i].text, (int)reference.kind);
		assert_int_equal(serial_is_valid(text), forms[i].kind == DEVICE_REFERENCE_SERIAL);
		if (reference.kind == DEVICE_REFERENCE_SERIAL)
			assert_true(str_equal(reference.serial, text));
	}
}

TEST(serial_takes_letters_digits_dash_underscore)
{
	for (int c = 0; c < 256; c++) {
		char text[] = {'x', (char)c, 'y'};
		bool expected = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
				(c >= 'a' && c <= 'z') || c == '-' || c == '_';

		assert_int_equal(serial_is_valid((struct str){text, 3}), expected);
	}
	assert_false(serial_is_valid((struct str){0}));
}

TEST(all_spellings_are_one_address)
{
	static const char *const spellings[] = {
	    "a4:cf:12:ef:00:01", "A4:CF:12:EF:00:01", "a4-cf-12-ef-00-01",
	    "A4-CF-12-EF-00-01", "a4cf12ef0001",      "A4CF12EF0001",
	};

	for (size_t i = 0; i < array_length(spellings); i++) {
		uint8_t mac[MAC_BYTES];
		char text[MAC_TEXT_LENGTH + 1];

		assert_true(mac_parse(str_from(spellings[i]), mac));
		assert_memory_equal(mac, "\xa4\xcf\x12\xef\x00\x01", MAC_BYTES);
		mac_format(mac, text);
		assert_string_equal(text, spellings[0]);
	}
}

TEST(refused_addresses_leave_the_output)
{
	uint8_t mac[MAC_BYTES] = {1, 2, 3, 4, 5, 6};

	assert_false(mac_parse(STR("a4:cf:12:ef:00:0x"), mac));
	assert_false(mac_parse(STR("a4cf12ef000x"), mac));
	assert_memory_equal(mac, "\1\2\3\4\5\6", MAC_BYTES);
}

RUN_TESTS(NULL, NULL)
