/* Imports each line of an export, in one transaction. */
#pragma once

#include "ctl/ctl.h"
#include "ctl/exchange/account_file.h"
#include "domain/person.h"
#include "domain/secret_settings.h"

struct account_import_row {
	struct str account;
	int64_t devices;
	int64_t entries;
	int64_t apps;
	int64_t versions;
	int64_t keys;
	int64_t skipped; /* entries of apps that are not here */
};

struct account_import {
	struct ctl *ctl;
	int fd;
	struct account_reader reader;
	struct str phrase; /* NULL: none was given */
	bool has_key;
	struct settings_key key, file_key;
	char email[4 * EMAIL_LENGTH_MAX + 1]; /* that the account has got; characters of UTF-8 */
	struct id account_id;
	struct id app_id;	     /* that was made last */
	struct id device_id;	     /* likewise */
	int64_t picture_limit_bytes; /* of that device */
	int64_t position;	     /* of its last entry */
	struct account_import_row row;
};

/* CTL_DONE, or the reason was said. */
enum ctl_exit import_line(struct account_import *import, const struct account_line *line);

/* ---- import_entry.c ---- */

enum ctl_exit import_entry(struct account_import *import, const struct account_line *line);

/* ---- import_step.c ---- */

/* Says what is wrong with the line that is read. */
__attribute__((format(printf, 2, 3))) enum ctl_exit
import_fail_line(const struct account_import *import, const char *format, ...);
/* Runs the statement that was prepared. *ret_has_row: whether it gave one. A rule that stands
 * against it was said. */
enum ctl_exit import_run(struct account_import *import, const struct account_line *line,
			 bool *ret_has_row);
