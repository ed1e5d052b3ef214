#include "message.h"
#include "test.h"

static struct message parse(const char *text)
{
	struct message message;

	assert_true(message_parse(text, strlen(text), &message));
	return message;
}

TEST(test_members)
{
	struct message m =
	    parse("{\"immediate\":true,\"dwell_secs\":15,\"brightness\":0,"
		  "\"reboot\":true,\"image_url\":\"u\",\"ota_url\":\"o\",\"x\":[1]}");

	assert_true(m.immediate && m.reboot);
	assert_int_equal(m.dwell_s, 15);
	assert_int_equal(m.brightness, 0);
	assert_string_equal(m.image_url, "u");
	assert_string_equal(m.ota_url, "o");
}

TEST(test_what_is_not_named)
{
	static const char *const texts[] = {
	    "{}",
	    "{\"immediate\":1,\"reboot\":\"true\",\"dwell_secs\":\"5\"}",
	    "{\"brightness\":null,\"image_url\":3,\"ota_url\":{}}",
	    "{\"immediate\":false,\"reboot\":false}",
	};

	for (size_t i = 0; i < array_length(texts); i++) {
		struct message m = parse(texts[i]);

		assert_false(m.immediate || m.reboot);
		assert_int_equal(m.dwell_s, 0);
		assert_int_equal(m.brightness, -1);
		assert_string_equal(m.image_url, "");
		assert_string_equal(m.ota_url, "");
	}
}

TEST(test_numbers_are_moved_into_range)
{
	assert_int_equal(parse("{\"dwell_secs\":0}").dwell_s, 1);
	assert_int_equal(parse("{\"dwell_secs\":-1e300}").dwell_s, 1);
	assert_int_equal(parse("{\"dwell_secs\":1e300}").dwell_s, 3600);
	assert_int_equal(parse("{\"dwell_secs\":7.9}").dwell_s, 7);
	assert_int_equal(parse("{\"brightness\":-1}").brightness, 0);
	assert_int_equal(parse("{\"brightness\":101}").brightness, 100);
	assert_int_equal(parse("{\"brightness\":18446744073709551615}").brightness, 100);
}

TEST(test_no_object)
{
	static const char *const texts[] = {"", "[]", "1", "{", "{}x", "null", "{\"a\":}"};
	struct message message;

	for (size_t i = 0; i < array_length(texts); i++)
		assert_false(message_parse(texts[i], strlen(texts[i]), &message));
	assert_false(message_parse(NULL, 0, &message));
	assert_false(message_parse("{\"image_url\":\"\xff\"}", 17, &message));
}

TEST(test_client_info)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	message_client_info("1.6.6", "02:00:00:00:00:01", "ws://h/\"\\", file);
	fclose(file);
	assert_string_equal(text,
			    "{\"client_info\":{\"firmware_version\":\"1.6.6\","
			    "\"firmware_type\":\"displayctl\",\"protocol_version\":1,"
			    "\"mac\":\"02:00:00:00:00:01\",\"ssid\":\"\","
			    "\"hostname\":\"displayctl-panel\",\"image_url\":\"ws://h/\\\"\\\\\","
			    "\"swap_colors\":false,\"wifi_power_save\":0,"
			    "\"skip_display_version\":true,\"ap_mode\":false,"
			    "\"prefer_ipv6\":false}}");
	free(text);
}

RUN_TESTS(NULL, NULL)
