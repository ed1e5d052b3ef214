/* SIGUSR2: another program, mostly a newer one at the same path, takes the place of this one in the
 * same process.
 *
 *   IDLE --> CHECKING --> WAITING --> execve(), and in the new program TAKING
 *               |            |        (WAITING: until no worker retires)
 *               |            +------> too long: IDLE
 *               +-------------------> refused: IDLE
 *               +-------------------> RESTARTING: all children stop, then execve()
 *                                     without a hand-over
 *
 *   TAKING --> fresh workers serve: IDLE
 *      +-----> they do not: execve() of the program before, which goes on: IDLE
 *
 * What becomes of it is in the log and in DIR/upgrade (main/upgrade_note.h). */
#pragma once

#include "main/children_adopt.h"
#include "main/instance_handover.h"
#include "main/upgrade_check.h"
#include "main/upgrade_note.h"
#include "main/upgrade_wait.h"

enum upgrade_phase {
	UPGRADE_IDLE,
	UPGRADE_IN_CHECK,
	UPGRADE_IN_WAIT,
	UPGRADE_IN_RESTART,
	UPGRADE_TAKING,
};

struct upgrade {
	enum upgrade_phase phase;
	bool is_wanted; /* SIGUSR2 came */
	char program[PATH_MAX];
	int argc;
	char *const *argv;
	struct upgrade_note note;
	struct upgrade_check check;
	struct upgrade_wait wait;
	char state_dir[PATH_MAX];      /* while RESTARTING, when there is no instance any more */
	struct instance_before before; /* while TAKING */
	struct handover handover;      /* likewise, from the program before */
};

/* argv as main() got it, of which the first names the program. */
void upgrade_init(struct upgrade *upgrade, int argc, char *const argv[]);

/* Reads what this program was handed, if it was. False with a reason: it cannot be used. */
__attribute__((warn_unused_result)) bool upgrade_receive(struct upgrade *upgrade,
							 struct reason *reterr);
bool upgrade_was_handed_over(const struct upgrade *upgrade);
/* The configuration is to be read from this file, as the program before had read it; NULL: as
 * usual. */
const char *upgrade_config_file(const struct upgrade *upgrade, char ret_path[static 64]);

/* Makes the instance what it was. EXIT_DONE or an exit code with a reason. */
enum exit_code upgrade_take_over(struct upgrade *upgrade, struct instance *instance,
				 const struct config *config, struct reason *reterr);
/* Then the children, and begins to renew them. False with a reason. */
__attribute__((warn_unused_result)) bool upgrade_take_children(struct upgrade *upgrade,
							       struct instance *instance,
							       struct children *children,
							       struct reason *reterr);

/* While the children run: does what is due; reloads: a reload is under way. Returns when it is to
 * be called again. */
uint64_t upgrade_run_due(struct upgrade *upgrade, struct instance *instance,
			 struct children *children, bool reloads, uint64_t now_ms);

/* A process has ended: true if it was the check. */
bool upgrade_note_end(struct upgrade *upgrade, const struct instance *instance,
		      struct children *children, pid_t pid, int status, uint64_t now_ms);

/* While TAKING: the renewal has ended. Does not return if this program goes. */
void upgrade_end(struct upgrade *upgrade, struct instance *instance, struct children *children,
		 bool is_done);

/* The program before goes on, if it can: then this does not return. */
void upgrade_go_back(struct upgrade *upgrade, const char *why);

/* Notes a start without a handover: an unfinished upgrade ended with the previous process, unless
 * it is a restart. */
void upgrade_note_start(struct upgrade *upgrade, const struct instance *instance);
/* Notes that this server serves: an upgrade by restart is done. */
void upgrade_note_ready(struct upgrade *upgrade, const struct instance *instance);
/* Notes that this server ended before it served: an upgrade by restart failed. */
void upgrade_note_failed_start(struct upgrade *upgrade, const struct instance *instance);

/* Whether all is stopped for the new program. */
bool upgrade_is_restart(const struct upgrade *upgrade);
/* Then it is stopped for good. False: it is not stopped for that. */
bool upgrade_cancel_restart(struct upgrade *upgrade);

/* All children have ended, and nothing is open: executes the new program, if that was the aim.
 */
void upgrade_restart(struct upgrade *upgrade);
