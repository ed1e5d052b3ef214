/* The pass phrase under which secret settings travel in the export of an account, and the key that
 * is made of it: argon2id with 3 passes over 64 MiB, as format 1 has it. */
#pragma once

#include "ctl/ctl.h"
#include "ctl/exchange/account_file.h"
#include "domain/secret_settings.h"

/* The option --pass-phrase-file: its first line, of 8 bytes or more. NULL data: it was not given.
 * CTL_DONE, or the reason was said. */
enum ctl_exit pass_phrase_read(struct ctl *ctl, struct str *ret_phrase);

/* CTL_DONE, or the reason was said. */
enum ctl_exit pass_phrase_key(struct str phrase, const uint8_t salt[static ACCOUNT_SALT_BYTES],
			      struct settings_key *ret_key);
