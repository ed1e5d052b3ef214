/* SIGUSR2: another program, mostly a newer one at the same path, replaces this one in the same
 * process.
 *
 *   IDLE --> CHECKING --> WAITING --> execve(), and in the new program TAKING
 *               |            |        (WAITING: until no worker retires)
 *               |            +------> too long: IDLE
 *               +-------------------> refused: IDLE
 *               +-------------------> RESTARTING: all children stop, then execve()
 *                                     without a hand-over
 *
 *   TAKING --> new workers serve: IDLE
 *      +-----> they do not: execve() of the old program, which continues: IDLE
 *
 * The outcome is in the log and in DIR/upgrade (main/upgrade_note.h). */
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
	bool is_wanted; /* SIGUSR2 was received */
	char program[PATH_MAX];
	int argc;
	char *const *argv;
	struct upgrade_note note;
	struct upgrade_check check;
	struct upgrade_wait wait;
	char state_dir[PATH_MAX];      /* while RESTARTING, when there is no instance any more */
	struct instance_before before; /* while TAKING */
	struct handover handover;      /* while TAKING: from the old program */
};

/* argv as passed to main(); the first one names the program. */
void upgrade_init(struct upgrade *upgrade, int argc, char *const argv[]);

/* Reads the handover, if there is one. Returns false with a reason if it cannot be used. */
__attribute__((warn_unused_result)) bool upgrade_receive(struct upgrade *upgrade,
							 struct reason *reterr);
bool upgrade_was_handed_over(const struct upgrade *upgrade);
/* Returns the file with the configuration as read by the old program; NULL: read the configuration
 * as usual. */
const char *upgrade_config_file(const struct upgrade *upgrade, char ret_path[static 64]);

/* Takes over the instance. Returns EXIT_DONE or an exit code with a reason. */
enum exit_code upgrade_take_over(struct upgrade *upgrade, struct instance *instance,
				 const struct config *config, struct reason *reterr);
/* Then takes over the children, and begins to renew them. Returns false with a reason on failure.
 */
__attribute__((warn_unused_result)) bool upgrade_take_children(struct upgrade *upgrade,
							       struct instance *instance,
							       struct children *children,
							       struct reason *reterr);

/* Call it while the children run: does what is due. reloads: a reload is under way. Returns when to
 * call it again. */
uint64_t upgrade_run_due(struct upgrade *upgrade, struct instance *instance,
			 struct children *children, bool reloads, uint64_t now_ms);

/* Takes the end of a process. Returns true if it was the check. */
bool upgrade_note_end(struct upgrade *upgrade, const struct instance *instance,
		      struct children *children, pid_t pid, int status, uint64_t now_ms);

/* Call it while TAKING, when the renewal has ended. Does not return if the old program comes back.
 */
void upgrade_end(struct upgrade *upgrade, struct instance *instance, struct children *children,
		 bool is_done);

/* Executes the old program again. Returns only on failure. */
void upgrade_go_back(struct upgrade *upgrade, const char *why);

/* Notes a start without a handover: an unfinished upgrade ended with the previous process, unless
 * it is a restart. */
void upgrade_note_start(struct upgrade *upgrade, const struct instance *instance);
/* Notes that this server serves: an upgrade by restart is done. */
void upgrade_note_ready(struct upgrade *upgrade, const struct instance *instance);
/* Notes that this server ended before it served: an upgrade by restart failed. */
void upgrade_note_failed_start(struct upgrade *upgrade, const struct instance *instance);

/* Whether everything is being stopped for the new program. */
bool upgrade_is_restart(const struct upgrade *upgrade);
/* Cancels such a restart: the server stops. Returns false if there was none. */
bool upgrade_cancel_restart(struct upgrade *upgrade);

/* Executes the new program, if that was requested. Call it when all children have ended and nothing
 * is open.
 */
void upgrade_restart(struct upgrade *upgrade);
