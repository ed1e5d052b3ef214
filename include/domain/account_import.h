/* Accounts that go from one instance to another (docs/export.md): bodies and answers between
 * displayctl and the server. */
#pragma once

#include "domain/account_import_records.h"
#include "domain/account_line.h"
#include "domain/secret_settings.h"

/* Last line of the answer, which does not belong to the file. */
struct account_exported {
	int64_t devices, apps;
	int64_t secrets_left_out; /* entries whose secret settings stayed behind */
	struct str problem;	  /* why the export is invalid; data NULL: it is complete */
};

extern const struct record account_exported_record;

/* Reads the key of a body whose record was checked. Returns false if there is none. */
bool account_file_key(struct str text, struct settings_key *ret_key);
