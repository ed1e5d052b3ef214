/* displayctl: one table of commands, and a source file for each group of commands.
 *
 *   main -> arguments (flags, command) -> run() -> client (requests to the server)
 *                                               -> database (statements of sql/query)
 *                                               -> output (text for people, or JSON)
 *
 * A process runs one command; memory of its arena is freed at the end. Functions with an enum
 * ctl_exit, if their comment says nothing else, return CTL_DONE, or another code after they have
 * printed the reason to stderr. */
#pragma once

#include "base/arena.h"
#include "cluster/cluster.h"
#include "ctl/described.h"
#include "db/statements.h"
#include "db/timeline.h"
#include "domain/device.h"
#include "domain/review.h"
#include "main/config.h"
#include "record/record.h"

#include <libpq-fe.h>

enum { CTL_POSITIONALS_MAX = 3, CTL_COMMENTS_MAX = REVIEW_COMMENTS_MAX };

struct ctl;
struct ctl_member; /* server/text.h */
struct remote;

struct ctl_command {
	struct option_command line; /* words, options and help of the command */
	enum ctl_exit (*run)(struct ctl *ctl);
	int (*run_apart)(int argc, char **argv); /* instead of run() */
	/* For each option the member of the request's body that it sets; NULL: none, or the handler
	 * writes it. */
	const char *const *members;
	/* For each option the JSON of that member without the option; all NULL: no such member. */
	const char *const *absent;
	/* Request to the server, for ctl_plain() (server/plain.c). All NULL for a command that is
	 * not in docs/api. */
	const char *method;
	const char *path;	 /* "/v1/webhooks/{webhookId}": arguments name the objects */
	const char *path_of_all; /* path that lists the objects of all accounts; NULL: none */
	const char *argument;	 /* member of the body that the last argument sets; NULL: none */
	const char *words;	 /* for that argument: "local=true public=false"; NULL: none */
	bool takes_number;	 /* that argument may be a number; neither: it is any text */
	const char *question;	 /* "This removes {name}.", asked before; NULL: does not ask */
	const char *missing;	 /* said of a 404: "there is no app %"; NULL: as for others */
	const char *list;	 /* member of the answer that is printed as a table; NULL: none */
	const char *columns;	 /* of a table, those that matter most; NULL: all in their order */
	const char *row_id;	 /* of a table, the column that commands take; NULL: none */
	bool has_body;
	bool is_of_account;  /* needs --account on the server's machine */
	bool needs_no_place; /* needs neither a server nor a server's configuration */
};

/* Sorted by name. */
extern const struct ctl_command ctl_commands[];
extern const unsigned ctl_command_count;

struct ctl {
	struct arena arena;
	struct config config; /* state_dir, database, public_url: with displayd's defaults */
	bool json;
	const struct ctl_command *command;
	struct str positionals[CTL_POSITIONALS_MAX]; /* first arguments that are not options */
	struct options options;			     /* as given */
	struct cluster cluster;
	PGconn *connection;
	struct timeline_known timeline; /* of the database that ctl_connect() has reached */
	bool accepts_database;		/* also another one than before */
	struct remote *remote; /* the server of --server; NULL: use the state directory's server */
};

enum ctl_exit ctl_app_import(struct ctl *ctl);
enum ctl_exit ctl_app_render(struct ctl *ctl);
enum ctl_exit ctl_app_new(struct ctl *ctl);
enum ctl_exit ctl_app_types(struct ctl *ctl);
enum ctl_exit ctl_backup(struct ctl *ctl);
enum ctl_exit ctl_database_accept(struct ctl *ctl);
enum ctl_exit ctl_database_rekey(struct ctl *ctl);
enum ctl_exit ctl_database_show(struct ctl *ctl);
enum ctl_exit ctl_database_upgrade(struct ctl *ctl);
enum ctl_exit ctl_flash_file(struct ctl *ctl);
enum ctl_exit ctl_help(struct ctl *ctl);
enum ctl_exit ctl_export(struct ctl *ctl);
enum ctl_exit ctl_import(struct ctl *ctl);
enum ctl_exit ctl_import_tronbyt(struct ctl *ctl);
enum ctl_exit ctl_migrate(struct ctl *ctl);
enum ctl_exit ctl_reload(struct ctl *ctl);
enum ctl_exit ctl_restore(struct ctl *ctl);
enum ctl_exit ctl_sign_in(struct ctl *ctl);
enum ctl_exit ctl_sign_out(struct ctl *ctl);
enum ctl_exit ctl_status(struct ctl *ctl);
enum ctl_exit ctl_upgrade(struct ctl *ctl);

/* ---- complete.c ---- */

/* Prints a line for each possible completion: the word, with a tab and its description; or a line
 * ":" for file names. The arguments are the words as typed, without the program's name. Names, such
 * as those of devices, come from the server: waits for it 1 s at most, and prints none if it does
 * not answer. */
int ctl_complete(struct ctl *ctl, int argc, char **argv);

/* ---- sign_in.c ---- */

/* Creates the session's API key if the command needs one for /v1 and has only a session. Returns
 * CTL_DONE, or another code after printing the reason. */
enum ctl_exit ctl_prepare_key(struct ctl *ctl);

/* ---- arguments.c ---- */

extern const struct option_set ctl_option_set;

enum ctl_wish { CTL_COMMAND, CTL_HELP, CTL_VERSION };

/* Reads flags and finds the command. Returns CTL_DONE, or another code after printing the reason.
 * For CTL_HELP, ctl->options holds the topic or the command, if one was given. */
enum ctl_exit ctl_read_arguments(struct ctl *ctl, int argc, char **argv, enum ctl_wish *ret_wish);

/* Returns the body of a request: an object with the members that the command's options set, and
 * those of more (NULL: none). */
struct str ctl_body_of_options(struct ctl *ctl, const struct ctl_member *more);

/* Returns the name of the option that sets this member of the body; data is NULL if no option does.
 */
struct str ctl_option_of(const struct ctl *ctl, struct str member);

/* Returns the name of the command's last argument in its usage, such as "URL". */
const char *ctl_last_argument(const struct ctl *ctl);

/* ---- help.c, arguments.c, fail.c ---- */

/* Prints the help of the topic or the command that was given, or of the whole program. */
enum ctl_exit ctl_print_help(const struct ctl *ctl);

/* Returns the command with these words, such as "device list"; NULL if there is none. */
const struct option_command *ctl_find_command(struct str words);

/* Returns the value of an option; data is NULL if the option was not given. */
struct str ctl_value(const struct ctl *ctl, const char *name);

/* Asks on the terminal whether to continue, unless --yes was given; for commands that cannot be
 * undone, COMMAND_ASKING of the table. Returns CTL_DONE, or CTL_REFUSED after printing the reason.
 */
__attribute__((format(printf, 2, 3))) enum ctl_exit ctl_confirm(const struct ctl *ctl,
								const char *format, ...);

/* ---- check.c ---- */

/* Checks for the options of commands. An account is named by its e-mail address. */
option_check ctl_check_account;
option_check ctl_check_description;
option_check ctl_check_line;
option_check ctl_check_name;
option_check ctl_check_remark;
option_check ctl_check_serial;

/* ---- app_render.c: for the table of options ---- */

option_check ctl_check_time;

/* ---- installation_update.c ---- */

option_check ctl_check_display;
option_check ctl_check_hours;
option_check ctl_check_weekdays;

struct ctl_rows {
	unsigned count;
	void *rows; /* array of count structs of one record, in the arena */
};

/* ---- database.c ---- */

/* Connects ctl->connection, which the caller closes. Returns CTL_DONE, or another code after
 * printing the reason. */
enum ctl_exit ctl_connect(struct ctl *ctl, const char *url);

#define CTL_INTERRUPTED "interrupted; nothing was changed"

/* Prints why the database rejected a statement. A full disk is reported as such in both cases:
 * PostgreSQL rejects the statement, or stops. A canceled statement was interrupted by a signal.
 * result: of the failed statement; if it has no SQLSTATE, the connection is lost. Returns the exit
 * code. */
enum ctl_exit ctl_fail_statement(const struct ctl *ctl, const PGresult *result);
/* Prints why a connection was lost or could not be made. words: libpq's message. Returns the exit
 * code. */
enum ctl_exit ctl_fail_lost(const struct ctl *ctl, const char *what, struct str words);

/* ---- with_database.c ---- */

typedef enum ctl_exit ctl_use_url(struct ctl *ctl, const char *url, void *context);

/* Calls run with the URL of --database, or of the database of the state directory's server. If no
 * server runs, the database is started for this call, under the server's lock, and stopped again.
 * Returns the result of run, or another code after printing the reason. */
enum ctl_exit ctl_with_url(struct ctl *ctl, ctl_use_url *run, void *context);
/* Calls run with ctl->connection set, and closes the connection afterwards. If alone is set, a
 * running server is an error, and the state directory may be a new one. Returns as ctl_with_url().
 */
enum ctl_exit ctl_with_database(struct ctl *ctl, bool alone,
				enum ctl_exit (*run)(struct ctl *ctl, void *context),
				void *context);

/* Checks that a database exists, for a command that must not create one. Returns CTL_DONE, or
 * another code after printing the reason. */
enum ctl_exit ctl_look_for_database(struct ctl *ctl);

/* ---- fail.c ---- */

/* Appends an untrusted text. Characters that would control a terminal are escaped, such as "\u202e"
 * (utf8_is_steering()), except those in kept; bytes that are not UTF-8 become "?". */
void ctl_append_visible(struct str text, const char *kept, struct buffer *to);

/* Prints a line to stderr. Masks keys and passwords. Escapes other control characters than newlines
 * and tabs, as ctl_append_visible() does: the text may quote an untrusted file. */
__attribute__((format(printf, 1, 2))) void ctl_say(const char *format, ...);
/* Objects that a message names, one a line; then ctl_say_rest(), which tells how many more there
 * are. */
enum { CTL_NAMED_MAX = 20 };
void ctl_say_rest(unsigned count);
/* Prints why a command fails, as ctl_say() does, after "displayctl: ". Returns the code. */
__attribute__((format(printf, 2, 3))) enum ctl_exit ctl_fail(enum ctl_exit code, const char *format,
							     ...);
/* Words for a state directory whose server does not run. */
#define CTL_NO_SERVER "no displayd is running on %s: start it first"
/* Prints that no account has this e-mail address. Returns CTL_NOT_FOUND. */
enum ctl_exit ctl_fail_account(struct str email);
/* Masks keys (base/secret.h) and passwords of connection strings (base/arguments.h) with asterisks,
 * in place. People may pass a key instead of a name, and error messages end up in terminals, logs
 * and questions to others. */
void ctl_mask(char *text);

/* ---- output.c ---- */

/* Record of count consecutive fields of a table. */
#define CTL_RECORD_OF(structure, table, first, count)                                              \
	{                                                                                          \
		.fields = (table) + (first), .field_count = (count), .size = sizeof(structure)     \
	}

struct ctl_size {
	size_t width, height; /* in characters; 0: stdout is not a terminal, nothing is cut */
};

struct ctl_size ctl_terminal_size(void);
/* Prints a text to stdout, and frees it. */
enum ctl_exit ctl_print(struct buffer *text);
/* Prints JSON, such as a server's answer, to stdout: as it is with --json; else an object as a line
 * for each member, an array as a table. */
enum ctl_exit ctl_print_json(const struct ctl *ctl, struct str json);
/* Prints one row in the same way. */
enum ctl_exit ctl_print_row(const struct ctl *ctl, const struct record *record, const void *row);
/* Prints rows, structs of the record, in the same way. */
enum ctl_exit ctl_print_rows(const struct ctl *ctl, const struct record *record,
			     const struct ctl_rows *rows);
