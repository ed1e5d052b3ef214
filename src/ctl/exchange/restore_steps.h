/* The steps of displayctl restore, all in one transaction:
 *
 *   empty    drops existing tables, if allowed
 *   load     creates the tables as they were at the backup, and loads its rows
 *   migrate  to the schema of this program
 *
 * Each prints the reason if it fails. */
#pragma once

#include "ctl/ctl.h"
#include "ctl/exchange/backup_frame.h"
#include "domain/secret_settings.h"

struct restore {
	struct ctl *ctl;
	int fd;
	struct backup_reader reader;
	unsigned schema;
	struct str made_at; /* in the arena */
	bool has_key;
	struct settings_key key;
	uint64_t rows;
};

/* ---- restore_empty.c ---- */

/* Drops displayd's objects. Rejects a database with rows that a server does not create by itself,
 * unless --replace was given and confirmed; and one with other tables, or that another displayd
 * uses. Returns CTL_DONE, or another code after printing the reason. */
enum ctl_exit restore_make_empty(struct ctl *ctl);

/* ---- restore_load.c ---- */

/* Loads tables, rows and sequences, from after the head to the end of the backup. Returns CTL_DONE,
 * or another code after printing the reason. */
enum ctl_exit restore_load(struct restore *restore);
