/* The key with which settings of apps are encrypted that are secret (domain/secret_settings.h): 64
 * hexadecimal digits in a file.
 *
 *   DIR/secret-key            made at the first start, for its owner only (mode 0600)
 *   DIR/secret-key.restored   while a restore has put rows in place that need it, and not yet the
 * key: a server does not start then
 *   --secret-key-file FILE    one for several instances on one database; made by their operator */
#pragma once

#include "domain/secret_settings.h"
#include "main/reason.h"

/* file: the value of --secret-key-file; NULL: that of the state directory, which is locked, and
 * where one is made if there is none. 0, or -1 with a reason that holds nothing of the key. */
__attribute__((warn_unused_result)) int secret_key_load(const char *state_dir, const char *file,
							struct settings_key *ret_key,
							bool *ret_is_new, struct reason *reterr);

/* Removes the one that was just made, with which nothing was encrypted: the database has another.
 */
void secret_key_take_back(const char *state_dir);

/* Makes none. 1; 0: there is none; or -1 with a reason. */
__attribute__((warn_unused_result)) int secret_key_find(const char *state_dir, const char *file,
							struct settings_key *ret_key,
							struct reason *reterr);

/* Used by a restore, which holds the lock of the state directory: prepare before its rows are
 * committed, then replace; or drop, if they were not. 0, or -1 with a reason. */
__attribute__((warn_unused_result)) int
secret_key_prepare(const char *state_dir, const struct settings_key *key, struct reason *reterr);
__attribute__((warn_unused_result)) int secret_key_replace(const char *state_dir,
							   struct reason *reterr);
void secret_key_drop(const char *state_dir);
