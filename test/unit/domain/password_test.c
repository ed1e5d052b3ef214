/* Tests which passwords and e-mail addresses are valid. */
#include "../cmocka_test.h"
#include "domain/person.h"

#include <string.h>

extern const char *const common_passwords[];
extern const size_t common_password_count;

static const char *check(const char *password)
{
	return password_check(str_from(password));
}

TEST(the_commonest_are_refused)
{
	if (common_password_count == 0)
		skip(); /* built without the list */
	assert_true(common_password_count > 1000);
	for (size_t i = 0; i < common_password_count; i++) {
		char upper[PASSWORD_BYTES_MAX] = {0};

		assert_true(strlen(common_passwords[i]) >= PASSWORD_LENGTH_MIN);
		if (i > 0)
			assert_true(strcmp(common_passwords[i - 1], common_passwords[i]) < 0);
		for (size_t c = 0; common_passwords[i][c]; c++)
			upper[c] =
			    (char)(common_passwords[i][c] >= 'a' && common_passwords[i][c] <= 'z'
				       ? common_passwords[i][c] - 32
				       : common_passwords[i][c]);
		assert_non_null(check(common_passwords[i]));
		assert_non_null(check(upper));
	}
	assert_non_null(check("password123"));
	assert_non_null(check("Password1234"));
}

TEST(runs_and_few_characters_are_refused)
{
	static const char *const bad[] = {
	    "0123456789", "1234567890", "9876543210",	"7890123456",	"abcdefghijkl",
	    "ZYXWVUTSRQ", "aaaaaaaaaa", "abababababab", "abcabcabcabc",
	};
	static const char *const good[] = {
	    "correct horse battery", "abcdabcdabcd", "0123456789a",
	    "          a b c d",     "qp'93mz!wk",   "\xc3\xa9t\xc3\xa9 \xc3\xa0 la mer",
	    "13579 24680",
	};

	assert_non_null(check("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!check(bad[i]))
			fail_msg("%s", bad[i]);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (check(good[i]))
			fail_msg("%s", good[i]);
}

TEST(words_of_the_place_are_not_enough)
{
	static const char *const bad[] = {
	    "displayd2026!", "DisplayD.Admin", "panel-display-7", "administrator", "Pixlet1234567",
	};
	static const char *const good[] = {
	    "displayd stole my bike",
	    "a panel in the kitchen",
	    "nine green lanterns",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!check(bad[i]))
			fail_msg("%s", bad[i]);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (check(good[i]))
			fail_msg("%s", good[i]);
}

TEST(bytes_are_limited)
{
	char text[PASSWORD_BYTES_MAX + 2];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i * i % 23);
	assert_null(password_check((struct str){text, PASSWORD_BYTES_MAX}));
	assert_non_null(password_check((struct str){text, PASSWORD_BYTES_MAX + 1}));
}

TEST(not_the_person_itself)
{
	struct str email = STR("Augusta.Lovelace@example.org"), name = STR("Ada Lovelace");

	assert_non_null(password_check_for(STR("augusta.lovelace@EXAMPLE.org"), email, name));
	assert_non_null(password_check_for(STR("augusta.lovelace"), email, name));
	assert_non_null(password_check_for(STR("ada lovelace"), email, name));
	assert_null(password_check_for(STR("ada lovelace, 1843"), email, name));
	assert_null(password_check_for((struct str){0}, (struct str){0}, (struct str){0}));
}

TEST(addresses)
{
	static const char *const good[] = {
	    "a@b", "ada@example.org", "a+b.c_d@sub.example.org",
	    "\xd0\xb0\xd0\xb4\xd0\xb0@\xd0\xbf\xd1\x80.\xd1\x80\xd1\x84", "o'neill@example.org"};
	static const char *const bad[] = {
	    "",
	    "a",
	    "ab",
	    "@b",
	    "a@",
	    "a b@c",
	    "a@b@c",
	    "a..b@c",
	    ".a@b",
	    "a.@b",
	    "a@.b",
	    "a@b.",
	    "a@-b",
	    "\"a\"@b",
	    "a@[127.0.0.1]",
	    "<a@b.org>",
	    "a@b\n",
	    "a@b,c@d",
	    "\xff\xff@b.org",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (email_check(str_from(good[i])))
			fail_msg("%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!email_check(str_from(bad[i])))
			fail_msg("%s", bad[i]);
}

RUN_TESTS(NULL, NULL)
