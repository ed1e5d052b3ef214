#include "base/memory.h"
#include "ctl/ctl.h"

/* Help is text even with --json. */
enum ctl_exit ctl_print_help(const struct ctl *ctl)
{
	if (ctl->options.topic)
		options_print_topic(&ctl_option_set, ctl->options.topic, stdout);
	else
		options_print_help(&ctl_option_set, ctl->options.command, stdout);
	return CTL_DONE;
}

const struct option_command *ctl_find_command(struct str words)
{
	for (unsigned i = 0; i < ctl_command_count; i++)
		if (str_equal(words, str_from(ctl_commands[i].line.name)))
			return &ctl_commands[i].line;
	return NULL;
}

enum ctl_exit ctl_help(struct ctl *ctl)
{
	struct str noun = ctl->positionals[0], verb = ctl->positionals[1], words = noun;
	const struct option_command *command;
	const struct option_topic *topic;
	struct options_error why;

	if (!noun.data) {
		options_print_help(&ctl_option_set, NULL, stdout);
		return CTL_DONE;
	}
	if (verb.data)
		words = ARENA_JOIN(&ctl->arena, noun, STR(" "), verb);
	command = ctl_find_command(words);
	topic = verb.data ? NULL : options_find_topic(&ctl_option_set, noun.data);
	if (command)
		options_print_help(&ctl_option_set, command, stdout);
	else if (topic)
		options_print_topic(&ctl_option_set, topic, stdout);
	else if (options_fail_command(&ctl_option_set, noun.data, verb.data ? verb.data : "",
				      &why) < 0)
		return ctl_fail(CTL_NOT_FOUND, "%s", why.text);
	return CTL_DONE;
}
