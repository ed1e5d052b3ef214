/* Lists of entity tags. */
#include "../cmocka_test.h"
#include "http/conditional.h"

/* tags: the expected tags, weak ones with "W/" in front, each followed by a space; rest: the
 * remaining text after the last tag. */
static void assert_tags(const char *text, const char *tags, const char *rest)
{
	struct str list = str_from(text);
	struct http_tag tag;
	char found[200] = "";
	size_t length = 0;

	while (http_next_tag(&list, &tag))
		length += (size_t)snprintf(found + length, sizeof(found) - length, "%s%.*s ",
					   tag.is_weak ? "W/" : "", STR_ARG(tag.text));
	assert_string_equal(found, tags);
	if (!str_equal(list, str_from(rest)))
		fail_msg("%s: \"%.*s\" is left, not \"%s\"", text, STR_ARG(list), rest);
}

TEST(tags)
{
	assert_tags("\"a\"", "\"a\" ", "");
	assert_tags("W/\"a\"", "W/\"a\" ", "");
	assert_tags("\"a\", W/\"b\",\"c\"", "\"a\" W/\"b\" \"c\" ", "");
	assert_tags(" \t\"a\" ,\t\"b\" ", "\"a\" \"b\" ", "");
	assert_tags("\"\"", "\"\" ", "");
	/* A comma and a backslash are characters of a tag, and so are bytes above 127. */
	assert_tags("\"a,b\", \"c\\\", \"\xc3\xa4\"", "\"a,b\" \"c\\\" \"\xc3\xa4\" ", "");
}

TEST(empty_elements)
{
	assert_tags("", "", "");
	assert_tags(" \t", "", "");
	assert_tags(",", "", "");
	assert_tags(", ,\"a\",, ,\"b\",", "\"a\" \"b\" ", "");
}

/* Checks that the rest shows whether, and at which byte, the list is malformed. */
TEST(what_is_no_tag)
{
	assert_tags("*", "", "*");
	assert_tags("a", "", "a");
	assert_tags("\"a", "", "\"a");
	assert_tags("\"", "", "\"");
	assert_tags("a\"", "", "a\"");
	assert_tags("w/\"a\"", "", "w/\"a\"");
	assert_tags("W/", "", "W/");
	assert_tags("W/a", "", "W/a");
	assert_tags("W/ \"a\"", "", "W/ \"a\"");
	assert_tags("W/W/\"a\"", "", "W/W/\"a\"");
	assert_tags("\"a b\"", "", "\"a b\"");
	assert_tags("\"a\x7f\"", "", "\"a\x7f\"");
	assert_tags("\"a\"\"b\"", "", "\"a\"\"b\"");
	assert_tags("\"a\" \"b\"", "", "\"a\" \"b\"");
	assert_tags("\"a\", b, \"c\"", "\"a\" ", "b, \"c\"");
	assert_tags("\"a\", *", "\"a\" ", "*");
}

TEST(the_list_need_not_end_with_nul)
{
	static const char text[] = {'"', 'a', '"'};
	struct str list = {text, sizeof(text)};
	struct http_tag tag;

	assert_true(http_next_tag(&list, &tag));
	assert_true(str_equal(tag.text, STR("\"a\"")));
	assert_false(http_next_tag(&list, &tag));
	list = (struct str){text, 2};
	assert_false(http_next_tag(&list, &tag));
	assert_int_equal(list.length, 2);
}

TEST(none_match)
{
	const struct http_field fields[] = {{STR("If-None-Match"), STR("\"a\", W/\"b\"")},
					    {STR("if-none-match"), STR("\"c\"")}};
	struct http_request request = {.fields = fields, .field_count = 2};
	const struct http_field any = {STR("If-None-Match"), STR(" * ")};

	assert_true(http_has_tag(&request, STR("\"a\"")));
	assert_true(http_has_tag(&request, STR("\"b\"")));
	assert_true(http_has_tag(&request, STR("\"c\"")));
	assert_false(http_has_tag(&request, STR("\"d\"")));
	request = (struct http_request){.fields = &any, .field_count = 1};
	assert_true(http_has_tag(&request, STR("\"d\"")));
	request.field_count = 0;
	assert_false(http_has_tag(&request, STR("\"d\"")));
}

RUN_TESTS(NULL, NULL)
