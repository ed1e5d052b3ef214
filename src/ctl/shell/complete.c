/* displayctl __complete WORD...: completions of the last word, for the shells' completion
 * (share/completion). Values are words of a table, file names, or names that the server knows. */
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/server/remote.h"
#include "domain/app.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/utf8.h>
#include <unistd.h>

enum { WORDS_MAX = 256, PATIENCE_S = 1, COMPLETION_OPTIONS_MAX = 8 };

struct completion {
	struct str current; /* the part that was typed of the word to complete */
	struct str before;  /* printed before each word */
	/* General options that were given and select the server or the caller. */
	struct str options[COMPLETION_OPTIONS_MAX];
	unsigned option_count;
};

/* Keeps a general option: it selects the server or the caller. */
static void note_option(struct ctl *ctl, struct completion *completion, const struct option *option,
			struct str value)
{
	const struct option *general = ctl_option_set.options;

	while (general->name && general != option)
		general++;
	if (general->name && completion->option_count < COMPLETION_OPTIONS_MAX)
		completion->options[completion->option_count++] =
		    arena_printf(&ctl->arena, "--%s=%.*s", option->name, STR_ARG(value));
}

/* Whether the text can be printed on a line: it is UTF-8 and has no control characters. */
static bool is_printable(struct str text)
{
	if (!utf8_is_valid(text))
		return false;
	while (text.length) {
		uint32_t c = utf8_next(&text);

		if (utf8_is_steering(c) || utf8_is_control(c))
			return false;
	}
	return true;
}

static size_t sentence_length(struct str text)
{
	const char *end = text.length ? memmem(text.data, text.length, ". ", 2) : NULL;

	if (end)
		return (size_t)(end - text.data);
	return text.length - (text.length && text.data[text.length - 1] == '.');
}

/* Prints the word, and the first sentence of its description, if it begins with the typed part. */
static void offer_word(const struct completion *completion, struct str word, struct str about)
{
	if (!word.length || !str_starts_with(word, completion->current) || !is_printable(word))
		return;
	printf("%.*s%.*s", STR_ARG(completion->before), STR_ARG(word));
	if (about.length && is_printable(about))
		printf("\t%.*s", (int)sentence_length(about), about.data);
	putchar('\n');
}

/* ---- names from the server ---- */

static void give_up(int number)
{
	(void)number;
	_exit(0);
}

/* Reads arguments as for the command "NOUN list". Returns false if that command cannot be run. */
static bool prepare(struct ctl *ctl, const struct completion *completion, const char *noun)
{
	char *argv[COMPLETION_OPTIONS_MAX + 4] = {"displayctl"};
	int argc = 1;
	enum ctl_wish wish;

	for (unsigned i = 0; i < completion->option_count; i++)
		argv[argc++] = (char *)(uintptr_t)completion->options[i].data;
	argv[argc++] = (char *)(uintptr_t)noun;
	argv[argc++] = "list";
	/* Exits after PATIENCE_S without an error: a person is waiting for the completion. */
	if (fflush(stdout) != 0 || !freopen("/dev/null", "w", stderr))
		return false;
	signal(SIGALRM, give_up);
	alarm(PATIENCE_S);
	return ctl_read_arguments(ctl, argc, argv, &wish) == CTL_DONE && !remote_needs_key(ctl);
}

static unsigned count_of_name(const struct ctl_rows *rows, struct str name)
{
	const struct inventory_device *devices = rows->rows;
	unsigned count = 0;

	for (unsigned i = 0; i < rows->count && count < 2; i++)
		count += str_equal(devices[i].name, name);
	return count;
}

/* Offers the names of devices. If two devices have the same name, offers their IDs instead. IDs and
 * serial numbers of other devices are offered only if a word was begun. */
static void offer_devices(struct ctl *ctl, const struct completion *completion)
{
	const struct inventory_device *devices;
	struct ctl_rows rows = {0};

	if (!prepare(ctl, completion, "device") || ctl_ask_devices(ctl, &rows) != CTL_DONE)
		return;
	devices = rows.rows;
	for (unsigned i = 0; i < rows.count; i++) {
		struct str name = devices[i].name, id = ctl_id_text(ctl, devices[i].id);
		bool is_name = is_printable(name) && count_of_name(&rows, name) == 1;

		if (is_name)
			offer_word(completion, name, devices[i].account);
		if (!is_name || completion->current.length)
			offer_word(completion, id, name);
		if (completion->current.length)
			offer_word(completion, devices[i].serial, name);
	}
}

struct named_row {
	struct str word;
	struct str name;
};

/* Offers this member of each row, with the row's name as its description. */
static void offer_rows(struct ctl *ctl, const struct completion *completion, const char *path,
		       const char *member)
{
	const struct record_field fields[] = {
	    RECORD_STR(struct named_row, word, .name = member),
	    RECORD_STR(struct named_row, name, .name = "name"),
	};
	const struct record record = RECORD(struct named_row, fields);
	struct ctl_rows rows = {0};
	const struct named_row *named;

	if (ctl_ask_rows(ctl, &(struct ctl_request){.path = str_from(path)}, &record, &rows) !=
	    CTL_DONE)
		return;
	named = rows.rows;
	for (unsigned i = 0; i < rows.count; i++)
		offer_word(completion, named[i].word, named[i].name);
}

static void offer_apps(struct ctl *ctl, const struct completion *completion)
{
	if (prepare(ctl, completion, "app"))
		offer_rows(ctl, completion, ctl->remote ? "/v1/apps" : "/web/admin/apps",
			   ctl->remote ? "id" : "slug");
}

static void offer_accounts(struct ctl *ctl, const struct completion *completion)
{
	if (prepare(ctl, completion, "account"))
		offer_rows(ctl, completion, "/web/admin/accounts", "email");
}

/* ---- by the argument's name ---- */

static struct str without_brackets(struct str argument)
{
	if (!argument.length || argument.data[0] != '[')
		return argument;
	argument = str_from_offset(argument, 1);
	argument.length -= argument.length && argument.data[argument.length - 1] == ']';
	return argument;
}

static bool is_file(struct str argument)
{
	static const char *const names[] = {"FILE", "DIR", "PATH", "FOLDER"};

	for (unsigned i = 0; i < array_length(names); i++)
		if (str_equal(argument, str_from(names[i])))
			return true;
	return false;
}

/* Prints the values that this argument can have, by its name in the table of commands: "on|off",
 * "FILE", "[EMAIL]". */
static void offer_value(struct ctl *ctl, const struct completion *completion, struct str argument)
{
	static const struct {
		const char *argument;
		void (*offer)(struct ctl *ctl, const struct completion *completion);
	} kinds[] = {{"DEVICE", offer_devices}, {"APP", offer_apps}, {"EMAIL", offer_accounts}};
	struct str word;

	argument = without_brackets(argument);
	if (is_file(argument))
		puts(":");
	else if (str_find(argument, '|') < argument.length)
		while (str_next(&argument, '|', &word))
			offer_word(completion, word, STR(""));
	for (unsigned i = 0; i < array_length(kinds); i++)
		if (str_equal(argument, str_from(kinds[i].argument)))
			kinds[i].offer(ctl, completion);
}

/* ---- the line ---- */

/* The words before the last one, parsed. */
struct line {
	const struct option_command *command; /* NULL: not complete yet */
	const struct option *pending; /* the option whose value the last word is; NULL: none */
	struct str words[WORDS_MAX];  /* neither options nor values of options */
	unsigned count;
	struct completion completion;
};

/* ---- words as they were typed ---- */

/* Removes the shell's quotes and backslashes. */
static struct str unquote(struct ctl *ctl, const char *typed)
{
	char *text = arena_alloc(&ctl->arena, strlen(typed) + 1);
	size_t length = 0;
	char quote = '\0';

	for (const char *c = typed; *c; c++) {
		if (quote ? *c == quote : (*c == '\'' || *c == '"')) {
			quote = quote ? '\0' : *c;
			continue;
		}
		if (*c == '\\' && quote != '\'' && c[1])
			c++;
		text[length++] = *c;
	}
	text[length] = '\0';
	return (struct str){text, length};
}

static const struct option *find_in(const struct option *options, struct str name)
{
	for (; options && options->name; options++)
		if (str_equal(str_from(options->name), name))
			return options;
	return NULL;
}

/* Finds an option by "--name": of the command, or of any command if the command is not known yet.
 */
static const struct option *find_option(const struct line *line, struct str word)
{
	struct str name = word.length > 2 ? str_from_offset(word, 2) : STR("");
	const struct option *found = find_in(ctl_option_set.options, name);

	if (!found && line->command)
		found = find_in(line->command->options, name);
	for (unsigned i = 0; !found && !line->command && i < ctl_command_count; i++)
		found = find_in(ctl_commands[i].line.options, name);
	return found;
}

static const struct option_command *find_command(struct ctl *ctl, const struct line *line)
{
	const struct option_command *found = NULL;

	if (line->count > 1)
		found = ctl_find_command(
		    ARENA_JOIN(&ctl->arena, line->words[0], STR(" "), line->words[1]));
	return found ? found : ctl_find_command(line->words[0]);
}

static void take_option(struct ctl *ctl, struct line *line, struct str word)
{
	size_t sign = str_find(word, '=');
	const struct option *option = find_option(line, (struct str){word.data, sign});

	if (!option || !option->argument)
		return;
	if (sign == word.length)
		line->pending = option;
	else
		note_option(ctl, &line->completion, option, str_from_offset(word, sign + 1));
}

static void take_word(struct ctl *ctl, struct line *line, struct str word)
{
	if (line->pending) {
		/* bash splits "--name=value" into three words. */
		if (str_equal(word, STR("=")))
			return;
		note_option(ctl, &line->completion, line->pending, word);
		line->pending = NULL;
	} else if (word.length > 1 && word.data[0] == '-') {
		take_option(ctl, line, word);
	} else if (line->count < WORDS_MAX) {
		line->words[line->count++] = word;
		line->command = find_command(ctl, line);
	}
}

/* ---- completions ---- */

static void offer_options(const struct option *options, const struct completion *completion)
{
	for (; options && options->name; options++) {
		char word[80];

		snprintf(word, sizeof(word), "--%s", options->name);
		offer_word(completion, str_from(word), str_from(options->help));
	}
}

/* Offers the first words of commands. */
static void offer_nouns(const struct completion *completion)
{
	for (const struct option_topic *one = ctl_option_set.topics; one->name; one++)
		offer_word(completion, str_from(one->name), str_from(one->help));
	for (unsigned i = 0; i < ctl_command_count; i++)
		if (!strchr(ctl_commands[i].line.name, ' '))
			offer_word(completion, str_from(ctl_commands[i].line.name),
				   str_from(ctl_commands[i].line.help));
}

static void offer_verbs(struct str noun, const struct completion *completion)
{
	for (unsigned i = 0; i < ctl_command_count; i++) {
		struct str verb = str_from(ctl_commands[i].line.name), first;

		if (str_next(&verb, ' ', &first) && str_equal(first, noun))
			offer_word(completion, verb, str_from(ctl_commands[i].line.help));
	}
}

/* Returns the n-th positional argument of a command, from 0; data is NULL if there is none. */
static struct str positional(const struct option_command *command, unsigned n)
{
	struct str rest = str_from(command->positionals), word = {0};

	for (unsigned i = 0; i <= n; i++)
		if (!str_next(&rest, ' ', &word))
			return (struct str){0};
	return word;
}

static void offer_positional(struct ctl *ctl, const struct line *line)
{
	unsigned words = strchr(line->command->name, ' ') ? 2 : 1;

	if (str_equal(line->words[0], STR("help")) && line->count == 1)
		offer_nouns(&line->completion);
	else if (str_equal(line->words[0], STR("help")) && line->count == 2)
		offer_verbs(line->words[1], &line->completion);
	else
		offer_value(ctl, &line->completion, positional(line->command, line->count - words));
}

static void offer(struct ctl *ctl, const struct line *line)
{
	struct str current = line->completion.current;

	if (line->pending) {
		offer_value(ctl, &line->completion, str_from(line->pending->argument));
	} else if (current.length && current.data[0] == '-') {
		if (line->command)
			offer_options(line->command->options, &line->completion);
		offer_options(ctl_option_set.options, &line->completion);
	} else if (line->command) {
		offer_positional(ctl, line);
	} else if (line->count == 0) {
		offer_nouns(&line->completion);
	} else if (line->count == 1) {
		offer_verbs(line->words[0], &line->completion);
	}
}

/* Splits "--name=val": only the value is completed, and "--name=" is printed before it. */
static void split_current(struct line *line)
{
	struct completion *completion = &line->completion;
	struct str word = completion->current;
	size_t sign = str_find(word, '=');
	const struct option *option;

	if (line->pending || sign == word.length || !str_starts_with(word, STR("--")))
		return;
	option = find_option(line, (struct str){word.data, sign});
	if (!option || !option->argument)
		return;
	line->pending = option;
	completion->before = (struct str){word.data, sign + 1};
	completion->current = str_from_offset(word, sign + 1);
}

int ctl_complete(struct ctl *ctl, int argc, char **argv)
{
	struct line *line = arena_zalloc(&ctl->arena, sizeof(*line));

	for (int i = 0; i + 1 < argc; i++)
		take_word(ctl, line, unquote(ctl, argv[i]));
	line->completion.current = argc > 0 ? unquote(ctl, argv[argc - 1]) : STR("");
	if (line->pending && str_equal(line->completion.current, STR("=")))
		line->completion.current = STR("");
	split_current(line);
	offer(ctl, line);
	return fflush(stdout) == 0 ? CTL_DONE : CTL_FAILED;
}
