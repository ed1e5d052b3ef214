/* Import of a checkout's apps as a collection, as displayctl app import sends it: first the list of
 * apps, then each app that is new or has changed. */
#pragma once

#include "domain/app.h"
#include "domain/app_import_records.h"

enum {
	IMPORT_TAGS_MAX = 20,
	IMPORT_TAG_LENGTH_MAX = 40,
	IMPORT_SCRIPT_BYTES_MAX = 8 << 20,
};

/* Body that imports an app. */
struct app_import {
	struct str slug;
	struct str name;
	struct str description;
	struct str author; /* data NULL: not given */
	struct str origin; /* its ID in the checkout */
	struct str category;
	const struct json_value *tag_list; /* elements: the arrays below */
	struct str tags[IMPORT_TAGS_MAX];
	unsigned tag_count;
	struct str broken_reason; /* data NULL: it is not broken */
	struct str script_language;
	struct str script_content;
	struct str picture;			/* base64; data NULL: none */
	bool only_check;			/* checks only, stores nothing */
	char checksum[APP_CHECKSUM_LENGTH + 1]; /* of a body without faults: computed when it is
						   read */
};

/* Name of a version that is named by its content: the first digits of its checksum. */
struct str import_version(const char checksum[static APP_CHECKSUM_LENGTH + 1]);
