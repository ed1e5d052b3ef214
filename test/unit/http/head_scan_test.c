#include "../cmocka_test.h"
#include "base/limits.h"
#include "http/head_scan.h"

#include <stdio.h>

/* Returns the status for the text, cut into pieces of this size; 1 for a complete head, 0 for an
 * incomplete one. */
static int scan_pieces(struct str text, size_t piece, size_t *ret_used, size_t *ret_skipped)
{
	struct head_scan scan = {0};
	size_t total = 0;

	*ret_skipped = 0;
	while (total < text.length) {
		size_t left = text.length - total;
		struct str data = {text.data + total, left < piece ? left : piece};
		size_t start;
		size_t used;
		struct http_protocol_error error = head_scan(&scan, data, &start, &used);

		assert_true(start <= used && used <= data.length);
		total += used;
		*ret_skipped += start;
		*ret_used = total;
		assert_int_equal(scan.length, total - *ret_skipped);
		if (error.kind)
			return error.kind->status;
		if (scan.is_complete)
			return 1;
	}
	return 0;
}

static int scan_text(struct str text)
{
	size_t used;
	size_t skipped;
	int status = scan_pieces(text, text.length, &used, &skipped);

	for (size_t piece = 1; piece < 8; piece++) {
		size_t used_again;
		size_t skipped_again;

		assert_int_equal(scan_pieces(text, piece, &used_again, &skipped_again), status);
		assert_int_equal(used_again, used);
		assert_int_equal(skipped_again, skipped);
	}
	return status;
}

TEST(good_heads)
{
	size_t used;
	size_t skipped;
	struct str text = STR("\r\nGET / HTTP/1.1\r\nHost: a\r\nX:\r\n\r\nPOST");

	assert_int_equal(scan_text(STR("GET / HTTP/1.0\r\n\r\n")), 1);
	assert_int_equal(scan_text(STR("GET / HTTP/1.1\r\nHost: a\r\n\r\n")), 1);
	assert_int_equal(scan_text(text), 1);
	assert_int_equal(scan_pieces(text, 1000, &used, &skipped), 1);
	assert_int_equal(used, text.length - 4);
	assert_int_equal(skipped, 2);
	assert_int_equal(scan_text(STR("GET / HTTP/1.1\r\nHost: a\r\n\r")), 0);
}

/* Tests every byte in every place: exactly the permitted ones are accepted. */
TEST(every_byte)
{
	static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (int c = 0; c < 256; c++) {
		char text[64];
		bool is_token_char = c && strchr(token, c);
		bool is_visible = c > 0x20 && c < 0x7f;
		bool is_value = is_visible || c == ' ' || c == '\t' || c >= 0x80;
		size_t length;

		length = (size_t)snprintf(text, sizeof(text), "G%cT / HTTP/1.1\r\n\r\n", c);
		text[1] = (char)c;
		assert_int_equal(scan_text((struct str){text, length}), is_token_char ? 1 : 400);
		length = (size_t)snprintf(text, sizeof(text), "GET /Xa HTTP/1.1\r\n\r\n");
		text[5] = (char)c;
		assert_int_equal(scan_text((struct str){text, length}),
				 is_visible && c != '#' ? 1 : 400);
		length = (size_t)snprintf(text, sizeof(text), "GET / HTTP/1.1\r\naXb: c\r\n\r\n");
		text[17] = (char)c;
		assert_int_equal(scan_text((struct str){text, length}),
				 is_token_char || c == ':' ? 1 : 400);
		length = (size_t)snprintf(text, sizeof(text), "GET / HTTP/1.1\r\na: bXc\r\n\r\n");
		text[20] = (char)c;
		assert_int_equal(scan_text((struct str){text, length}), is_value ? 1 : 400);
		/* The last of eight bytes that are checked together. */
		length = (size_t)snprintf(text, sizeof(text),
					  "GET / HTTP/1.1\r\na: bcdefgX and more\r\n\r\n");
		text[25] = (char)c;
		assert_int_equal(scan_text((struct str){text, length}), is_value ? 1 : 400);
		length = (size_t)snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nXa: c\r\n\r\n");
		text[16] = (char)c;
		assert_int_equal(scan_text((struct str){text, length}), is_token_char ? 1 : 400);
		length = (size_t)snprintf(text, sizeof(text), "GET / HTTP/1.X\r\n\r\n");
		text[13] = (char)c;
		assert_int_equal(scan_text((struct str){text, length}),
				 c >= '0' && c <= '9' ? 1 : 400);
		text[13] = '1';
		text[11] = (char)c;
		assert_int_equal(scan_text((struct str){text, length}), c == '1' ? 1
									: c >= '0' && c <= '9'
									    ? 505
									    : 400);
	}
}

/* No byte of the frame around them may differ. */
TEST(every_other_byte_of_the_frame)
{
	const struct str good = STR("GET / HTTP/1.1\r\na: b\r\n\r\n");
	const size_t places[] = {3, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 20, 21, 22, 23};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		for (int c = 0; c < 256; c++) {
			char text[32];
			int status;

			memcpy(text, good.data, good.length);
			text[places[i]] = (char)c;
			if (c == good.data[places[i]])
				continue;
			/* A longer target or value, or another field, is another valid head so far.
			 */
			status = scan_text((struct str){text, good.length});
			if (status == 400 || (status == 505 && places[i] == 11))
				continue;
			assert_true(places[i] == 3 || places[i] == 5 || places[i] == 20 ||
				    places[i] == 22);
		}
	}
}

TEST(limits)
{
	static char text[2 * LIMIT_REQUEST_HEAD_BYTES];
	size_t used;
	size_t skipped;

	memset(text, 'a', sizeof(text));
	memcpy(text, "GET /", 5);
	assert_int_equal(scan_pieces((struct str){text, sizeof(text)}, 1000, &used, &skipped), 414);
	assert_int_equal(used, 4 + LIMIT_REQUEST_TARGET_BYTES + 1);
	memcpy(text, "GET / HTTP/1.1\r\na:", 18);
	assert_int_equal(scan_pieces((struct str){text, sizeof(text)}, 1000, &used, &skipped), 431);
	assert_int_equal(used, LIMIT_REQUEST_HEAD_BYTES);
	memcpy(text + LIMIT_REQUEST_HEAD_BYTES - 4, "\r\n\r\n", 4);
	assert_int_equal(scan_pieces((struct str){text, sizeof(text)}, 1000, &used, &skipped), 1);
	memcpy(text + LIMIT_REQUEST_HEAD_BYTES - 4, "a\r\n\r\n", 5);
	assert_int_equal(scan_pieces((struct str){text, sizeof(text)}, 1000, &used, &skipped), 431);
}

TEST(tokens)
{
	assert_true(is_token(STR("a")));
	assert_true(is_token(STR("x-b_c.9!")));
	assert_false(is_token(STR("")));
	assert_false(is_token(STR("a b")));
	assert_false(is_token(STR("\"a\"")));
	assert_false(is_token(STR("\xe4")));
}

RUN_TESTS(NULL, NULL)
