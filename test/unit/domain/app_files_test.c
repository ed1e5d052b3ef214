/* Apps of several files, split and joined. */
#include "domain/app_files.h"

#include <stdio.h>
#include <string.h>

#include "../cmocka_test.h"

static void assert_refused(const char *archive, const char *wanted)
{
	struct app_files files;
	char why[APP_FILES_WHY_MAX] = "";

	assert_int_equal(app_files_read(str_from(archive), &files, why), -1);
	assert_string_equal(why, wanted);
	app_files_finish(&files);
}

/* Checks the names of all files, separated by spaces. */
static void assert_names(const char *archive, const char *wanted)
{
	struct app_files files;
	char why[APP_FILES_WHY_MAX] = "", names[200] = "";

	if (app_files_read(str_from(archive), &files, why) < 0)
		fail_msg("%s", why);
	for (unsigned i = 0; i < files.count; i++) {
		size_t length = strlen(names);

		snprintf(names + length, sizeof(names) - length, "%s%.*s", i ? " " : "",
			 STR_ARG(files.list[i].name));
	}
	assert_string_equal(names, wanted);
	app_files_finish(&files);
}

TEST(test_what_is_an_archive)
{
	assert_true(txtar_is_archive(STR("-- a --\n")));
	assert_true(txtar_is_archive(STR("\n# comment\n\r\n-- a --")));
	assert_false(txtar_is_archive(STR("")));
	assert_false(txtar_is_archive(STR("--a--\n")));
	assert_false(txtar_is_archive(STR("--  --\n")));
	assert_false(txtar_is_archive(STR("let a = 1;\n-- a --\n")));
}

TEST(test_which_script_is_the_first)
{
	assert_names("-- a.json --\n{}\n-- mine.ts --\nx\n-- lib/b.ts --\ny\n",
		     "mine.ts a.json lib/b.ts");
	assert_names("-- a.ts --\n-- main.ts --\n", "main.ts a.ts");
	assert_names("-- main.ts --\n-- a.ts --\n-- app.ts --\n", "app.ts a.ts main.ts");
	assert_names("-- a.d.ts --\n-- b.ts --\n", "b.ts a.d.ts");
	assert_refused("-- a.ts --\n-- b.ts --\n",
		       "if there are several scripts, one must be app.ts or main.ts");
	assert_refused("-- lib/a.ts --\n",
		       "if there are several scripts, one must be app.ts or main.ts");
	assert_refused("-- a.json --\n",
		       "if there are several scripts, one must be app.ts or main.ts");
}

TEST(test_names)
{
	static const char *const wrong[] = {"..", ".", "/a.ts", "a/", "a//b", "../a", "a/../b"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char archive[40], wanted[60];

		snprintf(archive, sizeof(archive), "-- %s --\n", wrong[i]);
		snprintf(wanted, sizeof(wanted), "\"%s\" is not a valid file name", wrong[i]);
		assert_refused(archive, wanted);
	}
	assert_refused("-- a.ts --\n-- a.ts;base64 --\n", "a.ts;base64 appears twice");
	assert_names("-- app.ts --\n-- ... --\n-- a b --\n", "app.ts ... a b");
}

TEST(test_there_and_back)
{
	static const char archive[] =
	    "# comment\n-- app.ts --\nlet a;\n\n-- b.png;base64 --\r\nAAEC\n"
	    "-- c --\nno end";
	struct app_files files;
	struct buffer made = {0};
	char why[APP_FILES_WHY_MAX] = "";

	assert_int_equal(app_files_read(str_from(archive), &files, why), 0);
	assert_int_equal(files.count, 3);
	assert_true(app_file_is_script(&files.list[0]));
	assert_true(files.list[1].is_base64);
	for (unsigned i = 0; i < files.count; i++)
		app_files_append(&made, &files.list[i], files.list[i].data);
	app_files_append(&made, &files.list[2], STR("a\n-- d --\n"));
	app_files_append(&made, &files.list[2], STR(""));
	buffer_append_char(&made, '\0');
	assert_string_equal(buffer_view(&made).data,
			    "-- app.ts --\nlet a;\n\n-- b.png;base64 --\nAAEC\n-- c --\nno end\n"
			    "-- c;base64 --\nYQotLSBkIC0tCg==\n-- c --\n\n");
	buffer_finish(&made);
	app_files_finish(&files);
}

TEST(test_how_many)
{
	struct buffer archive = {0};

	buffer_printf(&archive, "-- app.ts --\n");
	for (unsigned i = 1; i < APP_FILES_SCRIPTS_MAX; i++)
		buffer_printf(&archive, "-- a%u.ts --\n", i);
	buffer_append_char(&archive, '\0');
	archive.end--;
	struct app_files files;
	char why[APP_FILES_WHY_MAX] = "";

	assert_int_equal(app_files_read(buffer_view(&archive), &files, why), 0);
	app_files_finish(&files);
	buffer_printf(&archive, "-- one.ts --\n");
	buffer_append_char(&archive, '\0');
	assert_refused(buffer_view(&archive).data, "more than 50 scripts");
	buffer_clear(&archive);
	for (unsigned i = 0; i <= APP_FILES_MAX; i++)
		buffer_printf(&archive, "-- a%u --\n", i);
	buffer_append_char(&archive, '\0');
	assert_refused(buffer_view(&archive).data, "more than 2000 files");
	buffer_finish(&archive);
}

RUN_TESTS(NULL, NULL)
