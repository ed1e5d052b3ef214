/* The steps of displayctl restore, all in one transaction:
 *
 *   empty    drops existing tables, if allowed
 *   load     creates the tables as they were at the backup, and loads its rows
 *   migrate  to the schema of this program
 *
 * Each prints the reason if it fails. */
#pragma once

#include "ctl/ctl.h"
#include "ctl/exchange/backup_reader.h"
#include "domain/secret_settings.h"

#include <signal.h>

struct restore {
	struct ctl *ctl;
	struct backup_reader reader;
	unsigned schema;
	struct str made_at; /* in the arena */
	bool has_key;
	struct settings_key key;
	int64_t rows;
};

/* Set by a signal: the restore must fail. */
extern volatile sig_atomic_t restore_is_interrupted;

/* ---- restore_load.c ---- */

/* Loads tables, rows and sequences, from after the head to the end of the backup. */
enum ctl_exit restore_load(struct restore *restore);
