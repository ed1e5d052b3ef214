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

static const struct record_field app_listed_fields[] = {
    RECORD_ID(struct app_listed, id, .name = "id", .column = "id"),
    RECORD_STR(struct app_listed, name, .name = "name", .column = "name"),
    RECORD_STR(struct app_listed, description, .name = "description", .column = "description"),
    RECORD_STR(struct app_listed, version, .name = "version", .column = "version"),
    RECORD_OPEN(.name = "author"),
    RECORD_STR(struct app_listed, author_name, .name = "name", .column = "author_name"),
    RECORD_CLOSE(),
    RECORD_STR(struct app_listed, collection, .name = "collection", .column = "collection",
	       .nullable = true, .is_optional = true),
    RECORD_STR(struct app_listed, category, .name = "category", .column = "category",
	       .nullable = true, .is_optional = true),
    RECORD_JSON(struct app_listed, tags, .name = "tags", .column = "tags", .nullable = true,
		.is_optional = true),
    RECORD_STR(struct app_listed, broken_reason, .name = "brokenReason", .column = "broken_reason",
	       .nullable = true, .is_optional = true),
};
const struct record app_listed_record = RECORD(struct app_listed, app_listed_fields);

static const struct record_field app_version_fields[] = {
    RECORD_ID(struct app_version, id, .name = "id", .column = "id"),
    RECORD_STR(struct app_version, version, .name = "version", .column = "version"),
    RECORD_STR(struct app_version, script_language, .name = "scriptLanguage",
	       .column = "script_language"),
    RECORD_STR(struct app_version, checksum, .name = "checksum", .column = "checksum"),
    RECORD_STR(struct app_version, status, .name = "status", .column = "status"),
    RECORD_TIMESTAMP(struct app_version, reviewed_at_us, .name = "reviewedAt",
		     .column = "reviewed_at", .nullable = true),
    RECORD_STR(struct app_version, rejection_reason, .name = "rejectionReason",
	       .column = "rejection_reason", .nullable = true),
    RECORD_STR(struct app_version, review_summary, .name = "reviewSummary",
	       .column = "review_summary", .nullable = true),
    RECORD_JSON(struct app_version, review_comments, .name = "reviewComments",
		.column = "review_comments"),
    RECORD_TIMESTAMP(struct app_version, created_at_us, .name = "createdAt",
		     .column = "created_at"),
    RECORD_BOOL(struct app_version, deployed, .name = "deployed", .column = "deployed"),
};
const struct record app_version_record = RECORD(struct app_version, app_version_fields);

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

static const struct record_field app_upload_fields[] = {
    RECORD_STR(struct app_upload, version, .body = "version", .required = true, .minimum = 1,
	       .maximum = APP_VERSION_NAME_LENGTH_MAX, .check = app_version_name_check),
    RECORD_STR(struct app_upload, script_content, .body = "scriptContent", .required = true,
	       .check = app_script_check),
    RECORD_STR(struct app_upload, script_language, .body = "scriptLanguage", .required = true,
	       .check = app_language_check),
};
static void sum_upload(void *body, uint64_t seen, struct faults *faults)
{
	struct app_upload *upload = body;

	(void)seen;
	if (faults->count == 0)
		app_checksum(upload->script_language, upload->script_content, upload->checksum);
}

const struct record app_upload_record =
    RECORD(struct app_upload, app_upload_fields, .check = sum_upload);

static const struct record_field app_deploy_fields[] = {
    RECORD_STR(struct app_deploy, version, .body = "version", .required = true, .minimum = 1,
	       .maximum = APP_VERSION_NAME_LENGTH_MAX, .check = app_version_name_check),
};
const struct record app_deploy_record = RECORD(struct app_deploy, app_deploy_fields);

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
