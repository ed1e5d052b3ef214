#include "options/options.h"

#include <stdlib.h>
#include <string.h>

#include "../../../test/unit/cmocka_test.h"

static const struct option_command commands[] = {
    {.name = "key list",
     .help = "List keys.",
     .options = OPTIONS(OPTION(TEXT, "account", "EMAIL", "Whose.", .is_required = true),
			OPTION(CHOICE, "state", "new|old", "Which.", .fallback = "new"),
			OPTION(LIST, "note", "TEXT", "Notes.", .most = 2))},
    {.name = "key remove", .positionals = "KEY REASON", .help = "Remove a key."},
    {.name = "panel", .help = "A panel.", .reads_itself = true},
    {.name = "paint",
     .positionals = "FILE [KEY=VALUE...]",
     .help = "Paint.",
     .options = OPTIONS(OPTION(TEXT, "output", "FILE", "Where to.", .letter = 'o'))},
};

static const struct option_command *find_command(unsigned i)
{
	return i < sizeof(commands) / sizeof(commands[0]) ? &commands[i] : NULL;
}

static const struct option_set tool_set = {
    .program = "tool",
    .intro = "tool - a tool\n",
    .options =
	OPTIONS(OPTION(SWITCH, "help", NULL, "This text."), OPTION(SWITCH, "json", NULL, "JSON."),
		OPTION(TEXT, "place", "DIR", "Where.")),
    .command = find_command,
    .takes_empty = true,
    .takes_once = true,
};

/* The same, with more that helps people. */
static const struct option_set friendly_set = {
    .program = "tool",
    .intro = "tool - a tool\n",
    .options = OPTIONS(OPTION(SWITCH, "help", NULL, "This text.")),
    .command = find_command,
    .topics = (const struct option_topic[]){{"key", "What opens it."}, {0}},
    .synonyms = (const struct option_synonym[]){{"delete", "remove"}, {0}},
};

static struct options options;
static struct options_error why;

/* Arguments up to NULL. */
static int run_tool(const char *first, ...)
{
	char *argv[32] = {(char *)(uintptr_t) "tool"};
	int argc = 1;
	va_list args;

	options_finish(&options);
	options_init(&options, &tool_set);
	va_start(args, first);
	for (; first; first = va_arg(args, const char *))
		argv[argc++] = (char *)(uintptr_t)first;
	va_end(args);
	if (options_read_arguments(&options, argc, argv, &why) < 0)
		return -1;
	return options_apply(&options, NULL, &why);
}

static int finish(void **state)
{
	(void)state;
	options_finish(&options);
	return 0;
}

/* A fault, and arguments up to NULL. */
#define REFUSED(expected, ...)                                                                     \
	do {                                                                                       \
		assert_int_equal(run_tool(__VA_ARGS__, NULL), -1);                                 \
		assert_string_equal(why.text, expected);                                           \
	} while (0)

#define SCENE(function) TEST_IN(function, NULL, finish)

SCENE(commands_and_their_arguments)
{
	assert_int_equal(run_tool("--place", "p", "key", "list", "--json", "--account=", "--note",
				  "1", "--note=2", NULL),
			 0);
	assert_ptr_equal(options.command, &commands[0]);
	assert_string_equal(options_text(&options, "place"), "p");
	assert_string_equal(options_text(&options, "account"), "");
	assert_string_equal(options_text(&options, "state"), "new");
	assert_string_equal(options_text(&options, "note"), "2");
	assert_non_null(options_find_given(&options, "json"));
	assert_null(options_find_given(&options, "help"));
	assert_int_equal(run_tool("key", "remove", "--json", "k", "--", "--why", NULL), 0);
	assert_int_equal(options.positional_count, 2);
	assert_string_equal(options.positionals[0], "k");
	assert_string_equal(options.positionals[1], "--why");
}

SCENE(positionals_that_need_not_be_there)
{
	assert_int_equal(run_tool("paint", "file", NULL), 0);
	assert_int_equal(options.positional_count, 1);
	assert_int_equal(run_tool("paint", "file", "a=1", "-o", "out", "b=2", "c=3", NULL), 0);
	assert_int_equal(options.positional_count, 4);
	assert_string_equal(options.positionals[3], "c=3");
	assert_string_equal(options_text(&options, "output"), "out");
	REFUSED("paint needs FILE [KEY=VALUE...]", "paint");
	/* stdin or stdout */
	assert_int_equal(run_tool("paint", "-", NULL), 0);
	assert_string_equal(options.positionals[0], "-");
}

SCENE(a_command_may_read_the_rest_itself)
{
	assert_int_equal(run_tool("--json", "panel", "--what", "ever", NULL), 0);
	assert_ptr_equal(options.command, &commands[2]);
	assert_int_equal(options.rest, 2);
}

SCENE(faults_of_commands)
{
	REFUSED("there is no command nothing; see tool --help", "nothing");
	REFUSED("there is no command https://display.example.org/d/0198f6a2/next?key=0123456789; "
		"see tool --help",
		"https://display.example.org/d/0198f6a2/next?key=0123456789");
	REFUSED("there is no command key make; see tool --help", "key", "make");
	REFUSED("there is no command key lst; did you mean key list?", "key", "lst");
	REFUSED("there is no command key; see tool --help", "key", "--json");
	REFUSED("there is no option --account; see tool --help", "--account=a");
	REFUSED("there is no option --nothing; see tool key list --help", "key", "list",
		"--nothing");
	REFUSED("there is no option --acount; did you mean --account?", "key", "list",
		"--acount=a");
	REFUSED("key list needs --account EMAIL", "key", "list");
	REFUSED("key list does not take stray; see tool --help", "key", "list", "stray");
	REFUSED("--account is given twice", "key", "list", "--account=a", "--account=b");
	REFUSED("--state must be new or old", "key", "list", "--account=a", "--state=");
	REFUSED("--note can be given 2 times at most", "key", "list", "--account=a", "--note=1",
		"--note=2", "--note=3");
	REFUSED("key remove needs KEY REASON", "key", "remove", "one");
	REFUSED("key remove does not take three; see tool --help", "key", "remove", "one", "two",
		"three");
}

static const char *reason_of(const char *first, const char *second)
{
	assert_int_equal(options_fail_command(&friendly_set, first, second, &why), -1);
	return why.text;
}

SCENE(what_was_probably_meant)
{
	assert_string_equal(reason_of("key", "delete"),
			    "there is no command key delete; did you mean key remove?");
	assert_string_equal(reason_of("delete", "key"),
			    "there is no command delete key; did you mean key remove?");
	assert_string_equal(reason_of("list", "keys"),
			    "there is no command list keys; did you mean key list?");
	assert_string_equal(reason_of("key", "x"),
			    "there is no command key x; the commands of key are list and remove");
	assert_string_equal(reason_of("kez", "--json"),
			    "there is no command kez; the commands of key are list and remove");
	assert_string_equal(reason_of("pain", "picture.png"),
			    "there is no command pain picture.png; did you mean paint?");
	assert_string_equal(reason_of("nothing", "at all"),
			    "there is no command nothing at all; see tool --help");
}

SCENE(a_topic_alone)
{
	char *arguments[] = {(char *)(uintptr_t) "tool", (char *)(uintptr_t) "key",
			     (char *)(uintptr_t) "--help"};

	for (int count = 2; count <= 3; count++) {
		options_finish(&options);
		options_init(&options, &friendly_set);
		assert_int_equal(options_read_arguments(&options, count, arguments, &why), 0);
		assert_null(options.command);
		assert_string_equal(options.topic->name, "key");
	}
	assert_int_equal(options_fail_topic(&friendly_set, options.topic, &why), -1);
	assert_string_equal(why.text, "key what? There are list and remove; see tool help key");
}

SCENE(the_help_of_topics)
{
	size_t printed_size;
	char *printed;
	FILE *out = open_memstream(&printed, &printed_size);

	options_print_help(&friendly_set, NULL, out);
	options_print_topic(&friendly_set, friendly_set.topics, out);
	fclose(out);
	assert_non_null(strstr(printed, "tool - a tool\n\n"
					"key - What opens it.\n"
					"  key list                              List keys.\n"
					"  key remove KEY REASON                 Remove a key.\n\n"
					"  panel                                 A panel.\n"));
	assert_non_null(strstr(printed, "key - What opens it.\n\n"
					"  key list --account EMAIL [--state new|old] "
					"[--note TEXT]...\n      List keys.\n\n"
					"  key remove KEY REASON\n      Remove a key.\n"));
	free(printed);
}

SCENE(the_help_of_commands)
{
	size_t printed_size;
	char *printed;
	FILE *out = open_memstream(&printed, &printed_size);

	options_print_help(&tool_set, NULL, out);
	options_print_help(&tool_set, &commands[0], out);
	fclose(out);
	assert_non_null(strstr(printed, "tool - a tool\n"
					"  key list --account EMAIL [--state new|old] "
					"[--note TEXT]...\n      List keys.\n"
					"  key remove KEY REASON\n      Remove a key.\n"
					"  panel ...\n      A panel.\n"
					"  paint FILE [KEY=VALUE...] [--output FILE]\n"
					"      Paint.\n"
					"  -h, --help                This text.\n"));
	assert_non_null(strstr(printed, "usage: tool key list --account EMAIL "));
	assert_non_null(strstr(printed, "\nList keys.\n\n"
					"  --account EMAIL           Whose.\n"
					"  --state new|old           Which. Default: new.\n"));
	free(printed);
}

RUN_TESTS(NULL, NULL)
