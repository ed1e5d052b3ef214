#include "domain/app.h"
#include "base/hex.h"
#include "base/limits.h"

#include <sodium.h>

static const struct record_field app_fields[] = {
    RECORD_ID(struct app, id, .column = "id"),
    RECORD_ID(struct app, account_id, .column = "account_id", .nullable = true),
    RECORD_STR(struct app, slug, .column = "slug"),
    RECORD_BOOL(struct app, is_private, .column = "is_private"),
};
const struct record app_record = RECORD(struct app, app_fields);

const char *app_version_name_check(struct str name)
{
	for (size_t i = 0; i < name.length; i++) {
		char c = name.data[i];

		if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		      c == '.' || c == '-' || c == '_'))
			return "must have only letters, digits, \".\", \"-\" and \"_\"";
	}
	return NULL;
}

/* A script's limit counts bytes; the limits of other texts count characters. */
const char *app_script_check(struct str script)
{
	return script.length >= 1 && script.length <= LIMIT_SCRIPT_BYTES
		   ? NULL
		   : "must have 1 to 1000000 bytes";
}

const char *app_language_check(struct str language)
{
	return str_equal(language, STR("STARLARK")) || str_equal(language, STR("TYPESCRIPT"))
		   ? NULL
		   : "must be STARLARK or TYPESCRIPT";
}

void app_sum_upload(void *body, uint64_t seen, struct faults *faults)
{
	struct app_upload *upload = body;

	(void)seen;
	if (faults->count == 0)
		app_checksum(upload->script_language, upload->script_content, upload->checksum);
}

void app_checksum(struct str script_language, struct str script_content,
		  char ret_text[static APP_CHECKSUM_LENGTH + 1])
{
	uint8_t hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;

	crypto_hash_sha256_init(&state);
	crypto_hash_sha256_update(&state, (const uint8_t *)script_language.data,
				  script_language.length);
	crypto_hash_sha256_update(&state, (const uint8_t *)"\n", 1);
	crypto_hash_sha256_update(&state, (const uint8_t *)script_content.data,
				  script_content.length);
	crypto_hash_sha256_final(&state, hash);
	memcpy(ret_text, "sha256:", 7);
	hex_encode(hash, sizeof(hash), ret_text + 7);
}
