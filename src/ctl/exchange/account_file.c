#include "ctl/exchange/account_file.h"
#include "base/hex.h"
#include "domain/account_line.h"

#include <errno.h>
#include <stdio.h>
#include <text/base64.h>

enum { PORTION_BYTES = 64 * 1024 };

/* ---- checksum ---- */

void account_file_sum_begin(struct account_file_sum *sum)
{
	crypto_hash_sha256_init(&sum->state);
	sum->count = 0;
}

void account_file_sum_add(struct account_file_sum *sum, struct str text)
{
	crypto_hash_sha256_update(&sum->state, (const uint8_t *)text.data, text.length);
	crypto_hash_sha256_update(&sum->state, (const uint8_t *)"\n", 1);
	sum->count++;
}

void account_file_sum_text(const struct account_file_sum *sum,
			   char ret_text[static 2 * crypto_hash_sha256_BYTES + 1])
{
	crypto_hash_sha256_state state = sum->state;
	uint8_t hash[crypto_hash_sha256_BYTES];

	crypto_hash_sha256_final(&state, hash);
	hex_encode(hash, sizeof(hash), ret_text);
}

/* ---- lines ---- */

void account_reader_begin(struct account_reader *reader)
{
	account_file_sum_begin(&reader->sum);
	reader->last = ACCOUNT_FILE_END; /* no line yet */
}

void account_reader_finish(struct account_reader *reader)
{
	buffer_finish(&reader->input);
	buffer_finish(&reader->owner);
}

__attribute__((format(printf, 3, 4))) static int
fail(const struct account_reader *reader, struct reason *reterr, const char *format, ...)
{
	struct reason what;
	va_list args;

	va_start(args, format);
	vsnprintf(what.text, sizeof(what.text), format, args);
	va_end(args);
	return reason_set(reterr, "line %llu of the file: %.800s",
			  (unsigned long long)reader->sum.count + 1, what.text);
}

/* Reads more input. Returns 1, 0 at its end, or -1 with a reason. */
static int fill(struct account_reader *reader, struct reason *reterr)
{
	char *room = buffer_reserve(&reader->input, PORTION_BYTES);
	ssize_t length = reader->read(reader->context, room, PORTION_BYTES);

	if (length < 0)
		return reason_set(reterr, "the file cannot be read: %s", strerror(errno));
	buffer_commit(&reader->input, (size_t)length);
	return length > 0;
}

/* Finds the next line, without its line feed. It stays in reader->input until the next call of
 * fill(). */
static int next_line(struct account_reader *reader, struct str *ret_line, struct reason *reterr)
{
	size_t looked = 0;

	for (;;) {
		struct str view = buffer_view(&reader->input);
		size_t end = looked + str_find(str_from_offset(view, looked), '\n');
		int rc;

		if (end < view.length) {
			*ret_line = (struct str){view.data, end};
			return 0;
		}
		if (view.length > ACCOUNT_LINE_MAX)
			return fail(reader, reterr, "it is longer than %d bytes", ACCOUNT_LINE_MAX);
		looked = view.length;
		rc = fill(reader, reterr);
		if (rc < 0)
			return -1;
		if (rc == 0 && reader->sum.count == 0)
			return reason_set(reterr, "this is not an export of an account");
		if (rc == 0)
			return reason_set(reterr, "the file is incomplete: its end is missing");
	}
}

/* Whether a line of this kind may follow one of kind last (ACCOUNT_FILE_END: none yet). */
static bool follows(enum account_file_kind kind, enum account_file_kind last)
{
	static const unsigned before[ACCOUNT_FILE_KINDS] = {
	    [ACCOUNT_FILE_ACCOUNT] = 1u << ACCOUNT_FILE_END,
	    [ACCOUNT_FILE_SECRETS] = 1u << ACCOUNT_FILE_ACCOUNT,
	    [ACCOUNT_FILE_VERSION] = 1u << ACCOUNT_FILE_APP | 1u << ACCOUNT_FILE_VERSION,
	    [ACCOUNT_FILE_DRAFT] = 1u << ACCOUNT_FILE_APP | 1u << ACCOUNT_FILE_VERSION,
	    [ACCOUNT_FILE_ENTRY] = 1u << ACCOUNT_FILE_DEVICE | 1u << ACCOUNT_FILE_ENTRY,
	};

	/* Other kinds are optional, but their order is fixed. */
	if (before[kind])
		return before[kind] >> last & 1;
	return last != ACCOUNT_FILE_END &&
	       (last <= kind || (kind == ACCOUNT_FILE_APP && last <= ACCOUNT_FILE_DRAFT) ||
		(kind == ACCOUNT_FILE_DEVICE && last <= ACCOUNT_FILE_ENTRY));
}

/* Returns the member of a line if it is a text; else data is NULL. */
static struct str member(const struct json_value *root, const char *name)
{
	struct str text;

	return json_get_str(json_member(root, name), &text) ? text : (struct str){0};
}

/* Checks that the line belongs to the app or device before it. Members that are not texts pass: the
 * server rejects them. Returns 0, or -1 with a reason. */
static int check_owner(struct account_reader *reader, const struct json_value *root,
		       enum account_file_kind kind, struct reason *reterr)
{
	bool is_entry = kind == ACCOUNT_FILE_ENTRY;
	struct str owner = {0};

	if (kind == ACCOUNT_FILE_APP || kind == ACCOUNT_FILE_DEVICE) {
		buffer_clear(&reader->owner);
		buffer_append_str(&reader->owner,
				  member(root, kind == ACCOUNT_FILE_APP ? "slug" : "id"));
	}
	if (kind == ACCOUNT_FILE_VERSION || kind == ACCOUNT_FILE_DRAFT || is_entry)
		owner = member(root, is_entry ? "device" : "app");
	if (owner.data && !str_equal_ignore_case(owner, buffer_view(&reader->owner)))
		return fail(reader, reterr, "it does not belong to the previous %s",
			    is_entry ? "device" : "app");
	if (is_entry && json_member(root, "secretSettings") && !reader->is_salted)
		return fail(reader, reterr,
			    "it has secret settings, but the file has no line with their salt");
	return 0;
}

static void read_salt(struct account_reader *reader, const struct json_value *root,
		      struct account_file_line *line)
{
	struct str salt = member(root, "salt");
	size_t size = 0;

	reader->is_salted = true;
	line->has_salt = salt.length == 24 && base64_decode(salt, line->salt, &size) == 0 &&
			 size == ACCOUNT_SALT_BYTES;
}

static int check_end(struct account_reader *reader, const struct json_value *root,
		     struct reason *reterr)
{
	char sum[2 * crypto_hash_sha256_BYTES + 1];
	int64_t count = 0;
	int rc;

	account_file_sum_text(&reader->sum, sum);
	if (!str_equal_ignore_case(member(root, "sha256"), str_from(sum)) ||
	    !json_get_integer(json_member(root, "lines"), &count) ||
	    count != (int64_t)reader->sum.count + 1)
		return reason_set(reterr, "the file is damaged: its checksum is wrong");
	rc = buffer_length(&reader->input) > 0 ? 1 : fill(reader, reterr);
	if (rc > 0)
		return reason_set(reterr, "the file is damaged: it has data after its end");
	return rc;
}

/* Checks that this program supports the file's format. Returns 0, or -1 with a reason. */
static int check_format(const struct json_value *root, struct reason *reterr)
{
	int64_t format = 0;

	if (!json_get_integer(json_member(root, "format"), &format) ||
	    format <= ACCOUNT_FILE_FORMAT)
		return 0;
	return reason_set(
	    reterr,
	    "the file has format %lld, this program supports format %d; use a newer displayctl",
	    (long long)format, ACCOUNT_FILE_FORMAT);
}

/* Returns the kind of a line; ACCOUNT_FILE_KINDS if it is unknown, which the server rejects. */
static enum account_file_kind kind_of(const struct json_value *root)
{
	static const char *const names[ACCOUNT_FILE_KINDS] = {
	    [ACCOUNT_FILE_ACCOUNT] = "account", [ACCOUNT_FILE_SECRETS] = "secrets",
	    [ACCOUNT_FILE_APP] = "app",		[ACCOUNT_FILE_VERSION] = "version",
	    [ACCOUNT_FILE_DRAFT] = "draft",	[ACCOUNT_FILE_DEVICE] = "device",
	    [ACCOUNT_FILE_ENTRY] = "entry",	[ACCOUNT_FILE_KEY] = "key",
	    [ACCOUNT_FILE_PASSKEY] = "passkey", [ACCOUNT_FILE_END] = "end",
	};
	struct str name = member(root, "kind");
	unsigned kind = 0;

	while (kind < ACCOUNT_FILE_KINDS && !str_equal(name, str_from(names[kind])))
		kind++;
	return (enum account_file_kind)kind;
}

static int check_line(struct account_reader *reader, const struct json_value *root,
		      struct account_file_line *line, struct reason *reterr)
{
	int rc;

	line->kind = kind_of(root);
	if (reader->sum.count == 0 && check_format(root, reterr) < 0)
		return -1;
	if (line->kind == ACCOUNT_FILE_KINDS)
		return 0;
	if (!follows(line->kind, reader->last))
		return fail(reader, reterr, "it is not allowed at this line of the file");
	reader->last = line->kind;
	rc = check_owner(reader, root, line->kind, reterr);
	if (rc == 0 && line->kind == ACCOUNT_FILE_SECRETS)
		read_salt(reader, root, line);
	if (rc == 0 && line->kind == ACCOUNT_FILE_END)
		rc = check_end(reader, root, reterr);
	return rc;
}

int account_read(struct account_reader *reader, struct arena *arena,
		 struct account_file_line *ret_line, struct reason *reterr)
{
	struct json_document document = {0};
	struct str view = {0}, why = {0};
	int rc = next_line(reader, &view, reterr);

	if (rc < 0)
		return -1;
	*ret_line = (struct account_file_line){.text = arena_copy(arena, view)};
	buffer_consume(&reader->input, view.length + 1);
	if (reader->sum.count == 0 &&
	    !str_starts_with(ret_line->text, STR("{\"kind\":\"account\"")))
		return reason_set(reterr, "this is not an export of an account");
	if (!json_parse(ret_line->text, arena, &document, &why))
		return fail(reader, reterr, "it is not JSON: %.*s", STR_ARG(why));
	rc = check_line(reader, document.root, ret_line, reterr);
	json_document_finish(&document);
	if (rc == 0)
		account_file_sum_add(&reader->sum, ret_line->text);
	return rc;
}
