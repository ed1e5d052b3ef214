#include "domain/account_import.h"
#include "base/hex.h"
#include "domain/person.h"

/* ---- bodies and answers ---- */

static const char *key_check(struct str text)
{
	struct settings_key key;

	return account_file_key(text, &key) ? NULL : "must have 64 hexadecimal digits";
}

static const struct record_field creation_fields[] = {
    RECORD_STR(struct account_import_creation, email, .body = "email", .minimum = EMAIL_LENGTH_MIN,
	       .maximum = EMAIL_LENGTH_MAX, .check = email_check),
    RECORD_BOOL(struct account_import_creation, keeps_public, .body = "publicApps"),
    RECORD_BOOL(struct account_import_creation, skips_missing, .body = "skipMissingApps"),
};
const struct record account_import_creation_record =
    RECORD(struct account_import_creation, creation_fields);

static const struct record_field created_fields[] = {
    RECORD_ID(struct account_import_created, id, .name = "id"),
};
const struct record account_import_created_record =
    RECORD(struct account_import_created, created_fields);

static const struct record_field lines_fields[] = {
    RECORD_INT(struct account_import_lines, first, .body = "firstLine", .required = true,
	       .minimum = 1, .maximum = INT32_MAX),
    RECORD_STR(struct account_import_lines, lines, .body = "lines", .required = true),
    RECORD_STR(struct account_import_lines, file_key, .body = "fileKey", .check = key_check),
};
const struct record account_import_lines_record = RECORD(struct account_import_lines, lines_fields);

static const struct record_field imported_fields[] = {
    RECORD_STR(struct account_imported, account, .name = "account"),
    RECORD_INT(struct account_imported, devices, .name = "devices"),
    RECORD_INT(struct account_imported, entries, .name = "entries"),
    RECORD_INT(struct account_imported, apps, .name = "apps"),
    RECORD_INT(struct account_imported, versions, .name = "versions"),
    RECORD_INT(struct account_imported, keys, .name = "keys"),
    RECORD_INT(struct account_imported, skipped, .name = "skipped"),
};
const struct record account_imported_record = RECORD(struct account_imported, imported_fields);

static const struct record_field export_fields[] = {
    RECORD_STR(struct account_export, file_key, .body = "fileKey", .check = key_check),
};
const struct record account_export_record = RECORD(struct account_export, export_fields);

static const struct record_field exported_fields[] = {
    RECORD_INT(struct account_exported, devices, .name = "devices"),
    RECORD_INT(struct account_exported, apps, .name = "apps"),
    RECORD_INT(struct account_exported, secrets_left_out, .name = "secretsLeftOut"),
    RECORD_STR(struct account_exported, problem, .name = "problem", .nullable = true,
	       .is_optional = true),
};
const struct record account_exported_record = RECORD(struct account_exported, exported_fields);

bool account_file_key(struct str text, struct settings_key *ret_key)
{
	return hex_decode(text, ret_key->bytes, sizeof(ret_key->bytes));
}
