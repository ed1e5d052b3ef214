/* Apps and their versions, as the public API shows them. */
#pragma once

#include "record/record.h"

enum { APP_VERSION_NAME_LENGTH_MAX = 64 };

/* Part of an app that determines access. */
struct app {
	struct id id;
	struct id account_id; /* none if its owner is gone */
	struct str slug;
	bool is_private;
};

extern const struct record app_record;

/* An app in the list of apps that an account can install. */
struct app_listed {
	struct id id;
	struct str name;
	struct str description;
	struct str version;
	struct str author_name;
	struct str collection; /* collection that it was imported with; empty: none */
	struct str category;
	struct str tags;	  /* JSON */
	struct str broken_reason; /* empty: it is not broken */
};

extern const struct record app_listed_record;

struct app_version {
	struct id id;
	struct str version;
	struct str script_language;
	struct str checksum;
	struct str status;
	int64_t reviewed_at_us; /* 0: not yet */
	struct str rejection_reason;
	struct str review_summary;
	struct str review_comments; /* JSON */
	int64_t created_at_us;
	bool deployed;
};

extern const struct record app_version_record;

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

extern const struct record app_upload_record;

/* Body of a deployment. */
struct app_deploy {
	struct str version;
};

extern const struct record app_deploy_record;

/* NULL, or the fault of a version's name, or of its script. */
const char *app_version_name_check(struct str name);
const char *app_script_check(struct str script);
/* NULL, or the fault of the name of a script's language. */
const char *app_language_check(struct str language);

/* Writes the SHA-256 of the language's name, a newline and the script, followed by a NUL. */
void app_checksum(struct str script_language, struct str script_content,
		  char ret_text[static APP_CHECKSUM_LENGTH + 1]);
