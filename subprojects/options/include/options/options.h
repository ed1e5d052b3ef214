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
 * Functions that can fail return 0, or -1 with one sentence for a person, without the program's
 * name. Running out of memory ends the process. */
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

/* Fills it and returns -1. */
__attribute__((format(printf, 2, 3))) int options_error_set(struct options_error *reterr,
							    const char *format, ...);

/* ---- the table ---- */

/* Kind of a value, and the type of the member that takes it. */
enum option_type {
	OPTION_SWITCH, /* takes no value; bool: true if it is given */
	OPTION_ON_OFF, /* bool; on the command line the name alone means on */
	OPTION_NUMBER, /* from least to most; an integer of 4 or 8 bytes */
	OPTION_CHOICE, /* one of the words in argument, "logfmt|json"; an enum: the word's index */
	OPTION_TEXT,   /* const char * */
	OPTION_PATH,   /* const char *, made absolute */
	OPTION_LIST,   /* texts, at most `most`; struct option_list */
};

struct option_list {
	const char *const *values;
	unsigned count;
};

/* 0, or -1 with what follows the option's name: "must be a time of day". It may shorten the value
 * in place. */
typedef int option_check(char *value, struct options_error *reterr);
/* Writes a value for options_print(), if it is not to be shown as it is. */
typedef void option_show(const char *value, FILE *out);

/* A table of options ends with an option that has no name. */
struct option {
	const char *name; /* "rate-limit": --rate-limit, DISPLAYD_RATE_LIMIT, rate-limit =. "help"
			     is -h, too. */
	const char *argument; /* what the help calls the value: "N"; NULL for a switch */
	const char *help;     /* sentences; the help breaks their lines */
	const char *heading;  /* what the help says above it; NULL: nothing */
	const char *fallback; /* the default, as a value; NULL: none */
	const char *absent;   /* what options_print() says if there is no value */
	enum option_type type;
	char letter;	    /* 'o' for -o, too; 0: none */
	bool is_required;   /* on the command line */
	bool argument_only; /* there is neither a variable nor a line of the file */
	unsigned long long least;
	unsigned long long most;
	option_check *check; /* also of each text of a list; NULL: none */
	option_show *show;   /* NULL: the value as it is */
	size_t offset;	     /* of the member that takes the value, and its size; 0: none does */
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

/* "displayctl device remove DEVICE --yes": the command's words, what it is about, its options. */
struct option_command {
	const char *name; /* "device create" */
	/* "APP VERSION"; one in brackets is not required, and a last one with dots,
	 * "[KEY=VALUE...]", takes all that follow. NULL: none. */
	const char *positionals;
	const char *help;
	const struct option *options; /* NULL: none */
	bool reads_itself;	      /* what stands behind it is not looked at */
};

/* Topic of the commands with this first word: "device", "The displays of an account.". A table of
 * topics, and one of synonyms, ends with an entry that has no name. */
struct option_topic {
	const char *name;
	const char *help;
};

/* A word of a command that people try, and the one that they mean: "delete", "remove". */
struct option_synonym {
	const char *name;
	const char *meant;
};

/* A table of options in place. */
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
	const char *intro;	     /* how the help begins, with the usage */
	const char *notes;	     /* and ends; NULL: as it is */
	const char *variable_prefix; /* "DISPLAYD_"; NULL: no variables */
	const struct option *options;
	/* The i-th command, NULL behind the last. NULL: there are no commands. */
	const struct option_command *(*command)(unsigned i);
	const struct option_topic *topics;     /* NULL: none */
	const struct option_synonym *synonyms; /* NULL: none */
	bool takes_empty;		       /* else an empty value counts as none */
	bool takes_once; /* refuses an option that is given twice; else the last one counts */
};

/* ---- reading ---- */

/* Later ones are stronger. */
enum option_source { OPTION_DEFAULT, OPTION_FILE, OPTION_VARIABLE, OPTION_ARGUMENT };

struct option_given {
	const struct option *option;
	enum option_source source;
	unsigned line; /* of the file */
	char *value;
};

/* All that was read. Texts of the caller's struct lie in here. */
struct options {
	const struct option_set *set;
	const struct option_command *command; /* NULL until it was found */
	const struct option_topic *topic;     /* instead of a command: its name alone was given */
	const char *const *positionals;
	unsigned positional_count;
	int rest; /* where a command stands that reads what follows by itself: it may be argv[0] */
	struct option_given *given; /* in the order of reading */
	unsigned given_count;
	const char **list_values;
	unsigned list_value_count;
	char *file; /* NULL: none was read */
};

void options_init(struct options *options, const struct option_set *set);
/* Gives everything back; a zeroed struct may be finished, too. */
void options_finish(struct options *options);

/* A default that the table cannot know. The name must be one of the table. */
void options_set_default(struct options *options, const char *name, const char *value);

/* argv as main() got it. Positional arguments stay argv's. */
__attribute__((warn_unused_result)) int options_read_arguments(struct options *options, int argc,
							       char *const argv[],
							       struct options_error *reterr);
/* The options of the set. An empty variable counts as not set; lists are separated by commas or
 * white space. */
void options_read_variables(struct options *options);
/* Refuses a variable that begins with the set's prefix and is none of an option. others: what
 * follows the prefix in the names of those that mean something else, as patterns of fnmatch(3),
 * ending with NULL. */
__attribute__((warn_unused_result)) int options_check_variables(const struct options *options,
								const char *const *others,
								struct options_error *reterr);
/* The options of the set: lines of "name = value", and comments behind "#" at a line's start. */
__attribute__((warn_unused_result)) int options_read_file(struct options *options, const char *path,
							  struct options_error *reterr);

/* Checks all values and writes them into the caller's struct; what was given nowhere and has no
 * default stays as it is there. Says what is missing. Once, after all reading. target may be NULL
 * if no option has a member. */
__attribute__((warn_unused_result)) int options_apply(struct options *options, void *target,
						      struct options_error *reterr);

/* The option's value that counts, of a list the last one. NULL: none was given. Before
 * options_apply() the table's defaults are not there. */
const struct option_given *options_find_given(const struct options *options, const char *name);
/* Its text, or NULL. */
const char *options_text(const struct options *options, const char *name);

/* Whether what counts for the option of that name differs, wherever it comes from; of a list, each
 * value and their order. Both after options_apply(). */
bool options_differ(const struct options *left, const struct options *right, const char *name);

/* Formats the fault of a value, named as it was given: "--listen is given twice", "DISPLAYD_LISTEN
 * ...", "FILE:3: listen ...". Returns -1. */
__attribute__((format(printf, 4, 5))) int options_blame(const struct options *options,
							const struct option_given *given,
							struct options_error *reterr,
							const char *format, ...);

/* ---- telling ---- */

/* The name of the option's variable. */
void options_variable(const struct option_set *set, const struct option *option,
		      char ret_name[static OPTIONS_VARIABLE_BYTES]);

/* The whole help, if there are topics with the first sentence of each command; or that of one
 * command. */
void options_print_help(const struct option_set *set, const struct option_command *command,
			FILE *out);
/* The help of a topic: its commands with their options. */
void options_print_topic(const struct option_set *set, const struct option_topic *topic, FILE *out);
/* NULL if there is none of this name. */
const struct option_topic *options_find_topic(const struct option_set *set, const char *name);
/* Whether the command belongs to the topic. */
bool options_is_of_topic(const struct option_command *command, const struct option_topic *topic);
/* Says that there is no command of these words (second may be ""), and what was probably meant.
 * Returns -1. */
int options_fail_command(const struct option_set *set, const char *first, const char *second,
			 struct options_error *reterr);
/* Says which commands a topic has. Returns -1. */
int options_fail_topic(const struct option_set *set, const struct option_topic *topic,
		       struct options_error *reterr);
/* Each option of the set that is no argument alone: where its value comes from, as a comment, and a
 * line of a configuration file that sets it; that of a default is a comment, too. After
 * options_apply(). */
void options_print(const struct options *options, FILE *out);
