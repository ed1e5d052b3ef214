/* Lines of an import as they are stored. */
#pragma once

#include "domain/account_import.h"

/* Line as the database keeps it until all have arrived; missing members are empty texts. */
struct account_import_row {
	struct str kind, name, line;
	struct str picture;   /* hexadecimal */
	struct str settings;  /* canonical */
	struct str encrypted; /* secret settings, encrypted with the instance's key; hexadecimal */
	struct str hash;      /* hash of all settings; hexadecimal */
	struct str checksum;  /* checksum of a version */
};

/* Checks a line and makes the stored form, in the arena. file_key: NULL if secret settings stay
 * behind. Decodes pictures, so call it on worker threads. Returns false, with a sentence in
 * *ret_why, if the line is invalid. */
__attribute__((warn_unused_result)) bool
account_import_read(struct str text, const struct settings_key *file_key,
		    const struct settings_key *key, struct arena *arena,
		    struct account_import_row *ret_row, struct str *ret_why);
