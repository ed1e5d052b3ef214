/* Before a program replaces this one, it is started once as a check: "--check-upgrade" reads the
 * configuration, looks for the database's programs, and prints what this file compares.
 *
 *   displayd-upgrade VERSION HANDOVER SCHEMA SETTINGS
 *
 * VERSION is the program's, HANDOVER the version of main/handover.h, SCHEMA the number of its last
 * migration, SETTINGS a hash of the settings that a running instance cannot change. */
#pragma once

#include "main/config.h"
#include "main/reason.h"

#include <sys/types.h>

struct upgrade_check {
	pid_t pid; /* 0: none is under way */
	int output_fd;
	uint64_t until_ms; /* when it is killed */
};

enum upgrade_result {
	UPGRADE_FITS,	  /* it can replace this program */
	UPGRADE_RESTARTS, /* needs a normal restart; with a reason */
	UPGRADE_UNFIT,	  /* could not start; with a reason */
};

/* Called in the program under test: returns its exit code. */
int upgrade_check_print(const struct config *config);

/* Starts the program with these arguments, followed by --check-upgrade. Returns 0 or a negative
 * errno.
 */
__attribute__((warn_unused_result)) int
upgrade_check_start(struct upgrade_check *check, const char *program, int argc, char *const argv[]);

/* Kills a check that takes too long. Returns when to call it again. */
uint64_t upgrade_check_watch(const struct upgrade_check *check, uint64_t now_ms);

/* Evaluates the check when its process has ended, with the status of waitpid(). config: that in
 * force. */
enum upgrade_result upgrade_check_end(struct upgrade_check *check, int status,
				      const struct config *config, char ret_version[static 64],
				      struct reason *reterr);
