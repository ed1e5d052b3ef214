/* Reads a program's settings from its command line, its environment and its configuration file, by
 * one table of options.
 *
 *   struct option_set -> options_read_arguments()   --rate-limit 100
 *                        options_read_variables()   DISPLAYD_RATE_LIMIT=100
 *                        options_read_file()        rate-limit = 100
 *                     -> options_apply()            values, checked, in the caller's struct
 *
 * The strongest source of an option counts: arguments, then variables, then the file, then the
 * default. Nothing is global, so that a running program can read all of it again. (getopt_long()
 * keeps its state in globals, and it takes "--work" for "--workers", so that a new option can
 * change what an old script means.)
 *
 * Functions that can fail return 0, or -1 with one sentence for people, without the program's name.
 * Running out of memory ends the process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
	OPTIONS_FILE_BYTES_MAX = 64 * 1024,
	OPTIONS_VARIABLE_BYTES = 64,
};

struct options_error {
	char text[1024];
};

/* Writes the message to *reterr and returns -1. */
__attribute__((format(printf, 2, 3))) int options_error_set(struct options_error *reterr,
							    const char *format, ...);

/* ---- the table ---- */

/* Kind of a value, and the type of the member that takes it. */
enum option_type {
	OPTION_SWITCH, /* takes no value; bool: true if it is given */
	OPTION_ON_OFF, /* bool; on the command line the name alone means on */
	OPTION_NUMBER, /* from .least to .most; an integer of 4 or 8 bytes */
	OPTION_CHOICE, /* one of the words in argument, "logfmt|json"; an enum: the word's index */
	OPTION_TEXT,   /* const char * */
	OPTION_PATH,   /* const char *, made absolute */
	OPTION_LIST,   /* texts, at most `most`; struct option_list */
};

struct option_list {
	const char *const *values;
	unsigned count;
};

/* Checks a value. Returns 0, or -1 with the text that follows the option's name: "must be a time of
 * day". It may shorten the value in place. */
typedef int option_check(char *value, struct options_error *reterr);
/* Writes a value for options_print(), if it must not be shown as it is. */
typedef void option_show(const char *value, FILE *out);

/* A table of options ends with an option that has no name. */
struct option {
	const char *name; /* "rate-limit": --rate-limit, DISPLAYD_RATE_LIMIT, rate-limit =. "help"
			     is -h, too. */
	const char *argument; /* what the help calls the value: "N"; NULL for a switch */
	const char *help;     /* sentences; the help wraps them */
	const char *heading;  /* heading above it in the help; NULL: none */
	const char *fallback; /* the default, as a value; NULL: none */
	const char *absent;   /* what options_print() says if there is no value */
	enum option_type type;
	char letter;	    /* 'o': -o is the same; 0: none */
	bool is_required;   /* on the command line */
	bool argument_only; /* it can be set neither by a variable nor in the file */
	unsigned long long least;
	unsigned long long most;
	option_check *check; /* also of each text of a list; NULL: none */
	option_show *show;   /* NULL: the value as it is */
	size_t offset; /* of the member that takes the value, and its size; 0: there is none */
	size_t size;
};

/* A line of the table: OPTION(NUMBER, "workers", "N", "Worker processes.", .least = 1, .most = 9)
 */
#define OPTION(kind, option_name, value_name, help_text, ...)                                      \
	{                                                                                          \
		.type = OPTION_##kind, .name = (option_name), .argument = (value_name),            \
		.help = (help_text), __VA_ARGS__                                                   \
	}
/* Member that takes the value. */
#define OPTION_INTO(type, member)                                                                  \
	.offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)

/* "displayctl device remove DEVICE --yes": the command's words, its positional arguments, its
 * options. */
struct option_command {
	const char *name; /* "device create" */
	/* "APP VERSION"; one in brackets is not required, and a last one with dots,
	 * "[KEY=VALUE...]", takes all that follow. NULL: none. */
	const char *positionals;
	const char *help;
	const struct option *options; /* NULL: none */
	bool reads_itself;	      /* the command parses the arguments behind it itself */
};

/* Topic of the commands with this first word: "device", "The displays of an account.". A table of
 * topics, and one of synonyms, ends with an entry that has no name. */
struct option_topic {
	const char *name;
	const char *help;
};

/* A word that people try, and the word of a command that they mean: "delete", "remove". */
struct option_synonym {
	const char *name;
	const char *meant;
};

/* An unnamed table of options. */
#define OPTIONS(...)                                                                               \
	(const struct option[])                                                                    \
	{                                                                                          \
		__VA_ARGS__ __VA_OPT__(, )                                                         \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

struct option_set {
	const char *program;	     /* "displayd": named in messages */
	const char *intro;	     /* beginning of the help, with the usage */
	const char *notes;	     /* end of the help; NULL: none */
	const char *variable_prefix; /* "DISPLAYD_"; NULL: no variables */
	const struct option *options;
	/* Returns the i-th command, NULL behind the last one. NULL: there are no commands. */
	const struct option_command *(*command)(unsigned i);
	const struct option_topic *topics;     /* NULL: none */
	const struct option_synonym *synonyms; /* NULL: none */
	bool takes_empty;		       /* empty values are allowed; else they count as not
						  set */
	bool takes_once; /* refuses an option that is given twice; else the last one counts */
};

/* ---- reading ---- */

/* Later ones are stronger. */
enum option_source { OPTION_DEFAULT, OPTION_FILE, OPTION_VARIABLE, OPTION_ARGUMENT };

struct option_given {
	const struct option *option;
	enum option_source source;
	unsigned line; /* line in the file */
	char *value;
};

/* Everything that was read. The texts in the caller's struct point into it. */
struct options {
	const struct option_set *set;
	const struct option_command *command; /* NULL until it was found */
	const struct option_topic *topic;     /* set instead of command if only the topic's name was
						 given */
	const char *const *positionals;
	unsigned positional_count;
	int rest; /* index of a command with reads_itself in argv, which can be its argv[0] */
	struct option_given *given; /* in the order of reading */
	unsigned given_count;
	const char **list_values;
	unsigned list_value_count;
	char *file; /* NULL: none was read */
};

void options_init(struct options *options, const struct option_set *set);
/* Frees everything; a zeroed struct may be finished, too. */
void options_finish(struct options *options);

/* Sets a default that the table cannot contain. The name must be in the table. */
void options_set_default(struct options *options, const char *name, const char *value);

/* Reads argv as main() got it. Positional arguments point into argv. */
__attribute__((warn_unused_result)) int options_read_arguments(struct options *options, int argc,
							       char *const argv[],
							       struct options_error *reterr);
/* Reads variables of the environment for the options of the set. An empty variable counts as not
 * set; lists are separated by commas or white space. */
void options_read_variables(struct options *options);
/* Refuses a variable that begins with the set's prefix and belongs to no option. others: names
 * without the prefix that have another meaning, as patterns of fnmatch(3), ending with NULL. */
__attribute__((warn_unused_result)) int options_check_variables(const struct options *options,
								const char *const *others,
								struct options_error *reterr);
/* Reads a configuration file for the options of the set: lines of "name = value", and comments
 * behind "#" at a line's start. */
__attribute__((warn_unused_result)) int options_read_file(struct options *options, const char *path,
							  struct options_error *reterr);

/* Checks all values and writes them into the caller's struct; a member whose option was not given
 * and has no default stays as it is. Reports a missing required option. Call it once, after all
 * reading. target may be NULL if no option has a member. */
__attribute__((warn_unused_result)) int options_apply(struct options *options, void *target,
						      struct options_error *reterr);

/* Returns the option's value that counts, of a list the last one. NULL: none was given. The table's
 * defaults are included only after options_apply(). */
const struct option_given *options_find_given(const struct options *options, const char *name);
/* Returns the text of that value, or NULL. */
const char *options_text(const struct options *options, const char *name);

/* Whether the values that count for the option differ, whatever their sources; for a list, each
 * value and their order. Call options_apply() on both before. */
bool options_differ(const struct options *left, const struct options *right, const char *name);

/* Writes the fault of a value, with its name as it was given: "--listen is given twice",
 * "DISPLAYD_LISTEN ...", "FILE:3: listen ...". Returns -1. */
__attribute__((format(printf, 4, 5))) int options_blame(const struct options *options,
							const struct option_given *given,
							struct options_error *reterr,
							const char *format, ...);

/* ---- telling ---- */

/* Writes the name of the option's variable. */
void options_variable(const struct option_set *set, const struct option *option,
		      char ret_name[static OPTIONS_VARIABLE_BYTES]);

/* Prints the whole help (if there are topics, only the first sentence of each command), or that of
 * one command. */
void options_print_help(const struct option_set *set, const struct option_command *command,
			FILE *out);
/* Prints the help of a topic: its commands with their options. */
void options_print_topic(const struct option_set *set, const struct option_topic *topic, FILE *out);
/* Returns the topic, or NULL if there is none with this name. */
const struct option_topic *options_find_topic(const struct option_set *set, const char *name);
/* Whether the command belongs to the topic. */
bool options_is_of_topic(const struct option_command *command, const struct option_topic *topic);
/* Reports that there is no command with these words (second may be ""), and suggests a similar one.
 * Returns -1. */
int options_fail_command(const struct option_set *set, const char *first, const char *second,
			 struct options_error *reterr);
/* Reports which commands a topic has. Returns -1. */
int options_fail_topic(const struct option_set *set, const struct option_topic *topic,
		       struct options_error *reterr);
/* Prints each option of the set that is not argument_only: the source of its value, as a comment,
 * and a line of a configuration file that sets it; a default's line is a comment, too. Call it
 * after options_apply(). */
void options_print(const struct options *options, FILE *out);
