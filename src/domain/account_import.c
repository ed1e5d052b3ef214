#include "domain/account_import.h"
#include "base/hex.h"
#include "domain/person.h"

/* ---- bodies and answers ---- */

const char *account_import_key_check(struct str text)
{
	struct settings_key key;

	return account_file_key(text, &key) ? NULL : "must have 64 hexadecimal digits";
}

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
