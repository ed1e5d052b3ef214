/* Name of an ordered backup in its URL: the key of the file that will be made, for one session and
 * a short time, encrypted with a key derived from the instance's secret key. So every worker and
 * every instance with that key makes the backup, and nothing is stored. Pure, but for random
 * numbers. */
#pragma once

#include "domain/age_file.h"
#include "domain/secret_settings.h"

struct backup_token {
	int64_t ends_s; /* Unix time */
	struct id session_id;
	struct age_key key;
};

enum {
	BACKUP_TOKEN_LIFE_S = 60,
	BACKUP_TOKEN_BYTES =
	    8 + ID_BYTES + AGE_KEY_BYTES + AGE_SALT_BYTES + AGE_WRAPPED_BYTES + 24 + 16,
	BACKUP_TOKEN_LENGTH = (BACKUP_TOKEN_BYTES * 4 + 2) / 3,
};

/* Writes the name, with a NUL. */
void backup_token_write(const struct settings_key *key, const struct backup_token *token,
			char ret_text[static BACKUP_TOKEN_LENGTH + 1]);
/* Returns false if the text is not such a name. The caller compares session and time. */
__attribute__((warn_unused_result)) bool
backup_token_read(const struct settings_key *key, struct str text, struct backup_token *ret_token);
