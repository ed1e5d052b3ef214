#include "complete.h"
#include "complete_names.h"

#include <stdio.h>
#include <string.h>
#include <text/utf8.h>

enum { WORDS_MAX = 256 };

/* Words that were typed before the last one. */
struct line {
	const struct option_command *command; /* NULL: not yet there */
	const struct option *pending;	      /* the last word is its value; NULL: it is not */
	struct str words[WORDS_MAX];	      /* that are neither options nor their values */
	unsigned count;
	struct completion completion;
};

/* ---- words as they were typed ---- */

/* Takes the quotes of a shell away. */
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

/* Finds an option by "--name"; before the command is known it may be that of any. */
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

static const struct option_command *find_command(const struct line *line)
{
	for (unsigned i = 0; i < ctl_command_count; i++) {
		struct str name = str_from(ctl_commands[i].line.name), first, rest = name;

		(void)str_next(&rest, ' ', &first);
		if (line->count > 0 && str_equal(first, line->words[0]) &&
		    (!strchr(name.data, ' ') ||
		     (line->count > 1 &&
		      str_equal(str_from_offset(name, first.length + 1), line->words[1]))))
			return &ctl_commands[i].line;
	}
	return NULL;
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
		completion_note_option(ctl, &line->completion, option->name,
				       str_from_offset(word, sign + 1));
}

static void take_word(struct ctl *ctl, struct line *line, struct str word)
{
	if (line->pending) {
		/* bash takes "--name=value" for three words. */
		if (str_equal(word, STR("=")))
			return;
		completion_note_option(ctl, &line->completion, line->pending->name, word);
		line->pending = NULL;
	} else if (word.length > 1 && word.data[0] == '-') {
		take_option(ctl, line, word);
	} else if (line->count < WORDS_MAX) {
		line->words[line->count++] = word;
		line->command = find_command(line);
	}
}

/* ---- what can stand there ---- */

static void offer_options(const struct option *options, const struct completion *completion)
{
	for (; options && options->name; options++) {
		char word[80];

		snprintf(word, sizeof(word), "--%s", options->name);
		completion_offer(completion, str_from(word), str_from(options->help));
	}
}

/* First words of commands. */
static void offer_nouns(const struct completion *completion)
{
	for (const struct option_topic *one = ctl_option_set.topics; one->name; one++)
		completion_offer(completion, str_from(one->name), str_from(one->help));
	for (unsigned i = 0; i < ctl_command_count; i++)
		if (!strchr(ctl_commands[i].line.name, ' '))
			completion_offer(completion, str_from(ctl_commands[i].line.name),
					 str_from(ctl_commands[i].line.help));
}

static void offer_verbs(struct str noun, const struct completion *completion)
{
	for (unsigned i = 0; i < ctl_command_count; i++) {
		struct str verb = str_from(ctl_commands[i].line.name), first;

		if (str_next(&verb, ' ', &first) && str_equal(first, noun))
			completion_offer(completion, verb, str_from(ctl_commands[i].line.help));
	}
}

/* The n-th positional argument of a command; data is NULL: there is none. */
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
		completion_offer_value(ctl, &line->completion,
				       positional(line->command, line->count - words));
}

static void offer(struct ctl *ctl, const struct line *line)
{
	struct str current = line->completion.current;

	if (line->pending) {
		completion_offer_value(ctl, &line->completion, str_from(line->pending->argument));
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

/* "--name=val": the value is completed, and the rest stays before it. */
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
