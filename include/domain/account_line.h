/* Lines of the export of an account, which docs/export.md describes, one at a time: reads the
 * members into a struct and checks them, by the rules of the API. */
#pragma once

#include "base/arena.h"
#include "domain/account_line_records.h"
#include "domain/settings.h"
#include "record/record.h"

enum { ACCOUNT_FILE_FORMAT = 1 };

enum account_line_kind {
	ACCOUNT_LINE_ACCOUNT,
	ACCOUNT_LINE_APP,
	ACCOUNT_LINE_VERSION,
	ACCOUNT_LINE_DRAFT,
	ACCOUNT_LINE_DEVICE,
	ACCOUNT_LINE_ENTRY,
	ACCOUNT_LINE_KEY,
	ACCOUNT_LINE_PASSKEY,
	ACCOUNT_LINE_KINDS,
};

extern const char *const account_line_names[ACCOUNT_LINE_KINDS];

/* Texts lie in the arena of the reading, or in the line. Members that a kind does not have are
 * zero. */
struct account_line {
	enum account_line_kind kind;
	struct str text; /* whole line, JSON, without its line feed */

	struct id id;	     /* of an app, a device, a key; for an entry, that of its app */
	struct id device_id; /* of an entry */
	struct str kind_name;
	struct str app; /* slug: of a version, a draft, an entry */
	struct str email;
	struct str name;
	struct str password_hash;
	struct str slug;
	struct str description;
	struct str visibility;
	struct str author;
	struct str imported_as;
	struct str collection; /* of an app; for an entry, that of its app */
	struct str category;
	struct str broken_reason;
	struct str script_language;
	struct str script_content;
	struct str status;
	struct str rejection_reason;
	struct str review_summary;
	struct str serial;
	struct str mac;
	struct str hash; /* of a key, 64 hexadecimal digits */
	struct str first_characters;
	struct str scope, ends_at;
	struct str entry_id;
	struct str picture;   /* base64 */
	struct str encrypted; /* base64: secret settings */
	struct str credential_id;
	struct str public_key; /* base64 */
	struct str created_at, reviewed_at, replaced_at, expires_at, made_at;
	int64_t format, night_brightness;
	int64_t dim_start_minute, dim_brightness;
	int64_t picture_limit_bytes, display_s, weekdays, algorithm, sign_count;
	int64_t start_minute, end_minute;
	bool is_disabled, is_deployed, is_sleep_on, is_enabled, is_pinned, is_night;
	const struct json_value *settings_value, *comments_value, *tags_value,
	    *device_ids_value;		   /* only while the line is read */
	struct str settings;		   /* canonical */
	struct account_line_values values; /* made from docs/api */
};

/* Reads one line. Returns false, with a sentence in *ret_why, if it is invalid. */
__attribute__((warn_unused_result)) bool account_line_read(struct str text, struct arena *arena,
							   struct account_line *ret_line,
							   struct str *ret_why);

/* Name of the object that the line describes, for messages. */
struct str account_line_name(const struct account_line *line);
