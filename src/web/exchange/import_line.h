/* Lines of an import as they are stored. */
#pragma once

#include "domain/account_import.h"

/* Line as the database keeps it until all are there; what it has not is an empty text. */
struct account_import_row {
	struct str kind, name, line;
	struct str picture;   /* hexadecimal */
	struct str settings;  /* canonical */
	struct str encrypted; /* likewise: secret settings, encrypted with the instance's key */
	struct str hash;      /* likewise: of all settings */
	struct str checksum;  /* of a version */
};

/* Checks a line and makes of it what is stored, in the arena. file_key: NULL if secret
 * settings stay behind. Decodes pictures: for worker threads.
 * False, with a sentence in *ret_why. */
__attribute__((warn_unused_result)) bool
account_import_read(struct str text, const struct settings_key *file_key,
		    const struct settings_key *key, struct arena *arena,
		    struct account_import_row *ret_row, struct str *ret_why);
