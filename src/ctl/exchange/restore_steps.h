/* The steps of displayctl restore, all in one transaction:
 *
 *   empty    what is there is dropped, if that was asked for
 *   load     the tables as they were when the backup was made, and its rows
 *   migrate  up to what this program knows
 *
 * Each says the reason if it fails. */
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

/* Refuses a database that has anything in it, unless --replace was said and confirmed; and one with
 * tables that are not ours, or that another displayd uses. */
enum ctl_exit restore_make_empty(struct ctl *ctl);

/* ---- restore_load.c ---- */

/* Behind the head: tables, rows and sequences, to the end of the backup. */
enum ctl_exit restore_load(struct restore *restore);
