/* Completion of displayctl's commands in shells, from their table. */
#include "manual.h"

#include <string.h>

/* Kind of an option's value or of a positional argument. */
enum value_kind { VALUE_ANY, VALUE_FILE, VALUE_WORDS };

static enum value_kind kind_of(const char *name, size_t length)
{
	static const char *const files[] = {"FILE", "DIR", "PATH", "FILE.csv"};

	for (unsigned i = 0; i < array_length(files); i++)
		if (strlen(files[i]) == length && memcmp(files[i], name, length) == 0)
			return VALUE_FILE;
	return memchr(name, '|', length) ? VALUE_WORDS : VALUE_ANY;
}

static enum value_kind kind_of_option(const struct option *option)
{
	return option->argument ? kind_of(option->argument, strlen(option->argument)) : VALUE_ANY;
}

/* "a|b" as "a b". */
static void print_words(const char *name, size_t length, FILE *out)
{
	for (size_t i = 0; i < length; i++)
		fputc(name[i] == '|' ? ' ' : name[i], out);
}

/* The first sentence, for a line of single quotes of a shell. */
static void print_brief(const char *help, const char *specials, FILE *out)
{
	const char *end = strstr(help, ". ");

	if (!end)
		end = help + strlen(help) - (help[strlen(help) - 1] == '.');
	for (const char *c = help; c < end; c++) {
		if (*c == '\'')
			fputs("\u2019", out);
		else if (strchr(specials, *c))
			fprintf(out, "\\%c", *c);
		else
			fputc(*c, out);
	}
}

static bool is_single(const struct option_command *command)
{
	return !strchr(command->name, ' ');
}

/* Calls for each option that takes a value, those of all commands first. */
static void print_options_with_values(const char *separator, FILE *out)
{
	const char *between = "";

	for (const struct option *one = ctl_option_set.options; one->name; one++) {
		if (!one->argument)
			continue;
		fprintf(out, "%s--%s", between, one->name);
		between = separator;
	}
	for (unsigned i = 0; i < ctl_command_count; i++)
		for (const struct option *one = ctl_commands[i].line.options; one && one->name;
		     one++)
			if (one->argument)
				fprintf(out, "%s--%s", separator, one->name);
}

/* ---- bash ---- */

static const char bash_head[] =
    "# Completion of displayctl for bash. Made from its table of commands.\n"
    "_displayctl() {\n"
    "\tlocal current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
    "\tlocal word skip= command= count i words=() reply=\n"
    "\tif [[ $current == = ]]; then current=; fi\n"
    "\tif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
    "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
    "\t\tword=${COMP_WORDS[i]}\n"
    "\t\tif [[ $word == = ]]; then skip=1; continue; fi\n"
    "\t\tif [[ $skip ]]; then skip=; continue; fi\n"
    "\t\tcase $word in\n"
    "\t\t";

static const char bash_middle[] = ") skip=1 ;;\n"
				  "\t\t-*) ;;\n"
				  "\t\t*) words+=(\"$word\") ;;\n"
				  "\t\tesac\n"
				  "\tdone\n"
				  "\tcase \"${words[0]} ${words[1]}\" in\n";

static void print_bash_values(const struct option_command *command, const struct option *options,
			      FILE *out)
{
	for (const struct option *one = options; one && one->name; one++) {
		enum value_kind kind = kind_of_option(one);

		if (!one->argument)
			continue;
		fprintf(out, "\t\"%s\"--%s) reply=", command ? command->name : "", one->name);
		if (kind == VALUE_FILE)
			fputs("FILES", out);
		else if (kind == VALUE_WORDS) {
			fputc('\'', out);
			print_words(one->argument, strlen(one->argument), out);
			fputc('\'', out);
		} else {
			fputs("NOTHING", out);
		}
		fputs(" ;;\n", out);
	}
}

/* Prints the possible values of each command's n-th positional argument. */
static void print_bash_positionals(FILE *out)
{
	for (unsigned i = 0; i < ctl_command_count; i++) {
		const char *at = ctl_commands[i].line.positionals;

		for (unsigned place = 0; at && *at; place++) {
			size_t length = strcspn(at, " ");
			enum value_kind kind = kind_of(at, length);

			if (kind != VALUE_ANY) {
				fprintf(out, "\t\"%s\"%u) reply=", ctl_commands[i].line.name,
					place);
				fputs(kind == VALUE_FILE ? "FILES" : "'", out);
				if (kind == VALUE_WORDS) {
					print_words(at, length, out);
					fputc('\'', out);
				}
				fputs(" ;;\n", out);
			}
			at += length + strspn(at + length, " ");
		}
	}
}

static void print_option_names(const struct option *options, FILE *out)
{
	for (const struct option *one = options; one && one->name; one++)
		fprintf(out, " --%s", one->name);
}

/* The first words of commands, and the second words of a topic's. */
static void print_nouns(FILE *out)
{
	for (const struct option_topic *one = ctl_option_set.topics; one->name; one++)
		fprintf(out, "%s ", one->name);
	for (unsigned i = 0; i < ctl_command_count; i++)
		if (is_single(&ctl_commands[i].line))
			fprintf(out, "%s ", ctl_commands[i].line.name);
}

static void print_verbs(const struct option_topic *topic, FILE *out)
{
	for (unsigned i = 0; i < ctl_command_count; i++)
		if (options_is_of_topic(&ctl_commands[i].line, topic))
			fprintf(out, "%s ", ctl_commands[i].line.name + strlen(topic->name) + 1);
}

static void print_bash_words(FILE *out)
{
	fputs("\tif [[ $current == -* ]]; then\n\t\tcase $command in\n", out);
	for (unsigned i = 0; i < ctl_command_count; i++) {
		fprintf(out, "\t\t\"%s\") reply='", ctl_commands[i].line.name);
		print_option_names(ctl_commands[i].line.options, out);
		fputs("' ;;\n", out);
	}
	fputs("\t\tesac\n\t\treply+='", out);
	print_option_names(ctl_option_set.options, out);
	fputs("'\n\telif [[ ! $command && ${#words[@]} == 0 ]]; then\n\t\treply='", out);
	print_nouns(out);
	fputs("'\n\telif [[ ${words[0]} == help && ${#words[@]} == 1 ]]; then\n\t\treply='", out);
	print_nouns(out);
	fputs("'\n\telif [[ ! $command && ${#words[@]} == 1 ]]; then\n\t\tcase ${words[0]} in\n",
	      out);
	for (const struct option_topic *one = ctl_option_set.topics; one->name; one++) {
		fprintf(out, "\t\t%s) reply='", one->name);
		print_verbs(one, out);
		fputs("' ;;\n", out);
	}
	fputs("\t\tesac\n\telse\n\t\tcase \"$command\"$count in\n", out);
	print_bash_positionals(out);
	fputs("\t\tesac\n\tfi\n", out);
}

void completion_bash(FILE *out)
{
	fputs(bash_head, out);
	print_options_with_values("|", out);
	fputs(bash_middle, out);
	for (unsigned i = 0; i < ctl_command_count; i++) {
		const char *name = ctl_commands[i].line.name;

		fprintf(out, "\t\"%s%s\") command='%s' count=$((${#words[@]} - %d)) ;;\n", name,
			is_single(&ctl_commands[i].line) ? " \"*\"" : "", name,
			is_single(&ctl_commands[i].line) ? 1 : 2);
	}
	fputs("\tesac\n\tcase \"$command\"$previous in\n", out);
	for (unsigned i = 0; i < ctl_command_count; i++)
		print_bash_values(&ctl_commands[i].line, ctl_commands[i].line.options, out);
	fputs("\tesac\n\tif [[ ! $reply ]]; then case $previous in\n", out);
	print_bash_values(NULL, ctl_option_set.options, out);
	fputs("\tesac; fi\n\tif [[ ! $reply ]]; then\n", out);
	print_bash_words(out);
	fputs("\tfi\n"
	      "\tcase $reply in\n"
	      "\tNOTHING) COMPREPLY=() ;;\n"
	      "\tFILES)\n"
	      "\t\tcompopt -o filenames 2>/dev/null\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
	      "\t\t;;\n"
	      "\t*) mapfile -t COMPREPLY < <(compgen -W \"$reply\" -- \"$current\") ;;\n"
	      "\tesac\n"
	      "}\n"
	      "complete -F _displayctl displayctl\n",
	      out);
}

/* ---- zsh ---- */

static void print_zsh_option(const struct option *option, FILE *out)
{
	enum value_kind kind = kind_of_option(option);

	fprintf(out, " \\\n\t\t\t'%s--%s%s[", option->type == OPTION_LIST ? "*" : "", option->name,
		option->argument ? "=" : "");
	print_brief(option->help, "[]:\\", out);
	fputc(']', out);
	if (option->argument) {
		fprintf(out, ":%s:", kind == VALUE_WORDS ? option->name : option->argument);
		if (kind == VALUE_FILE)
			fputs("_files", out);
		if (kind == VALUE_WORDS) {
			fputc('(', out);
			print_words(option->argument, strlen(option->argument), out);
			fputc(')', out);
		}
	}
	fputc('\'', out);
}

static void print_zsh_positionals(const struct option_command *command, FILE *out)
{
	for (const char *at = command->positionals; at && *at;) {
		size_t length = strcspn(at, " ");
		enum value_kind kind = kind_of(at, length);
		bool is_open = *at == '[';

		fprintf(out, " \\\n\t\t\t'%s:%.*s:", length > 4 && strstr(at, "...") ? "*" : "",
			kind == VALUE_WORDS ? 6 : (int)(is_open ? length - 2 : length),
			kind == VALUE_WORDS ? "choice" : at + is_open);
		if (kind == VALUE_FILE)
			fputs("_files", out);
		if (kind == VALUE_WORDS) {
			fputc('(', out);
			print_words(at, length, out);
			fputc(')', out);
		}
		fputc('\'', out);
		at += length + strspn(at + length, " ");
	}
}

static void print_zsh_command(const struct option_command *command, FILE *out)
{
	fprintf(out, "\t'%s')\n\t\t_arguments -S : $general", command->name);
	for (const struct option *one = command->options; one && one->name; one++)
		print_zsh_option(one, out);
	if (strcmp(command->name, "help") == 0) {
		fputs(" \\\n\t\t\t':noun:(", out);
		print_nouns(out);
		fputs(")' ':verb: '", out);
	} else {
		print_zsh_positionals(command, out);
	}
	fputs("\n\t\t;;\n", out);
}

static void print_zsh_entry(const char *name, const char *help, FILE *out)
{
	fprintf(out, " '%s:", name);
	print_brief(help, ":\\", out);
	fputc('\'', out);
}

static void print_zsh_lists(FILE *out)
{
	fputs("\tlocal -a nouns=(", out);
	for (const struct option_topic *one = ctl_option_set.topics; one->name; one++)
		print_zsh_entry(one->name, one->help, out);
	for (unsigned i = 0; i < ctl_command_count; i++)
		if (is_single(&ctl_commands[i].line))
			print_zsh_entry(ctl_commands[i].line.name, ctl_commands[i].line.help, out);
	fputs(")\n\tlocal -a verbs=()\n\tcase ${line[1]} in\n", out);
	for (const struct option_topic *one = ctl_option_set.topics; one->name; one++) {
		fprintf(out, "\t%s) verbs=(", one->name);
		for (unsigned i = 0; i < ctl_command_count; i++)
			if (options_is_of_topic(&ctl_commands[i].line, one))
				print_zsh_entry(ctl_commands[i].line.name + strlen(one->name) + 1,
						ctl_commands[i].line.help, out);
		fputs(") ;;\n", out);
	}
	fputs("\tesac\n", out);
}

static void print_zsh_single_words(FILE *out)
{
	const char *between = "";

	for (unsigned i = 0; i < ctl_command_count; i++) {
		if (!is_single(&ctl_commands[i].line))
			continue;
		fprintf(out, "%s%s", between, ctl_commands[i].line.name);
		between = "|";
	}
}

void completion_zsh(FILE *out)
{
	fputs("#compdef displayctl\n"
	      "# Completion of displayctl for zsh. Made from its table of commands.\n"
	      "_displayctl() {\n"
	      "\tlocal -a line=() general=(",
	      out);
	for (const struct option *one = ctl_option_set.options; one->name; one++)
		print_zsh_option(one, out);
	fputs(")\n"
	      "\tlocal word skip= command=\n"
	      "\tinteger i at=0\n"
	      "\tfor ((i = 2; i < CURRENT; i++)); do\n"
	      "\t\tword=${words[i]}\n"
	      "\t\tif [[ -n $skip ]]; then skip=; continue; fi\n"
	      "\t\tcase $word in\n\t\t",
	      out);
	print_options_with_values("|", out);
	fputs(") skip=1 ;;\n"
	      "\t\t-*) ;;\n"
	      "\t\t*) line+=(\"$word\"); if ((! at)); then at=$i; fi ;;\n"
	      "\t\tesac\n"
	      "\tdone\n",
	      out);
	print_zsh_lists(out);
	fputs("\tif [[ -n $skip || ${words[CURRENT]} == -* ]] && ((${#line} == 0)); then\n"
	      "\t\t_arguments -S : $general '*: :'\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tif ((${#line} == 0)); then _describe noun nouns; return; fi\n"
	      "\tcase ${line[1]} in\n\t",
	      out);
	print_zsh_single_words(out);
	fputs(") command=${line[1]} ;;\n"
	      "\t*)\n"
	      "\t\tif ((${#line} == 1)); then _describe verb verbs; return; fi\n"
	      "\t\tcommand=\"${line[1]} ${line[2]}\"\n"
	      "\t\tat+=1\n"
	      "\t\t;;\n"
	      "\tesac\n"
	      "\twords=(displayctl \"${(@)words[at+1,-1]}\")\n"
	      "\t((CURRENT -= at - 1))\n"
	      "\tcase $command in\n",
	      out);
	for (unsigned i = 0; i < ctl_command_count; i++)
		print_zsh_command(&ctl_commands[i].line, out);
	fputs("\tesac\n"
	      "}\n"
	      "if [[ $funcstack[1] == _displayctl ]]; then _displayctl \"$@\"; else compdef "
	      "_displayctl displayctl; fi\n",
	      out);
}

/* ---- fish ---- */

static const char fish_head[] =
    "# Completion of displayctl for fish. Made from its table of commands.\n"
    "function __displayctl_words\n"
    "\tset -l skip\n"
    "\tfor word in (commandline -opc)[2..-1]\n"
    "\t\tif test -n \"$skip\"\n"
    "\t\t\tset skip\n"
    "\t\t\tcontinue\n"
    "\t\tend\n"
    "\t\tswitch $word\n"
    "\t\t\tcase ";

static const char fish_middle[] =
    "\n"
    "\t\t\t\tset skip 1\n"
    "\t\t\tcase '-*'\n"
    "\t\t\tcase '*'\n"
    "\t\t\t\techo -- $word\n"
    "\t\tend\n"
    "\tend\n"
    "end\n"
    "# Whether the words before the cursor are these and so many more.\n"
    "function __displayctl_at -a more\n"
    "\tset -l words (__displayctl_words)\n"
    "\tset -l wanted $argv[2..-1]\n"
    "\tset -l many (count $wanted)\n"
    "\ttest (count $words) -eq (math $many + $more); or return 1\n"
    "\ttest $many -eq 0; or test \"$words[1..$many]\" = \"$wanted\"\n"
    "end\n"
    "# Whether they begin with these.\n"
    "function __displayctl_in\n"
    "\tset -l words (__displayctl_words)\n"
    "\tset -l many (count $argv)\n"
    "\ttest (count $words) -ge $many; and test \"$words[1..$many]\" = \"$argv\"\n"
    "end\n"
    "complete -c displayctl -f\n";

static void print_fish_option(const struct option_command *command, const struct option *option,
			      FILE *out)
{
	enum value_kind kind = kind_of_option(option);

	fputs("complete -c displayctl", out);
	if (command)
		fprintf(out, " -n '__displayctl_in %s'", command->name);
	fprintf(out, " -l %s", option->name);
	if (option->letter)
		fprintf(out, " -s %c", option->letter);
	if (kind == VALUE_FILE)
		fputs(" -r -F", out);
	else if (option->argument)
		fputs(" -x", out);
	if (kind == VALUE_WORDS) {
		fputs(" -a '", out);
		print_words(option->argument, strlen(option->argument), out);
		fputc('\'', out);
	}
	fputs(" -d '", out);
	print_brief(option->help, "\\", out);
	fputs("'\n", out);
}

static void print_fish_positionals(const struct option_command *command, FILE *out)
{
	const char *at = command->positionals;

	for (unsigned place = 0; at && *at; place++) {
		size_t length = strcspn(at, " ");
		enum value_kind kind = kind_of(at, length);

		if (kind != VALUE_ANY)
			fprintf(out, "complete -c displayctl -n '__displayctl_at %u %s' %s", place,
				command->name, kind == VALUE_FILE ? "-F" : "-a '");
		if (kind == VALUE_WORDS) {
			print_words(at, length, out);
			fputc('\'', out);
		}
		if (kind != VALUE_ANY)
			fputc('\n', out);
		at += length + strspn(at + length, " ");
	}
}

static void print_fish_word(const char *condition, const char *word, const char *help, FILE *out)
{
	fprintf(out, "complete -c displayctl -n '__displayctl_at %s' -a %s -d '", condition, word);
	print_brief(help, "\\", out);
	fputs("'\n", out);
}

static void print_fish_command(const struct option_command *command, FILE *out)
{
	char condition[64] = "0";
	const char *space = strchr(command->name, ' ');

	if (space)
		snprintf(condition, sizeof(condition), "0 %.*s", (int)(space - command->name),
			 command->name);
	print_fish_word(condition, space ? space + 1 : command->name, command->help, out);
	for (const struct option *one = command->options; one && one->name; one++)
		print_fish_option(command, one, out);
	print_fish_positionals(command, out);
}

void completion_fish(FILE *out)
{
	fputs(fish_head, out);
	print_options_with_values(" ", out);
	fputs(fish_middle, out);
	for (const struct option_topic *one = ctl_option_set.topics; one->name; one++) {
		print_fish_word("0", one->name, one->help, out);
		print_fish_word("0 help", one->name, one->help, out);
	}
	for (const struct option *one = ctl_option_set.options; one->name; one++)
		print_fish_option(NULL, one, out);
	for (unsigned i = 0; i < ctl_command_count; i++)
		print_fish_command(&ctl_commands[i].line, out);
}
