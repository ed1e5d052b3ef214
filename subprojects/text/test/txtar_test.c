#include "text/txtar.h"
#include "text_test.h"

static void expect_file(struct str *text, const char *name, const char *data, bool is_base64)
{
	struct txtar_file file;

	assert_true(txtar_next(text, &file));
	assert_true(str_equal(file.name, str_from(name)));
	assert_true(str_equal(file.data, str_from(data)));
	assert_int_equal(file.is_base64, is_base64);
}

TEST(files_come_in_their_order)
{
	struct str text = STR("# comment\n-- a.ts --\nlet a;\n\n-- b.png;base64 --\r\nAAEC\n"
			      "--  c d  --\n-- ;base64 --\nno end");
	struct txtar_file file;

	assert_true(txtar_is_archive(text));
	expect_file(&text, "a.ts", "let a;\n\n", false);
	expect_file(&text, "b.png", "AAEC\n", true);
	expect_file(&text, "c d", "", false);
	expect_file(&text, ";base64", "no end", false);
	assert_false(txtar_next(&text, &file));
}

TEST(texts_without_files)
{
	static const char *const texts[] = {"", "a", "--a--\n", "--  --\n", "-- a --x\n", "-- --"};
	struct txtar_file file;

	for (size_t i = 0; i < array_length(texts); i++) {
		struct str text = str_from(texts[i]);

		assert_false(txtar_is_archive(text));
		assert_false(txtar_next(&text, &file));
	}
	assert_false(txtar_is_archive(STR("let a = 1;\n-- a --\n")));
	assert_true(txtar_is_archive(STR("\n# comment\n\r\n-- a --")));
}

RUN_TESTS(NULL, NULL)
