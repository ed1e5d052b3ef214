#include "../cmocka_test.h"
#include "base/memory.h"
#include "domain/form.h"

static struct arena arena;

static int free_arena(void **state)
{
	(void)state;
	arena_finish(&arena);
	return 0;
}

static struct str written(const char *schema)
{
	struct buffer buffer = {0};
	struct str reason;
	struct form form;
	struct str copy;

	if (!form_read(str_from(schema), &arena, &form, &reason))
		fail_msg("%.*s", STR_ARG(reason));
	form_write(&form, &buffer);
	copy = arena_copy(&arena, buffer_view(&buffer));
	buffer_finish(&buffer);
	return copy;
}

static void assert_refused(const char *schema, const char *reason)
{
	struct form form;
	struct str why;

	assert_false(form_read(str_from(schema), &arena, &form, &why));
	assert_string_equal(arena_copy(&arena, why).data, reason);
}

TEST_IN(all_members_are_written, NULL, free_arena)
{
	assert_string_equal(
	    written(
		"{\"version\":\"1\",\"schema\":[{\"type\":\"color\",\"id\":\"c\",\"name\":\"N\","
		"\"description\":\"D\",\"icon\":\"brush\",\"default\":\"#fff\",\"palette\":"
		"[\"#000\"],\"visibility\":{\"type\":\"invisible\",\"condition\":\"equal\","
		"\"variable\":\"v\",\"value\":\"true\"}}],\"notifications\":[]}")
		.data,
	    "[{\"id\":\"c\",\"type\":\"color\",\"name\":\"N\",\"description\":\"D\",\"icon\":"
	    "\"brush\",\"defaultValue\":\"#fff\",\"options\":[],\"palette\":[\"#000\"],\"source\":"
	    "null,\"visibility\":{\"type\":\"invisible\",\"condition\":\"equal\",\"variable\":"
	    "\"v\","
	    "\"value\":\"true\"},\"secret\":false,\"unavailable\":null}]");
	assert_string_equal(written("").data, "[]");
	assert_string_equal(written("{\"version\":\"1\",\"schema\":[]}").data, "[]");
}

TEST_IN(options_have_a_text, NULL, free_arena)
{
	struct str text;

	text = written("{\"schema\":[{\"type\":\"dropdown\",\"id\":\"d\",\"options\":[{\"display\":"
		       "\"A\",\"value\":\"1\"},{\"text\":\"B\",\"value\":\"2\"}]}]}");
	assert_non_null(strstr(text.data, "[{\"display\":\"A\",\"text\":\"A\",\"value\":\"1\"},"
					  "{\"display\":\"B\",\"text\":\"B\",\"value\":\"2\"}]"));
}

TEST_IN(what_cannot_be_filled_in_says_so, NULL, free_arena)
{
	assert_non_null(strstr(written("{\"schema\":[{\"type\":\"oauth2\",\"id\":\"o\"}]}").data,
			       "not possible here"));
}

TEST_IN(what_it_makes_is_known_once_it_was_added, NULL, free_arena)
{
	static const struct str own = STR("{\"schema\":[{\"type\":\"generated\",\"id\":\"a\"}]}"),
				more = STR("{\"schema\":[{\"type\":\"generated\",\"id\":\"b\"}]}");
	struct form form, made;
	struct str reason;

	assert_true(form_read(own, &arena, &form, &reason));
	assert_true(form_read(more, &arena, &made, &reason));
	assert_true(form_makes_more(&form));
	form.has_made = true;
	form_add(&form, &made, &arena);
	assert_int_equal(form.count, 2);
	assert_false(form_makes_more(&form));
	assert_false(form_makes_more(&(struct form){0}));
}

TEST_IN(other_shapes_are_refused, NULL, free_arena)
{
	assert_refused("{\"schema\":[{\"type\":\"sound\",\"id\":\"s\"}]}",
		       "its schema has a field of the unknown type \"sound\"");
	assert_refused("{\"schema\":[{\"type\":\"text\",\"id\":\"\"}]}",
		       "its schema has a field whose id does not have 1 to 200 bytes");
	assert_refused("{\"schema\":[{\"type\":\"text\",\"id\":\"a\",\"name\":7}]}",
		       "its schema has a \"name\" that is not text");
	assert_refused("{\"schema\":[7]}", "a field of its schema is not an object");
	assert_refused(
	    "{\"schema\":[{\"type\":\"text\",\"id\":\"a\",\"visibility\":{\"type\":\"x\"}}"
	    "]}",
	    "its schema has a visibility of an unknown kind");
}

TEST_IN(options_of_a_handler_are_read, NULL, free_arena)
{
	struct form_option *options;
	struct str reason;
	unsigned count;

	assert_true(form_read_options(STR("[{\"display\":\"\",\"text\":\"T\",\"value\":\"v\"}]"),
				      &arena, &options, &count, &reason));
	assert_int_equal(count, 1);
	assert_string_equal(arena_copy(&arena, options[0].display).data, "T");
	assert_false(form_read_options(STR("{}"), &arena, &options, &count, &reason));
	assert_false(form_read_options(STR("[7]"), &arena, &options, &count, &reason));
	assert_false(form_read_options(STR("nothing"), &arena, &options, &count, &reason));
}

TEST_IN(fields_of_a_handler_are_added_once, NULL, free_arena)
{
	struct form form, more;
	struct str reason;

	assert_true(form_read(STR("{\"schema\":[{\"type\":\"text\",\"id\":\"a\"}]}"), &arena, &form,
			      &reason));
	assert_true(form_read(STR("{\"schema\":[{\"type\":\"png\",\"id\":\"a\"},{\"type\":\"text\","
				  "\"id\":\"b\"}]}"),
			      &arena, &more, &reason));
	form_add(&form, &more, &arena);
	assert_int_equal(form.count, 2);
	assert_int_equal(form_find(&form, STR("a"))->type, FORM_TEXT);
	assert_non_null(form_find(&form, STR("b")));
	assert_null(form_find(&form, STR("c")));
}

RUN_TESTS(NULL, NULL)
