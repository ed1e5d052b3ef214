/* The export of an account: lines of JSON, which docs/export.md describes. A line is read into a
 * struct and checked by itself and against the lines before it; nothing of it was asked of a
 * database.
 *
 *   account, secrets?, (app, version..., draft?)..., (device, entry...)..., key..., passkey..., end
 *
 * The reader takes a stranger's bytes: it holds one line, of a bounded length. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "base/id.h"
#include "domain/settings.h"
#include "main/reason.h"

#include <sodium.h>
#include <sys/types.h>

enum {
	ACCOUNT_FILE_FORMAT = 1,
	ACCOUNT_LINE_MAX = 8 * 1024 * 1024, /* a script of which each byte is escaped, and more */
	ACCOUNT_SALT_BYTES = crypto_pwhash_SALTBYTES,
};

enum account_line_kind {
	ACCOUNT_LINE_ACCOUNT,
	ACCOUNT_LINE_SECRETS,
	ACCOUNT_LINE_APP,
	ACCOUNT_LINE_VERSION,
	ACCOUNT_LINE_DRAFT,
	ACCOUNT_LINE_DEVICE,
	ACCOUNT_LINE_ENTRY,
	ACCOUNT_LINE_KEY,
	ACCOUNT_LINE_PASSKEY,
	ACCOUNT_LINE_END,
	ACCOUNT_LINE_KINDS,
};

extern const char *const account_line_names[ACCOUNT_LINE_KINDS];

/* Texts lie in the arena of the reading. What a kind has not is zero. */
struct account_line {
	enum account_line_kind kind;
	struct str text; /* all of it, JSON, without its line feed */

	struct id id;	     /* of an app, a device, a key; of an entry: of its app */
	struct id device_id; /* of an entry */
	struct str kind_name;
	struct str app; /* the slug; of a version, a draft, an entry */
	struct str email;
	struct str name;
	struct str password_hash;
	struct str salt; /* of secrets, base64 */
	struct str slug;
	struct str description;
	struct str visibility;
	struct str author;
	struct str imported_as;
	struct str collection; /* of an app; of an entry: of its app */
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
	struct str timezone;
	struct str locale;
	struct str entry_id;
	struct str picture; /* base64 */
	struct str sealed;  /* likewise: secret settings */
	struct str credential_id;
	struct str public_key; /* base64 */
	struct str created_at, reviewed_at, replaced_at, expires_at, made_at;
	struct str sum; /* of the end: hexadecimal */
	int64_t format, count, brightness, volume, schedule_interval_s, night_brightness;
	int64_t dim_start_minute, dim_brightness;
	int64_t picture_limit_bytes, display_s, weekdays, algorithm, sign_count;
	int64_t start_minute, end_minute;
	bool is_disabled, is_deployed, auto_dim, is_sleep_on, is_enabled, is_pinned, is_night;
	const struct json_value *settings_value, *comments_value, *tags_value,
	    *device_ids_value; /* only while it is read */
	struct str settings;   /* canonical */
};

/* Reads one line, whatever stands before it. 0, or -1 with what is wrong with it. */
__attribute__((warn_unused_result)) int account_line_read(struct str text, struct arena *arena,
							  struct account_line *ret_line,
							  struct reason *reterr);

struct account_reader {
	/* Bytes, at most size; 0 at the end, -1 and errno if it fails. */
	ssize_t (*read)(void *context, void *data, size_t size);
	void *context;
	crypto_hash_sha256_state state;
	struct buffer input;
	uint64_t count; /* lines that were read */
	enum account_line_kind last;
	struct id device_id; /* of the device that was read last */
	struct str slug;     /* of the app likewise, in slug_text */
	char slug_text[100];
	bool is_salted; /* there is a line of secrets */
};

/* context and read are set, the rest is zero. */
void account_reader_begin(struct account_reader *reader);
void account_reader_finish(struct account_reader *reader);
/* The next line; behind ACCOUNT_LINE_END it is not called. 0, or -1 with a reason that names the
 * line. */
__attribute__((warn_unused_result)) int account_read(struct account_reader *reader,
						     struct arena *arena,
						     struct account_line *ret_line,
						     struct reason *reterr);
