/* The state directory: what a server keeps and what displayctl finds beside it.
 *
 *   DIR/lock         locked (F_OFD_SETLK) by the running server, holds its process ID
 *   DIR/public-url   what URLs that are handed out start with; there while the server is ready
 *   DIR/postgres     the embedded cluster, see db/cluster.h
 */
#pragma once

#include "main/reason.h"

#include <sys/types.h>

/* DISPLAYD_STATE_DIR is not looked at here. /var/lib/displayd for root, else
 * $XDG_STATE_HOME/displayd or ~/.local/state/displayd. To be freed. */
char *state_dir_default(void);

/* Makes the directory (mode 0700) and its parents where they are missing, and takes its lock: the
 * descriptor, which holds the lock until it is closed. A public-url that a killed server left is
 * removed. -EBUSY where a running server has it
 * (*ret_owner is its process ID, 0 if unknown); another negative errno where it cannot be used. */
__attribute__((warn_unused_result)) int state_dir_lock(const char *state_dir, pid_t *ret_owner,
						       struct reason *reterr);

/* Whether a server runs on it. A negative errno where that cannot be told. */
int state_dir_is_locked(const char *state_dir);

/* Replaces the file as one; or removes it (url NULL). 0 or a negative errno. */
__attribute__((warn_unused_result)) int state_dir_write_public_url(const char *state_dir,
								   const char *url);

/* NULL where there is none. To be freed. */
char *state_dir_read_public_url(const char *state_dir);
