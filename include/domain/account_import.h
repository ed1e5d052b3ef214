/* Accounts that go from one instance to another (docs/export.md): bodies and answers between
 * displayctl and the server. */
#pragma once

#include "domain/account_line.h"
#include "domain/secret_settings.h"

/* Body that begins an import. */
struct account_import_creation {
	struct str email; /* address for the imported account; empty: its own */
	bool keeps_public;
	bool skips_missing; /* skips entries whose app is missing here */
};

extern const struct record account_import_creation_record;

struct account_import_created {
	struct id id;
};

extern const struct record account_import_created_record;

/* Body with lines of an export. */
struct account_import_lines {
	int64_t first; /* number of the first line in the file */
	struct str lines;
	struct str file_key; /* 64 hexadecimal digits; empty: secret settings stay behind */
};

extern const struct record account_import_lines_record;

/* Imported account. */
struct account_imported {
	struct str account; /* e-mail address */
	int64_t devices, entries, apps, versions, keys;
	int64_t skipped; /* entries whose app is missing here */
};

extern const struct record account_imported_record;

/* Body that asks for an export: if it has a key, secret settings are encrypted with it. */
struct account_export {
	struct str file_key; /* 64 hexadecimal digits; empty: secret settings stay behind */
};

extern const struct record account_export_record;

/* Last line of the answer, which does not belong to the file. */
struct account_exported {
	int64_t devices, apps;
	int64_t secrets_left_out; /* entries whose secret settings stayed behind */
	struct str problem;	  /* why the export is invalid; data NULL: it is complete */
};

extern const struct record account_exported_record;

/* Reads the key of a body whose record was checked. Returns false if there is none. */
bool account_file_key(struct str text, struct settings_key *ret_key);
