/* Key that encrypts secret settings of apps (domain/secret_settings.h): 64 hexadecimal digits in a
 * file.
 *
 *   DIR/secret-key            made at the first start, for its owner only (mode 0600)
 *   DIR/secret-key.restored   while a restore has put rows in place that need it, and not yet the
 * key: a server does not start then
 *   --secret-key-file FILE    one for several instances on one database; made by their operator */
#pragma once

#include "domain/secret_settings.h"
#include "main/reason.h"

/* Loads the key. file: the value of --secret-key-file; NULL: that of the state directory, which is
 * locked; makes a key there if there is none. Returns 0, or -1 with a reason, which does not
 * contain the key. */
__attribute__((warn_unused_result)) int secret_key_load(const char *state_dir, const char *file,
							struct settings_key *ret_key,
							bool *ret_is_new, struct reason *reterr);

/* Removes the key that was just made and has encrypted nothing, because the database has another
 * one.
 */
void secret_key_take_back(const char *state_dir);

/* Works as secret_key_load(), but makes no key. Returns 1, 0 if there is none, or -1 with a reason.
 */
__attribute__((warn_unused_result)) int secret_key_find(const char *state_dir, const char *file,
							struct settings_key *ret_key,
							struct reason *reterr);

/* Used by a restore, which holds the lock of the state directory: prepare before its rows are
 * committed, then replace; or drop, if they were not. They return 0, or -1 with a reason. */
__attribute__((warn_unused_result)) int
secret_key_prepare(const char *state_dir, const struct settings_key *key, struct reason *reterr);
__attribute__((warn_unused_result)) int secret_key_replace(const char *state_dir,
							   struct reason *reterr);
void secret_key_drop(const char *state_dir);
