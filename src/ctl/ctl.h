/* displayctl: one table of commands, one file a group of them.
 *
 *   main -> arguments (flags, command) -> run() -> database (statements of sql/query)
 *                                               -> output (a person's text, or JSON)
 *
 * A process runs one command; what it allocates goes with its arena. Commands return an exit code;
 * ctl_fail() says why on stderr. */
#pragma once

#include "base/arena.h"
#include "cluster/cluster.h"
#include "ctl/described.h"
#include "db/statements.h"
#include "domain/device.h"
#include "domain/review.h"
#include "main/config.h"
#include "record/record.h"

#include <libpq-fe.h>

enum { CTL_POSITIONALS_MAX = 3, CTL_COMMENTS_MAX = REVIEW_COMMENTS_MAX, CTL_EGRESS_MAX = 64 };

struct ctl;
struct ctl_member; /* server/text.h */
struct remote;

struct ctl_command {
	struct option_command line; /* its words, options and help */
	enum ctl_exit (*run)(struct ctl *ctl);
	int (*run_apart)(int argc, char **argv); /* instead: reads its own arguments */
	/* The body's member that each option sets; NULL: none does, or the handler writes it. */
	const char *const *members;
	bool needs_no_place; /* neither a server nor its configuration has a say */
};

/* Sorted by name. */
extern const struct ctl_command ctl_commands[];
extern const unsigned ctl_command_count;

struct ctl {
	struct arena arena;
	struct config config; /* state_dir, database, public_url: as displayd would have them */
	bool json;
	const struct ctl_command *command;
	struct str positionals[CTL_POSITIONALS_MAX]; /* the first ones */
	struct options options;			     /* as given */
	struct cluster cluster;
	PGconn *connection;
	struct remote *remote; /* of --server; NULL: the state directory's server is meant */
};

enum ctl_exit ctl_app_import(struct ctl *ctl);
enum ctl_exit ctl_app_render(struct ctl *ctl);
enum ctl_exit ctl_app_new(struct ctl *ctl);
enum ctl_exit ctl_app_types(struct ctl *ctl);
enum ctl_exit ctl_backup(struct ctl *ctl);
enum ctl_exit ctl_database_rekey(struct ctl *ctl);
enum ctl_exit ctl_database_show(struct ctl *ctl);
enum ctl_exit ctl_database_upgrade(struct ctl *ctl);
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

/* Prints a line for each possible word, with a tab and what it is behind it; or a line ":" for the
 * names of files. Words are as they were typed, without the program's. Asks the server for what has
 * names, for a second at most, and says nothing if there is none. */
int ctl_complete(struct ctl *ctl, int argc, char **argv);

/* ---- sign_in.c ---- */

/* Makes the session's API key if the command asks /v1 as who is signed in. CTL_DONE, or the reason
 * was said. */
enum ctl_exit ctl_prepare_key(struct ctl *ctl);

/* ---- arguments.c ---- */

extern const struct option_set ctl_option_set;

enum ctl_wish { CTL_COMMAND, CTL_HELP, CTL_VERSION };

/* Reads flags and finds the command. CTL_DONE, or another code with the reason said. For CTL_HELP,
 * options tell of what. */
enum ctl_exit ctl_read_arguments(struct ctl *ctl, int argc, char **argv, enum ctl_wish *ret_wish);

/* Returns a body: an object of the members that the command's options set, and of more (NULL:
 * none). */
struct str ctl_body_of_options(struct ctl *ctl, const struct ctl_member *more);

/* Returns the name of the option that sets a member of the body, or the member's if none does. */
struct str ctl_option_of(const struct ctl *ctl, struct str member);

/* ---- help.c ---- */

/* The help of what was read, of all or of a topic or a command. */
enum ctl_exit ctl_print_help(const struct ctl *ctl);

/* A flag of this command; data is NULL if it was not given. */
struct str ctl_value(const struct ctl *ctl, const char *name);

/* Asks on the terminal whether to go on, unless --yes was given; for commands that cannot be
 * undone, COMMAND_ASKING of the table. CTL_DONE, or CTL_REFUSED with the reason printed. */
__attribute__((format(printf, 2, 3))) enum ctl_exit ctl_confirm(const struct ctl *ctl,
								const char *format, ...);

/* ---- check.c ---- */

/* Checks for the options of commands; an account is named by its e-mail address. */
option_check ctl_check_account;
option_check ctl_check_description;
option_check ctl_check_device_name;
option_check ctl_check_line;
option_check ctl_check_mac;
option_check ctl_check_name;
option_check ctl_check_remark;
option_check ctl_check_serial;
option_check ctl_check_slug;

/* ---- app_render.c: for the table of options ---- */

option_check ctl_check_time;
option_check ctl_check_seed;
option_check ctl_check_egress;

/* ---- installation_update.c ---- */

option_check ctl_check_display;
option_check ctl_check_hours;
option_check ctl_check_weekdays;

struct ctl_rows {
	unsigned count;
	void *rows; /* count structs of a record, in the arena */
};

/* ---- database.c ---- */

/* Connects ctl->connection. CTL_DONE, or the reason was said. */
enum ctl_exit ctl_connect(struct ctl *ctl, const char *url);

/* Says why the database has not done what a command asked it for. A full disk is called that,
 * whichever way it shows: PostgreSQL refuses a statement for it, or ends. result: of a statement
 * that failed. Without an SQLSTATE the connection is lost. */
enum ctl_exit ctl_fail_statement(const struct ctl *ctl, const PGresult *result);
/* The same of a connection that is lost, or could not be made. words: libpq's. */
enum ctl_exit ctl_fail_lost(const struct ctl *ctl, const char *what, struct str words);

/* ---- with_database.c ---- */

typedef enum ctl_exit ctl_use_url(struct ctl *ctl, const char *url, void *context);

/* Runs it with the URL of --database, or of the database of the state directory's server. If no
 * server runs, that is started for this alone, under the server's lock, and stopped again. */
enum ctl_exit ctl_with_url(struct ctl *ctl, ctl_use_url *run, void *context);
/* Calls run with a connection, which is closed afterwards. If alone is set, a running server is an
 * error; then the state directory may also be a new one. */
enum ctl_exit ctl_with_database(struct ctl *ctl, bool alone,
				enum ctl_exit (*run)(struct ctl *ctl, void *context),
				void *context);

/* Whether there is a database, for a command that must not make one. CTL_DONE, or the reason was
 * printed. */
enum ctl_exit ctl_look_for_database(struct ctl *ctl);

/* ---- device_url.c ---- */

/* Returns the base of URLs that are handed out, without a slash at its end: the configured one,
 * else that of the running server, else that of a server with this configuration. A NUL follows. */
struct str ctl_public_url(struct ctl *ctl);
/* Returns the base of panels' URLs: that of another listener if the public URL leads to this
 * machine alone. */
struct str ctl_panel_url(struct ctl *ctl);

/* ---- fail.c ---- */

/* Appends a text that strangers may have written: characters that would steer a terminal as
 * "\u202e" (utf8_is_steering()), but those of kept; bytes that are no UTF-8 as "?". */
void ctl_append_visible(struct str text, const char *kept, struct buffer *to);

/* Writes a line to stderr. It masks keys and passwords, and writes what else would steer a terminal
 * than newlines and tabs by ctl_append_visible(), as the text may come from a file of a stranger.
 */
__attribute__((format(printf, 1, 2))) void ctl_say(const char *format, ...);
/* Says in such a line why a command fails; returns the code. */
__attribute__((format(printf, 2, 3))) enum ctl_exit ctl_fail(enum ctl_exit code, const char *format,
							     ...);
/* Says that there is no account with this e-mail address. */
enum ctl_exit ctl_fail_account(struct str email);
/* A person may give a key where a name is wanted, and what is wrong with it is shown to others: in
 * a terminal, a log, a question to somebody. Writes asterisks over it (base/secret.h), and over the
 * passwords of connection strings (base/arguments.h). */
void ctl_mask(char *text);

/* ---- output.c ---- */

/* Record of some fields of a table, which follow each other. */
#define CTL_RECORD_OF(structure, table, first, count)                                              \
	{                                                                                          \
		.fields = (table) + (first), .field_count = (count), .size = sizeof(structure)     \
	}

/* A text on stdout. */
enum ctl_exit ctl_print(const struct buffer *text);
/* Prints one row on stdout: an object, or a line for each field. */
enum ctl_exit ctl_print_row(const struct ctl *ctl, const struct record *record, const void *row);
/* An array, or a table. rows: structs of the record. */
enum ctl_exit ctl_print_rows(const struct ctl *ctl, const struct record *record,
			     const struct ctl_rows *rows);
