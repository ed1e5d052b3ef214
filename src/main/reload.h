/* SIGHUP: reads the configuration again while the server runs. The outcome is in the log and in
 * DIR/reload (main/upgrade_note.h).
 *
 *   read -> refused: the old one stays
 *        -> no change for workers: done
 *        -> sockets -> new workers (main/children.h) -> done | back to the old one
 *
 * Fixed settings of an instance (its folder, database, number of workers) stay as at the start, and
 * the log names those that differ. */
#pragma once

#include "main/instance_change.h"
#include "main/upgrade_note.h"

struct reload {
	const struct config *first; /* configuration of the start, from which fixed settings are
				       taken */
	struct config *current;	    /* configuration in force; NULL: the first */
	struct config *next;	    /* while new workers start; else NULL */
	bool changes_host;	    /* the render host must be restarted */
	struct upgrade_note note;
	struct instance_before before;
};

enum reload_outcome {
	RELOAD_REFUSED,	  /* the log has the reason */
	RELOAD_UNCHANGED, /* nothing needs a restart */
	RELOAD_BEGUN,	  /* new workers must be started; then call reload_end() */
};

/* first must outlive the reload, which does not own it. Free with reload_finish(). */
void reload_init(struct reload *reload, const struct config *first);
void reload_finish(struct reload *reload);

/* argv as passed to main(). */
enum reload_outcome reload_begin(struct reload *reload, struct instance *instance, int argc,
				 char *const argv[]);

/* is_done: new workers serve with the configuration. Else the old one is in force again. */
void reload_end(struct reload *reload, struct instance *instance, bool is_done);
