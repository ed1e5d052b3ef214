/* SIGHUP: the configuration is read anew while the server runs. What becomes of it is in the log
 * and in DIR/reload (main/upgrade_note.h).
 *
 *   read -> refused: the one before stays
 *        -> nothing that workers use has changed: done
 *        -> sockets -> fresh workers (main/children.h) -> done | back to the one before
 *
 * Settings by which an instance is made (its folder, database, number of workers) stay as they were
 * at the start, and the log names those that differ. */
#pragma once

#include "main/instance_change.h"
#include "main/upgrade_note.h"

struct reload {
	const struct config *first; /* that of the start: what cannot change is taken from there */
	struct config *current;	    /* the one in force; NULL: the first */
	struct config *next;	    /* while fresh workers start; else NULL */
	bool changes_host;	    /* the render host has to be started anew */
	struct upgrade_note note;
	struct instance_before before;
};

enum reload_outcome {
	RELOAD_REFUSED,	  /* the log says why */
	RELOAD_UNCHANGED, /* there is nothing to start anew */
	RELOAD_BEGUN,	  /* fresh workers are to start; reload_end() comes */
};

/* first stays valid, and is not the reload's. reload_finish() it. */
void reload_init(struct reload *reload, const struct config *first);
void reload_finish(struct reload *reload);

/* argv as main() got it. */
enum reload_outcome reload_begin(struct reload *reload, struct instance *instance, int argc,
				 char *const argv[]);

/* is_done: fresh workers serve with it. Else the one before is in force again. */
void reload_end(struct reload *reload, struct instance *instance, bool is_done);
