#include "domain/account_line.h"
#include "base/clock.h"
#include "base/hex.h"
#include "base/limits.h"
#include "domain/api_key.h"
#include "domain/app.h"
#include "domain/device.h"
#include "domain/device_reference.h"
#include "domain/entry_change.h"
#include "domain/password.h"
#include "domain/person.h"
#include "domain/push.h"
#include "domain/review.h"
#include "domain/studio.h"

#include <sodium.h>
#include <stdio.h>
#include <text/base64.h>

enum {
	HASH_DIGITS = 64,
	KEY_SHOWN_MAX = 8,
	MANIFEST_TEXT_MAX = 100,
	PASSWORD_HASH_MAX = 500,
	PICTURE_BYTES_MAX = 460000,
	PUBLIC_KEY_BYTES_MAX = 2000,
	/* Each byte becomes at most 12 bytes of JSON (six, and quotes, colon and comma of a setting
	 * of one byte), and base64 adds a third; nonce and overhead are small. */
	ENCRYPTED_LENGTH_MAX = 12 * SETTINGS_BYTES_MAX / 3 * 4 + 200,
};

const char *const account_line_names[ACCOUNT_LINE_KINDS] = {
    [ACCOUNT_LINE_ACCOUNT] = "account", [ACCOUNT_LINE_APP] = "app",
    [ACCOUNT_LINE_VERSION] = "version", [ACCOUNT_LINE_DRAFT] = "draft",
    [ACCOUNT_LINE_DEVICE] = "device",	[ACCOUNT_LINE_ENTRY] = "entry",
    [ACCOUNT_LINE_KEY] = "key",		[ACCOUNT_LINE_PASSKEY] = "passkey",
};

/* ---- faults of a text; NULL: none ---- */

static const char *check_time(struct str text)
{
	return timestamp_is_valid(text) ? NULL : "must be a time such as 2026-11-20T08:15:30.123Z";
}

static const char *check_hash(struct str text)
{
	uint8_t hash[HASH_DIGITS / 2];

	return hex_decode(text, hash, sizeof(hash)) ? NULL : "must have 64 hexadecimal digits";
}

static const char *check_base64(struct str text)
{
	/* The characters are checked when it is decoded. */
	return text.length % 4 == 0 && base64_significant(text) == text.length
		   ? NULL
		   : "must be base64 without line feeds";
}

static const char *check_password_hash(struct str text)
{
	static const char why[] = "must be an argon2id hash made by displayd";
	char hash[crypto_pwhash_STRBYTES];

	if (text.length >= sizeof(hash))
		return why;
	for (size_t i = 0; i < text.length; i++) {
		if (text.data[i] <= ' ' || text.data[i] > '~')
			return why;
	}
	snprintf(hash, sizeof(hash), "%.*s", (int)text.length, text.data);
	return crypto_pwhash_argon2id_str_needs_rehash(hash, PASSWORD_PASSES,
						       PASSWORD_MEMORY_BYTES) == 0
		   ? NULL
		   : why;
}

static const char *check_status(struct str text)
{
	return str_equal(text, STR("PENDING")) || str_equal(text, STR("APPROVED")) ||
		       str_equal(text, STR("REJECTED")) || str_equal(text, STR("CHANGES_REQUESTED"))
		   ? NULL
		   : "must be PENDING, APPROVED, CHANGES_REQUESTED or REJECTED";
}

static const char *check_credential(struct str text)
{
	for (size_t i = 0; i < text.length; i++) {
		char c = text.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_' || c == '-'))
			return "must be base64url";
	}
	return NULL;
}

/* ---- the kinds ---- */

#define LINE struct account_line
#define KIND RECORD_STR(LINE, kind_name, .body = "kind", .required = true)
/* The kind, and the settings that are made from docs/api. */
#define LINE_OF(of_kind) of_kind##_LINE_FIELDS KIND
#define TEXT(member, name, least, most, ...)                                                       \
	RECORD_STR(LINE, member, .body = (name), .minimum = (least), .maximum = (most), __VA_ARGS__)
#define NUMBER(member, name, least, most)                                                          \
	RECORD_INT(LINE, member, .body = (name), .required = true, .minimum = (least),             \
		   .maximum = (most))
#define FLAG(member, name) RECORD_BOOL(LINE, member, .body = (name), .required = true)
#define TIME(member, name, ...)                                                                    \
	RECORD_STR(LINE, member, .body = (name), .check = check_time, __VA_ARGS__)
#define CREATED TIME(created_at, "createdAt", .required = true)
#define OWN_ID(is_required) RECORD_ID(LINE, id, .body = "id", .required = (is_required))
#define NAME(most, function) TEXT(name, "name", 1, most, .required = true, .check = (function))
#define SLUG(member, name, is_required)                                                            \
	TEXT(member, name, 1, APP_SLUG_LENGTH_MAX, .required = (is_required),                      \
	     .check = app_slug_check)
#define SCRIPT(function)                                                                           \
	RECORD_STR(LINE, script_language, .body = "scriptLanguage", .required = true,              \
		   .check = app_language_check),                                                   \
	    RECORD_STR(LINE, script_content, .body = "scriptContent", .required = true,            \
		       .check = (function))

static const struct record_field account_fields[] = {
    LINE_OF(ACCOUNT),
    NUMBER(format, "format", 1, INT32_MAX),
    TIME(made_at, "madeAt"),
    TEXT(email, "email", 3, EMAIL_LENGTH_MAX, .required = true, .check = email_check),
    NAME(ACCOUNT_NAME_LENGTH_MAX, device_name_check),
    CREATED,
    TEXT(password_hash, "passwordHash", 1, PASSWORD_HASH_MAX, .check = check_password_hash),
};
static const struct record_field app_fields[] = {
    LINE_OF(APP),
    OWN_ID(true),
    SLUG(slug, "slug", true),
    NAME(APP_NAME_LENGTH_MAX, device_name_check),
    TEXT(description, "description", 0, APP_DESCRIPTION_LENGTH_MAX, .required = true,
	 .check = app_text_check),
    RECORD_STR(LINE, visibility, .body = "visibility", .required = true,
	       .check = app_visibility_check),
    FLAG(is_disabled, "isDisabled"),
    CREATED,
    TEXT(author, "author", 1, MANIFEST_TEXT_MAX, .check = app_text_check),
    TEXT(imported_as, "importedAs", 1, MANIFEST_TEXT_MAX, .check = app_text_check),
    TEXT(collection, "collection", 1, MANIFEST_TEXT_MAX, .check = app_text_check),
    TEXT(category, "category", 1, MANIFEST_TEXT_MAX, .check = app_text_check),
    RECORD_ANY(LINE, tags_value, .body = "tags"),
    TEXT(broken_reason, "brokenReason", 1, APP_DESCRIPTION_LENGTH_MAX, .check = app_text_check),
};
static const struct record_field version_fields[] = {
    KIND,
    SLUG(app, "app", true),
    NAME(APP_VERSION_NAME_LENGTH_MAX, app_version_name_check),
    SCRIPT(app_script_check),
    TEXT(status, "status", 1, 32, .required = true, .check = check_status),
    CREATED,
    TIME(reviewed_at, "reviewedAt"),
    TEXT(rejection_reason, "rejectionReason", 0, REVIEW_REMARK_LENGTH_MAX, .check = app_text_check),
    TEXT(review_summary, "reviewSummary", 0, REVIEW_REMARK_LENGTH_MAX, .check = app_text_check),
    FLAG(is_deployed, "isDeployed"),
    RECORD_ANY(LINE, comments_value, .body = "comments"),
};
static const struct record_field draft_fields[] = {LINE_OF(DRAFT), SLUG(app, "app", true),
						   SCRIPT(app_draft_check)};
static const struct record_field device_fields[] = {
    LINE_OF(DEVICE),
    OWN_ID(true),
    NAME(DEVICE_NAME_LENGTH_MAX, device_name_check),
    TEXT(serial, "serial", 1, SERIAL_LENGTH_MAX, .check = device_serial_check),
    TEXT(mac, "mac", 1, MAC_TEXT_LENGTH, .check = device_mac_check),
    TEXT(hash, "linkKeyHash", HASH_DIGITS, HASH_DIGITS, .required = true, .check = check_hash),
    CREATED,
    FLAG(is_disabled, "isDisabled"),
    FLAG(is_sleep_on, "isSleepOn"),
    RECORD_CLOCK(LINE, start_minute, .body = "sleepStart", .required = true),
    RECORD_CLOCK(LINE, end_minute, .body = "sleepEnd", .required = true),
    RECORD_CLOCK(LINE, dim_start_minute, .body = "dimStart"),
    RECORD_INT(LINE, dim_brightness, .body = "dimBrightness", .minimum = 0, .maximum = 100),
    NUMBER(night_brightness, "nightBrightness", 0, 100),
    NUMBER(picture_limit_bytes, "pictureLimit", DEVICE_PICTURE_LIMIT_MIN, PICTURE_BYTES_MAX),
};
static const struct record_field entry_fields[] = {
    LINE_OF(ENTRY),
    RECORD_ID(LINE, device_id, .body = "device", .required = true),
    TEXT(entry_id, "id", 1, LIMIT_INSTALLATION_ID, .required = true, .check = push_id_check),
    CREATED,
    TEXT(picture, "picture", 4, PICTURE_BYTES_MAX / 3 * 4 + 4, .check = check_base64),
    TIME(replaced_at, "replacedAt"),
    TIME(expires_at, "expiresAt"),
    SLUG(app, "app", false),
    RECORD_ID(LINE, id, .body = "appId"),
    TEXT(collection, "appCollection", 1, MANIFEST_TEXT_MAX, .check = app_text_check),
    RECORD_ANY(LINE, settings_value, .body = "settings"),
    TEXT(encrypted, "secretSettings", 4, ENCRYPTED_LENGTH_MAX, .check = check_base64),
    FLAG(is_enabled, "isEnabled"),
    RECORD_INT(LINE, display_s, .body = "displaySeconds", .minimum = 5, .maximum = 86400),
    RECORD_CLOCK(LINE, start_minute, .body = "hoursStart"),
    RECORD_CLOCK(LINE, end_minute, .body = "hoursEnd"),
    NUMBER(weekdays, "weekdays", 1, 127),
    TEXT(name, "name", 1, LIMIT_INSTALLATION_ID, .check = device_name_check),
    FLAG(is_pinned, "isPinned"),
    FLAG(is_night, "isNight"),
};
static const struct record_field key_fields[] = {
    LINE_OF(KEY),
    OWN_ID(true),
    NAME(ACCOUNT_NAME_LENGTH_MAX, device_name_check),
    TEXT(hash, "secretHash", HASH_DIGITS, HASH_DIGITS, .required = true, .check = check_hash),
    TEXT(first_characters, "firstCharacters", 1, KEY_SHOWN_MAX, .check = check_credential),
    TEXT(scope, "scope", 1, 16, .check = key_scope_check),
    RECORD_ANY(LINE, device_ids_value, .body = "deviceIds"),
    TIME(ends_at, "endsAt"),
    CREATED,
};
static const struct record_field passkey_fields[] = {
    LINE_OF(PASSKEY),
    TEXT(credential_id, "credentialId", 1, CREDENTIAL_ID_MAX, .required = true,
	 .check = check_credential),
    NUMBER(algorithm, "algorithm", -257, -7),
    TEXT(public_key, "publicKey", 4, PUBLIC_KEY_BYTES_MAX, .required = true, .check = check_base64),
    NUMBER(sign_count, "signCount", 0, UINT32_MAX),
    NAME(ACCOUNT_NAME_LENGTH_MAX, device_name_check),
    CREATED,
};

static const struct record records[ACCOUNT_LINE_KINDS] = {
    [ACCOUNT_LINE_ACCOUNT] = RECORD(LINE, account_fields),
    [ACCOUNT_LINE_APP] = RECORD(LINE, app_fields),
    [ACCOUNT_LINE_VERSION] = RECORD(LINE, version_fields),
    [ACCOUNT_LINE_DRAFT] = RECORD(LINE, draft_fields),
    [ACCOUNT_LINE_DEVICE] = RECORD(LINE, device_fields),
    [ACCOUNT_LINE_ENTRY] = RECORD(LINE, entry_fields),
    [ACCOUNT_LINE_KEY] = RECORD(LINE, key_fields),
    [ACCOUNT_LINE_PASSKEY] = RECORD(LINE, passkey_fields),
};

struct remark {
	struct str author;
	struct str comment;
	struct str created_at;
	int64_t line;
};

static const struct record_field remark_fields[] = {
    RECORD_STR(struct remark, author, .body = "author", .required = true, .minimum = 1,
	       .maximum = ACCOUNT_NAME_LENGTH_MAX, .check = device_name_check),
    RECORD_STR(struct remark, comment, .body = "comment", .required = true, .minimum = 1,
	       .maximum = REVIEW_REMARK_LENGTH_MAX, .check = app_text_check),
    RECORD_INT(struct remark, line, .body = "line", .minimum = 1, .maximum = INT32_MAX),
    RECORD_STR(struct remark, created_at, .body = "createdAt", .required = true,
	       .check = check_time),
};
static const struct record remark_record = RECORD(struct remark, remark_fields);

static void check_comments(const struct json_value *value, struct faults *faults)
{
	struct json_walk walk = json_walk(value);
	const struct json_value *item;
	unsigned count = 0;

	if (value && (!json_get_array(value, &count) || count > REVIEW_COMMENTS_MAX)) {
		faults_add(faults, STR("comments"), "must be an array of at most %d",
			   REVIEW_COMMENTS_MAX);
		return;
	}
	while (value && json_next_item(&walk, &item)) {
		struct remark remark = {0};
		uint64_t present;

		record_read_json(&remark_record, item, &remark, &present, faults);
	}
}

static void check_entry(struct account_line *line, uint64_t present, struct arena *arena,
			struct faults *faults)
{
	struct settings settings = {0};
	struct buffer text = {0};
	bool has_start = false, has_end = false;

	for (unsigned i = 0; i < sizeof(entry_fields) / sizeof(*entry_fields); i++) {
		bool is_there = present >> i & 1;

		has_start |= is_there && strcmp(entry_fields[i].body, "hoursStart") == 0;
		has_end |= is_there && strcmp(entry_fields[i].body, "hoursEnd") == 0;
	}
	if (has_start != has_end)
		faults_add(faults, STR("hoursStart"), "must be given together with hoursEnd");
	if ((line->picture.data != NULL) == (line->app.data != NULL))
		faults_add(faults, (struct str){0}, "must have either a picture or an app");
	if (!line->app.data && (line->settings_value || line->encrypted.data))
		faults_add(faults, STR("settings"), "are allowed only with an app");
	settings_read(line->settings_value, faults, &settings);
	settings_write(&settings, &text);
	line->settings = arena_copy(arena, buffer_view(&text));
	buffer_finish(&text);
}

static bool read_kind(const struct json_value *root, struct account_line *ret, struct str *ret_why)
{
	struct str name;

	if (!json_get_str(json_member(root, "kind"), &name)) {
		*ret_why = STR("it has no \"kind\"");
		return false;
	}
	for (unsigned i = 0; i < ACCOUNT_LINE_KINDS; i++) {
		ret->kind = (enum account_line_kind)i;
		if (str_equal(name, str_from(account_line_names[i])))
			return true;
	}
	*ret_why = STR("its kind is not known to this version of displayd");
	return false;
}

static struct str name_faults(const struct faults *faults, struct arena *arena)
{
	const struct fault *first = &faults->list[0];
	unsigned more = faults->count + faults->dropped - 1;

	if (!more)
		return faults_sentence(faults);
	return arena_printf(arena, "%.*s %.*s (and %u more faults)",
			    STR_ARG(first->name.data ? first->name : STR("it")),
			    STR_ARG(first->detail), more);
}

static bool read_members(const struct json_value *root, struct arena *arena,
			 struct account_line *ret, struct str *ret_why)
{
	struct faults faults;
	uint64_t present;

	faults_init(&faults, arena);
	record_read_json(&records[ret->kind], root, ret, &present, &faults);
	if (ret->kind == ACCOUNT_LINE_VERSION)
		check_comments(ret->comments_value, &faults);
	if (ret->kind == ACCOUNT_LINE_ENTRY)
		check_entry(ret, present, arena, &faults);
	if (ret->kind == ACCOUNT_LINE_DEVICE && ret->picture_limit_bytes &&
	    !device_picture_limit_is_valid(ret->picture_limit_bytes))
		faults_add(&faults, STR("pictureLimit"), DEVICE_PICTURE_LIMIT_FAULT);
	ret->settings_value = ret->comments_value = ret->tags_value = ret->device_ids_value = NULL;
	if (faults.count)
		*ret_why = name_faults(&faults, arena);
	return faults.count == 0;
}

bool account_line_read(struct str text, struct arena *arena, struct account_line *ret_line,
		       struct str *ret_why)
{
	struct json_document document = {0};
	struct str why = {0};
	bool is_good;

	*ret_line = (struct account_line){.text = text};
	if (!json_parse(text, arena, &document, &why)) {
		*ret_why = ARENA_JOIN(arena, STR("it is not JSON: "), why);
		return false;
	}
	is_good = read_kind(document.root, ret_line, ret_why) &&
		  read_members(document.root, arena, ret_line, ret_why);
	json_document_finish(&document);
	return is_good;
}

struct str account_line_name(const struct account_line *line)
{
	switch (line->kind) {
	case ACCOUNT_LINE_APP:
		return line->slug;
	case ACCOUNT_LINE_ENTRY:
		return line->entry_id;
	case ACCOUNT_LINE_ACCOUNT:
		return line->email;
	default:
		return line->name;
	}
}
