/* Tests client addresses from headers of proxies, honest and forged ones. */
#include "../cmocka_test.h"
#include "http/client_address.h"

static struct http_proxies proxies;

static void trust(const char *text)
{
	assert_true(network_read(text, &proxies.networks[proxies.count++]));
}

static int set_up(void **state)
{
	(void)state;
	proxies.count = 0;
	trust("10.0.0.0/8");
	trust("2001:db8::/32");
	trust("192.0.2.7");
	return 0;
}

/* Fields of the form "x: ..." (X-Forwarded-For) and "f: ..." (Forwarded), each in a line. */
static void assert_address(const char *peer, const char *lines, const char *expected)
{
	struct http_field fields[8];
	struct http_request request = {.fields = fields};
	struct str rest = str_from(lines), line, address;

	while (lines[0] && str_next(&rest, '\n', &line)) {
		fields[request.field_count].name =
		    line.data[0] == 'x' ? STR("X-Forwarded-For") : STR("forwarded");
		fields[request.field_count++].value = str_from_offset(line, 3);
	}
	address = str_from(peer);
	if (http_proxies_have_peer(&proxies, address))
		address = http_client_address(&proxies, address, &request);
	if (!str_equal(address, str_from(expected)))
		fail_msg("%s, %s: %.*s, not %s", peer, lines, STR_ARG(address), expected);
	arena_finish(&request.arena);
}

TEST(networks)
{
	static const char *const good[] = {"unix",	 "0.0.0.0/0",	 "::/0",
					   "127.0.0.1",	 "::1",		 "::1/128",
					   "10.0.0.0/8", "10.128.0.0/9", "::ffff:10.0.0.0/104"};
	static const char *const bad[] = {
	    "",		  "/",	       "x",	      "unix/1",	      "10.0.0.0/33",
	    "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0/8",
	    "::/129",	  "[::1]",     "::1/127",     "10.0.0.0 /8",  "10.64.0.0/9"};
	struct network network;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(network_read(good[i], &network));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(network_read(bad[i], &network));
}

TEST_IN(only_proxies_are_believed, set_up, NULL)
{
	assert_address("10.1.2.3", "", "10.1.2.3");
	assert_address("10.1.2.3", "x: 1.2.3.4", "1.2.3.4");
	assert_address("11.1.2.3", "x: 1.2.3.4", "11.1.2.3");
	assert_address("192.0.2.7", "x: 1.2.3.4", "1.2.3.4");
	assert_address("192.0.2.6", "x: 1.2.3.4", "192.0.2.6");
	assert_address("2001:db8::1", "f: for=1.2.3.4", "1.2.3.4");
	assert_address("2001:db9::1", "f: for=1.2.3.4", "2001:db9::1");
	assert_address("unix", "x: 1.2.3.4", "unix");
	assert_address("unknown", "x: 1.2.3.4", "unknown");
	trust("unix");
	assert_address("unix", "x: 1.2.3.4", "1.2.3.4");
	proxies.count = 0;
	assert_address("10.1.2.3", "x: 1.2.3.4", "10.1.2.3");
}

TEST_IN(the_last_that_is_no_proxy_counts, set_up, NULL)
{
	assert_address("10.0.0.1", "x: 9.9.9.9, 1.2.3.4", "1.2.3.4");
	assert_address("10.0.0.1", "x: 9.9.9.9, 1.2.3.4, 10.0.0.2", "1.2.3.4");
	assert_address("10.0.0.1", "x: 9.9.9.9\nx: 1.2.3.4,10.0.0.2\nx: 2001:db8::5", "1.2.3.4");
	assert_address("10.0.0.1", "x: 10.0.0.3, 10.0.0.2", "10.0.0.3");
	assert_address("10.0.0.1", "f: for=9.9.9.9, for=1.2.3.4;proto=http;by=10.0.0.1", "1.2.3.4");
	assert_address("10.0.0.1", "f: for=9.9.9.9\nf: by=x;For=1.2.3.4", "1.2.3.4");
}

TEST_IN(forms_of_addresses, set_up, NULL)
{
	assert_address("10.0.0.1", "x: 1.2.3.4:567", "1.2.3.4");
	assert_address("10.0.0.1", "x: 2001:DB9::0:1", "2001:db9::1");
	assert_address("10.0.0.1", "x: [2001:db9::1]:99", "2001:db9::1");
	assert_address("10.0.0.1", "x: ::ffff:1.2.3.4", "1.2.3.4");
	assert_address("10.0.0.1", "x: 5.6.7.8, ::ffff:10.0.0.9", "5.6.7.8");
	assert_address("10.0.0.1", "f: for=\"[2001:db9::1]:99\"", "2001:db9::1");
	assert_address("10.0.0.1", "f: for=\"1.2.3.4:99\" ; proto=\"a,b;for=9.9.9.9\"", "1.2.3.4");
}

/* Entries before an invalid address are not trusted. */
TEST_IN(what_is_no_address, set_up, NULL)
{
	static const char *const nodes[] = {
	    "unknown",
	    "_hidden",
	    "",
	    "1.2.3",
	    "1.2.3.4.5",
	    "1.2.3.4:",
	    "1.2.3.4:65536",
	    "1.2.3.4:x",
	    "[1.2.3.4]",
	    "[::1",
	    "::1]",
	    "[::1]x",
	    "1.2.3.4 5.6.7.8",
	    "\"1.2.3.4\"",
	    "1.2.3.04x",
	    "999.1.1.1",
	    "0x7f.1",
	    "2001:db9::1%eth0",
	    "localhost",
	    "1111:2222:3333:4444:5555:6666:7777:8888:9999:1111:2222:3333"};
	char text[200];

	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		snprintf(text, sizeof(text), "x: 9.9.9.9, %s", nodes[i]);
		assert_address("10.0.0.1", text, "10.0.0.1");
		snprintf(text, sizeof(text), "x: 9.9.9.9, %s, 10.0.0.2", nodes[i]);
		assert_address("10.0.0.1", text, "10.0.0.2");
	}
	assert_address("10.0.0.1", "f: for=9.9.9.9, proto=http", "10.0.0.1");
	assert_address("10.0.0.1", "f: for=9.9.9.9, for=1.2.3.4;for=5.6.7.8", "10.0.0.1");
	assert_address("10.0.0.1", "f: for=9.9.9.9, for=\"1.2.3.4", "10.0.0.1");
	assert_address("10.0.0.1", "f: for=9.9.9.9, \"for=1.2.3.4\"", "10.0.0.1");
	assert_address("10.0.0.1", "f: \"\\", "10.0.0.1");
	/* A quote left open by the client includes the text that proxies add. */
	assert_address("10.0.0.1", "f: for=9.9.9.9;x=\", for=1.2.3.4", "10.0.0.1");
	assert_address("10.0.0.1", "f: for=9.9.9.9;x=\", for=\"[2001:db9::1]:99\"", "10.0.0.1");
	assert_address("10.0.0.1", "f: for=9.9.9.9;x=\"\\, for=\"1.2.3.4:99\"", "10.0.0.1");
	assert_address("10.0.0.1", "f: for=9.9.9.9;x=\"\nf: for=1.2.3.4", "1.2.3.4");
	assert_address("10.0.0.1", "f: for", "10.0.0.1");
}

/* A client's own field passes a proxy that writes the other one. */
TEST_IN(two_fields_must_agree, set_up, NULL)
{
	assert_address("10.0.0.1", "x: 1.2.3.4\nf: for=9.9.9.9", "10.0.0.1");
	assert_address("10.0.0.1", "x: 9.9.9.9\nf: for=1.2.3.4", "10.0.0.1");
	assert_address("10.0.0.1", "x: 1.2.3.4\nf: for=unknown", "10.0.0.1");
	assert_address("10.0.0.1", "f: for=1.2.3.4\nx: 9.9.9.9, 1.2.3.4", "1.2.3.4");
}

int main(void)
{
	int failed = run_all_tests(NULL, NULL);

	arena_drop_cache();
	return failed;
}
