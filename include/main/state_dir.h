/* State directory: data that a server keeps, and that displayctl uses.
 *
 *   DIR/lock         locked (F_OFD_SETLK) by the running server, holds its process ID
 *   DIR/public-url   start of the server's URLs; exists while the server is ready
 *   DIR/panel-url    start of panels' URLs: not a loopback address, if the server listens at
 *                    another one
 *   DIR/admin.sock   the private socket, mode 0600: users who may read this directory are operators
 *                    there, without a port, a token or a setting (task/access.h)
 *   DIR/upgrade      outcome of the last upgrade, see src/main/upgrade_note.h
 *   DIR/reload       outcome of the last reload, see src/main/upgrade_note.h
 *   DIR/secret-key   key of secret settings, see src/main/secret_key.h
 *   DIR/timeline     highest timeline of a database with several servers, see db/timeline.h
 *   DIR/postgres     the embedded cluster, see cluster/cluster.h
 */
#pragma once

#include "db/timeline.h"
#include "main/reason.h"

#include <sys/types.h>

/* State directory of displayd.service, and root's default. The unit names it %S/displayd,
 * tmpfiles.d by this path. */
#define STATE_DIR_OF_SERVICE "/var/lib/displayd"

/* Returns STATE_DIR_OF_SERVICE for root, else $XDG_STATE_HOME/displayd or ~/.local/state/displayd;
 * the caller frees it. Ignores DISPLAYD_STATE_DIR. */
char *state_dir_default(void);

/* Makes the directory (mode 0700) and its parents if they are missing, and takes its lock. Returns
 * the descriptor, which holds the lock until it is closed. Removes a public-url that a killed
 * server left. Returns -EBUSY if a running server has the lock (*ret_owner is its process ID, 0 if
 * unknown); another negative errno if the directory cannot be used. */
__attribute__((warn_unused_result)) int state_dir_lock(const char *state_dir, pid_t *ret_owner,
						       struct reason *reterr);

/* If the process is root, gives a new file there to the directory's owner, to whom the process
 * changes later. Returns 0 or a negative errno. */
__attribute__((warn_unused_result)) int state_dir_give(const char *state_dir, int fd);

/* If the file belongs to another user, adds its owner and the remedy to the reason why this user
 * may not use it. */
void state_dir_explain(const char *state_dir, const char *path, struct reason *reason);

/* Whether a server runs with this directory: 1 or 0, or a negative errno if unknown. */
int state_dir_is_locked(const char *state_dir);

/* Returns the process ID that the server has written there; 0 if there is none. */
pid_t state_dir_owner(const char *state_dir);

/* Replaces each of the two files atomically, or removes them (both NULL). Returns 0 or a negative
 * errno. */
__attribute__((warn_unused_result)) int
state_dir_write_urls(const char *state_dir, const char *public_url, const char *panel_url);

/* Returns the text of public-url, which the caller frees, or NULL if there is none. */
char *state_dir_read_public_url(const char *state_dir);
char *state_dir_read_panel_url(const char *state_dir);

/* Replaces the file timeline atomically. Returns 0 or a negative errno. */
__attribute__((warn_unused_result)) int state_dir_write_timeline(const char *state_dir,
								 struct timeline timeline);
/* Unknown if there is no such file. */
struct timeline state_dir_read_timeline(const char *state_dir);

/* Private socket: HTTP_ROLE_OPERATOR. */
#define STATE_DIR_SOCKET "admin.sock"
