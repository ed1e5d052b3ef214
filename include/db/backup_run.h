/* A backup that a worker makes on a thread of its own, encrypted with a pass phrase, piece by
 * piece:
 *
 *   backup_run_start() -> done() -> backup_run_more() -> done() ... -> BACKUP_RUN_END or _FAILED
 *
 * Nothing is stored on the disk. While it runs, the database keeps rows that are replaced: so the
 * caller ends a run whose pieces nobody takes. One at a time, of all instances: another one fails
 * with BACKUP_RUN_BUSY. */
#pragma once

#include "db/db.h"
#include "domain/age_file.h"

struct backup_run;

enum backup_run_state {
	BACKUP_RUN_PIECE, /* there is a piece, and more may follow */
	BACKUP_RUN_END,	  /* the last piece, perhaps an empty one */
	BACKUP_RUN_BUSY,  /* another backup is being made */
	BACKUP_RUN_FAILED,
};

struct backup_run_order {
	/* Called on the loop, later, each time the thread is done. */
	void (*done)(void *context);
	void *context;
	struct age_key key;	/* of the file */
	const uint8_t *own_key; /* key for secret settings, BACKUP_KEY_BYTES, which outlives the
				   run; NULL: it is not in the backup */
};

/* Begins, and makes the first piece. The order is copied. */
struct backup_run *backup_run_start(struct db *db, const struct backup_run_order *order);
/* Returns how far the thread is, and what it has made; only when done. *ret_piece: some 64 KiB,
 * valid until the next call for this run. */
enum backup_run_state backup_run_take(struct backup_run *run, struct str *ret_piece);
/* Makes the next piece; only after BACKUP_RUN_PIECE. */
void backup_run_more(struct backup_run *run);
/* Ends the run, whether it is done or not. done() is not called any more. */
void backup_run_end(struct backup_run *run);
