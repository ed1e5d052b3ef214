/* displayctl: one table of commands, one file a group of them.
 *
 *   main -> arguments (flags, command) -> run() -> database (statements of sql/query)
 *                                               -> output (a person's text, or JSON)
 *
 * A process runs one command; what it allocates goes with its arena. Commands return an exit code;
 * ctl_fail() says why on stderr. */
#pragma once

#include "base/arena.h"
#include "db/cluster.h"
#include "db/statements.h"
#include "domain/device.h"
#include "domain/review.h"
#include "main/config.h"
#include "record/record.h"

#include <libpq-fe.h>

enum ctl_exit {
	CTL_DONE = 0,
	CTL_FAILED = 1,	   /* something unforeseen */
	CTL_USAGE = 2,	   /* flags, or a value that is not valid */
	CTL_NOT_FOUND = 3, /* what the command is about does not exist */
	CTL_REFUSED = 4,   /* it exists already, or a rule stands against it */
	CTL_DATABASE = 5,  /* cannot be reached, or is not migrated */
};

enum { CTL_POSITIONALS_MAX = 3, CTL_COMMENTS_MAX = REVIEW_COMMENTS_MAX };

struct ctl;

struct ctl_command {
	struct option_command line; /* its words, options and help */
	enum ctl_exit (*run)(struct ctl *ctl);
	int (*run_apart)(int argc, char **argv); /* instead: reads its own arguments */
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
	struct db_query query;
};

enum ctl_exit ctl_account_create(struct ctl *ctl);
enum ctl_exit ctl_account_link(struct ctl *ctl);
enum ctl_exit ctl_account_list(struct ctl *ctl);
enum ctl_exit ctl_account_remove(struct ctl *ctl);
enum ctl_exit ctl_app_create(struct ctl *ctl);
enum ctl_exit ctl_app_disable(struct ctl *ctl);
enum ctl_exit ctl_app_enable(struct ctl *ctl);
enum ctl_exit ctl_app_list(struct ctl *ctl);
enum ctl_exit ctl_app_render(struct ctl *ctl);
enum ctl_exit ctl_app_review(struct ctl *ctl);
enum ctl_exit ctl_app_types(struct ctl *ctl);
enum ctl_exit ctl_device_create(struct ctl *ctl);
enum ctl_exit ctl_device_list(struct ctl *ctl);
enum ctl_exit ctl_device_remove(struct ctl *ctl);
enum ctl_exit ctl_device_update(struct ctl *ctl);
enum ctl_exit ctl_installation_create(struct ctl *ctl);
enum ctl_exit ctl_installation_list(struct ctl *ctl);
enum ctl_exit ctl_key_create(struct ctl *ctl);
enum ctl_exit ctl_key_list(struct ctl *ctl);
enum ctl_exit ctl_key_revoke(struct ctl *ctl);
enum ctl_exit ctl_migrate(struct ctl *ctl);

/* ---- arguments.c ---- */

/* Reads flags and finds the command. CTL_DONE, or another code with the reason said. *ret_help:
 * only the help is wanted. */
enum ctl_exit ctl_read_arguments(struct ctl *ctl, int argc, char **argv, bool *ret_help);

/* A flag of this command; data is NULL where it was not given. */
struct str ctl_value(const struct ctl *ctl, const char *name);

/* Asks on the terminal whether to go on, unless --yes was given. CTL_DONE, or CTL_REFUSED with the
 * reason said. */
__attribute__((format(printf, 2, 3))) enum ctl_exit ctl_confirm(const struct ctl *ctl,
								const char *format, ...);

/* ---- check.c ---- */

/* For the options of commands; an account is named by its e-mail address. */
option_check ctl_check_account;
option_check ctl_check_clock;
option_check ctl_check_description;
option_check ctl_check_device_name;
option_check ctl_check_line;
option_check ctl_check_mac;
option_check ctl_check_name;
option_check ctl_check_remark;
option_check ctl_check_serial;
option_check ctl_check_slug;
option_check ctl_check_timezone;

/* ---- app_render.c: for the table of options ---- */

option_check ctl_check_time;
option_check ctl_check_seed;

/* ---- database.c ---- */

struct ctl_rows {
	enum refusal refusal; /* REFUSAL_NONE: done */
	unsigned count;
	void *rows; /* count structs of the statement's row, in the arena */
};

/* For a function of db/statements.h, which says what is asked, and for ctl_query() behind it. */
struct db_query *ctl_new_query(struct ctl *ctl);
/* Runs the statement, again where it met another one and the database ended it for that; the first
 * one connects to the database of the state directory, or to that of --database. CTL_DONE, also
 * where a constraint refused; else the reason was said. */
enum ctl_exit ctl_query(struct ctl *ctl, struct ctl_rows *ret_rows);

/* Says that there is no account with this e-mail address. */
enum ctl_exit ctl_fail_account(struct str email);
/* Finds an account by its e-mail address. CTL_DONE, or the reason was said. */
enum ctl_exit ctl_find_account(struct ctl *ctl, struct str email, struct id *ret_id);
/* Finds a device by ID, serial number or MAC address. CTL_DONE, or the reason was said. */
enum ctl_exit ctl_find_device(struct ctl *ctl, struct str name, struct device *ret_device);

/* ---- device.c ---- */

/* What URLs that are handed out start with, without a slash at its end: what was configured, else
 * what the running server says, else what one would say that listens as configured. */
struct str ctl_public_url(struct ctl *ctl);

/* ---- output.c ---- */

/* Says why on stderr; returns the code. */
__attribute__((format(printf, 2, 3))) enum ctl_exit ctl_fail(enum ctl_exit code, const char *format,
							     ...);
/* One row on stdout: an object, or a line a field. */
enum ctl_exit ctl_print_row(const struct ctl *ctl, const struct record *record, const void *row);
/* An array, or a table. rows: structs of the record. */
enum ctl_exit ctl_print_rows(const struct ctl *ctl, const struct record *record,
			     const struct ctl_rows *rows);
