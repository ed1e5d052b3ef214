#include "main/config_option.h"

static void print_option(const struct option *option, struct buffer *text)
{
	struct str rest = str_from(option->help), line;
	char flag[64];

	snprintf(flag, sizeof(flag), "--%s %s", option->name,
		 option->argument ? option->argument : "");
	buffer_printf(text, "  %-26s", flag);
	for (bool first = true; str_next(&rest, '\n', &line); first = false)
		buffer_printf(text, "%s%.*s\n", first ? "" : "                            ",
			      STR_ARG(line));
}

void config_print_help(struct buffer *text)
{
	buffer_append_str(text, STR("displayd - a server for 64x32 LED panels\n\n"
				    "usage: displayd [OPTION...]\n\n"));
	for (unsigned i = 0; i < config_flag_count; i++)
		print_option(&config_flags[i], text);
	buffer_append_str(text, STR("\nSettings:\n"));
	for (unsigned i = 0; i < OPTION_COUNT; i++)
		print_option(&config_settings[i], text);
	buffer_append_str(
	    text,
	    STR("\nEach setting has a variable (--rate-limit: DISPLAYD_RATE_LIMIT) and a line in "
		"the\nconfiguration file (rate-limit = 500). Flags win over variables, variables "
		"over the\nfile. DISPLAYD_CONFIG names the file like --config; DISPLAYD_LISTEN may "
		"hold several\naddresses, separated by commas. Empty variables count as not "
		"set.\n\n"
		"SIGTERM and Ctrl-C let requests at work finish, then end displayd; the second one "
		"ends\nit at once.\n\n"
		"Exit codes: 0 ended as asked, 1 failed, 2 configuration, 3 cannot listen,\n"
		"4 state directory unusable or in use, 5 no database, 6 a migration failed,\n"
		"7 the database is newer than this displayd.\n"));
}

static void print_origin(const struct config *config, enum config_option number,
			 struct buffer *text)
{
	const struct config_origin *origin = &config->origins[number];
	char name[OPTION_NAME_BYTES];

	switch (origin->source) {
	case SOURCE_DEFAULT:
		buffer_append_str(text, STR("default"));
		break;
	case SOURCE_FILE:
		buffer_printf(text, "%s:%u", config->file, origin->line);
		break;
	case SOURCE_VARIABLE:
		option_variable(&config_settings[number], name);
		buffer_append_str(text, str_from(name));
		break;
	case SOURCE_FLAG:
		buffer_printf(text, "--%s", config_settings[number].name);
		break;
	}
}

void config_print(const struct config *config, struct buffer *text)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		size_t before;

		buffer_printf(text, "%-11s = ", config_settings[i].name);
		before = buffer_length(text);
		config_settings[i].show(config, text);
		buffer_printf(text, "%*s  # ",
			      buffer_length(text) - before < 30
				  ? (int)(30 - (buffer_length(text) - before))
				  : 0,
			      "");
		print_origin(config, (enum config_option)i, text);
		buffer_append_char(text, '\n');
	}
}
