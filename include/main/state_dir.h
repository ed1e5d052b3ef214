/* The state directory: what a server keeps and what displayctl finds beside it.
 *
 *   DIR/lock         locked (F_OFD_SETLK) by the running server, holds its process ID
 *   DIR/public-url   what URLs that are handed out start with; there while the server is ready
 *   DIR/panel-url    what those of panels start with: not an address of this machine alone, if
 *                    the server listens at another one
 *   DIR/admin.sock   the private socket, mode 0600: who may read this directory is the operator
 *                    there, without a port, a token or a setting (task/access.h)
 *   DIR/upgrade      what became of the last upgrade, see src/main/upgrade_note.h
 *   DIR/reload       what became of the last reload, see there
 *   DIR/secret-key   what secret settings are encrypted with, see src/main/secret_key.h
 *   DIR/postgres     the embedded cluster, see cluster/cluster.h
 */
#pragma once

#include "main/reason.h"

#include <sys/types.h>

/* State directory of displayd.service, and root's default. The unit names it %S/displayd,
 * tmpfiles.d by this path. */
#define STATE_DIR_OF_SERVICE "/var/lib/displayd"

/* DISPLAYD_STATE_DIR is not looked at here. STATE_DIR_OF_SERVICE for root, else
 * $XDG_STATE_HOME/displayd or ~/.local/state/displayd. To be freed. */
char *state_dir_default(void);

/* Makes the directory (mode 0700) and its parents if they are missing, and takes its lock: the
 * descriptor, which holds the lock until it is closed. A public-url that a killed server left is
 * removed. -EBUSY if a running server has it
 * (*ret_owner is its process ID, 0 if unknown); another negative errno if it cannot be used. */
__attribute__((warn_unused_result)) int state_dir_lock(const char *state_dir, pid_t *ret_owner,
						       struct reason *reterr);

/* Gives, if the process is root, a file just made there to the directory's owner, as whom the
 * process goes on later. 0 or a negative errno. */
__attribute__((warn_unused_result)) int state_dir_give(const char *state_dir, int fd);

/* Adds to a reason why this user may not use a file there whose it is, and the remedy, if it is
 * another user's. */
void state_dir_explain(const char *state_dir, const char *path, struct reason *reason);

/* Whether a server runs on it. A negative errno if that cannot be told. */
int state_dir_is_locked(const char *state_dir);

/* The process ID that the server there has noted; 0 if there is none. */
pid_t state_dir_owner(const char *state_dir);

/* Replaces each of the two files as one; or removes them (both NULL). 0 or a negative errno. */
__attribute__((warn_unused_result)) int
state_dir_write_urls(const char *state_dir, const char *public_url, const char *panel_url);

/* NULL if there is none. To be freed. */
char *state_dir_read_public_url(const char *state_dir);
char *state_dir_read_panel_url(const char *state_dir);

/* The private socket: HTTP_ROLE_OPERATOR. */
#define STATE_DIR_SOCKET "admin.sock"
