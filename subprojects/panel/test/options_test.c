#include "options.h"
#include "test.h"

struct good {
	const char *text;
	bool key_in_url;
	bool is_websocket, is_tls;
	const char *host;
	unsigned port;
	const char *authority, *target, *bearer, *shown;
};

static const struct good good[] = {
    {"ws://h/d/1/ws?key=K", false, true, false, "h", 80, "h", "/d/1/ws", "K", "ws://h/d/1/ws"},
    {"ws://h/d/1/ws?key=K", true, true, false, "h", 80, "h", "/d/1/ws?key=K", "", "ws://h/d/1/ws"},
    {"wss://h.example:8443/x?a=1&key=K&b=2", false, true, true, "h.example", 8443, "h.example:8443",
     "/x?a=1&b=2", "K", "wss://h.example:8443/x?a=1&b=2"},
    {"http://[::1]:81", false, false, false, "::1", 81, "[::1]:81", "/", "", "http://[::1]:81/"},
    {"https://[::1]?key=", false, false, true, "::1", 443, "[::1]", "/", "", "https://[::1]/"},
    {"http://h:80/?monkey=1", false, false, false, "h", 80, "h", "/?monkey=1", "",
     "http://h/?monkey=1"},
    {"https://h:080/a", false, false, true, "h", 80, "h:80", "/a", "", "https://h:80/a"},
};

TEST(test_good)
{
	for (size_t i = 0; i < array_length(good); i++) {
		const struct good *g = &good[i];
		struct link_config link;

		assert_null(panel_options_parse_url(g->text, g->key_in_url, &link));
		assert_int_equal(link.url.is_websocket, g->is_websocket);
		assert_int_equal(link.url.is_tls, g->is_tls);
		assert_string_equal(link.url.host, g->host);
		assert_int_equal(link.url.port, g->port);
		assert_string_equal(link.url.authority, g->authority);
		assert_string_equal(link.target, g->target);
		assert_string_equal(link.bearer, g->bearer);
		assert_string_equal(link.shown, g->shown);
	}
}

TEST(test_bad)
{
	static const char *const bad[] = {
	    "",		  "h/d/1",	     "ftp://h/",	"ws://",
	    "ws:///d",	  "ws://h:0/",	     "ws://h:65536/",	"ws://h:/",
	    "ws://h:x/",  "ws://[::1/",	     "ws://[::1]x/",	"ws://a@h/",
	    "ws://h/a b", "ws://h/\r\nX: y", "ws://h/\xc3\xa4", "ws://h/#x",
	    "ws://[]/",
	};
	struct link_config link;

	for (size_t i = 0; i < array_length(bad); i++)
		assert_non_null(panel_options_parse_url(bad[i], false, &link));
}

TEST(test_length)
{
	char text[4096];
	struct link_config link;

	for (size_t length = 20; length < sizeof(text) - 1; length += 13) {
		memset(text, 'a', length);
		memcpy(text, "ws://h/?key=", 12);
		text[length] = '\0';
		assert_true((panel_options_parse_url(text, false, &link) == NULL) ==
			    (length < 1500));
		memcpy(text, "ws://hhhhhhhh", 12);
		assert_true((panel_options_parse_url(text, false, &link) == NULL) ==
			    (length < 261));
	}
}

RUN_TESTS(NULL, NULL)
