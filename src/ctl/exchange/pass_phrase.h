/* The pass phrase of a backup, or for secret settings in the export of an account. For the latter
 * the key is made from it with argon2id (3 passes, 64 MiB), as format 1 requires. */
#pragma once

#include "ctl/ctl.h"
#include "ctl/exchange/account_file.h"
#include "domain/secret_settings.h"

/* Reads the first line of --pass-phrase-file, 8 to 1024 bytes, into the arena. Its data is NULL if
 * the option was not given. */
enum ctl_exit pass_phrase_read(struct ctl *ctl, struct str *ret_phrase);
/* Works as pass_phrase_read(), but asks on the terminal if the option was not given. */
enum ctl_exit pass_phrase_ask(struct ctl *ctl, struct str *ret_phrase);
/* Prints that no memory is left to make a key. */
enum ctl_exit pass_phrase_fail_memory(void);

/* Makes the key. */
enum ctl_exit pass_phrase_key(struct str phrase, const uint8_t salt[static ACCOUNT_SALT_BYTES],
			      struct settings_key *ret_key);
