/* Apps and their versions, as the public API shows them. */
#pragma once

#include "domain/app_records.h"

enum { APP_VERSION_NAME_LENGTH_MAX = 64 };

/* Part of an app that determines access. */
struct app {
	struct id id;
	struct id account_id; /* none if its owner is gone */
	struct str slug;
	bool is_private;
};

extern const struct record app_record;

/* "sha256:" and 64 hexadecimal digits. */
enum { APP_CHECKSUM_LENGTH = 7 + 64 };

/* Body of an upload. */
struct app_upload {
	struct str version;
	struct str script_content;
	struct str script_language;
	char checksum[APP_CHECKSUM_LENGTH + 1]; /* of a body without faults: computed when it is
						   read */
};

/* NULL, or the fault of a version's name, or of its script. */
const char *app_version_name_check(struct str name);
const char *app_script_check(struct str script);
/* NULL, or the fault of the name of a script's language. */
const char *app_language_check(struct str language);

/* Writes the SHA-256 of the language's name, a newline and the script, followed by a NUL. */
void app_checksum(struct str script_language, struct str script_content,
		  char ret_text[static APP_CHECKSUM_LENGTH + 1]);
