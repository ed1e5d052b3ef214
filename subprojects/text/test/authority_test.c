#include "text/authority.h"
#include "text_test.h"

TEST(hosts_and_ports)
{
	static const struct {
		const char *text, *host;
		uint16_t port;
		bool has_brackets;
	} good[] = {
	    {"a", "a", 0, false},
	    {"a:1", "a", 1, false},
	    {"a.b:65535", "a.b", 65535, false},
	    {"[::1]", "::1", 0, true},
	    {"[::1]:80", "::1", 80, true},
	};

	for (size_t i = 0; i < array_length(good); i++) {
		struct authority authority;

		assert_int_equal(authority_read(str_from(good[i].text), &authority),
				 AUTHORITY_FINE);
		assert_true(str_equal(authority.host, str_from(good[i].host)));
		assert_int_equal(authority.port, good[i].port);
		assert_int_equal(authority.has_brackets, good[i].has_brackets);
	}
}

TEST(faults)
{
	static const struct {
		const char *text;
		enum authority_fault fault;
	} bad[] = {
	    {"", AUTHORITY_NO_HOST},
	    {":1", AUTHORITY_NO_HOST},
	    {"[]", AUTHORITY_NO_HOST},
	    {"::1", AUTHORITY_NO_HOST},
	    {"[", AUTHORITY_OPEN},
	    {"[::1", AUTHORITY_OPEN},
	    {"[::1]a", AUTHORITY_MALFORMED},
	    {"[::1]80", AUTHORITY_MALFORMED},
	    {"a:", AUTHORITY_BAD_PORT},
	    {"a:0", AUTHORITY_BAD_PORT},
	    {"a:65536", AUTHORITY_BAD_PORT},
	    {"a:+1", AUTHORITY_BAD_PORT},
	    {"a:1a", AUTHORITY_BAD_PORT},
	    {"a:1:2", AUTHORITY_BAD_PORT},
	    {"a:18446744073709551617", AUTHORITY_BAD_PORT},
	};
	struct authority authority;

	assert_int_equal(authority_read((struct str){0}, &authority), AUTHORITY_NO_HOST);
	for (size_t i = 0; i < array_length(bad); i++)
		if (authority_read(str_from(bad[i].text), &authority) != bad[i].fault)
			fail_msg("%s", bad[i].text);
}

RUN_TESTS(NULL, NULL)
