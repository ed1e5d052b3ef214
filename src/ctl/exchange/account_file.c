#include "ctl/exchange/account_file.h"
#include "base/hex.h"
#include "domain/account_line.h"

#include <errno.h>
#include <stdio.h>
#include <text/base64.h>

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
}

void account_reader_finish(struct account_reader *reader)
{
	buffer_finish(&reader->input);
}

__attribute__((format(printf, 3, 4))) static int
account_file_fail(const struct account_reader *reader, struct reason *reterr, const char *format,
		  ...)
{
	struct reason what;
	va_list args;

	va_start(args, format);
	vsnprintf(what.text, sizeof(what.text), format, args);
	va_end(args);
	return reason_set(reterr, "line %llu of the file: %.800s",
			  (unsigned long long)reader->sum.count + 1, what.text);
}

static int fail_end(const struct account_reader *reader, struct reason *reterr)
{
	if (ferror(reader->file))
		return reason_set(reterr, "the file cannot be read: %s", strerror(errno));
	if (reader->sum.count == 0)
		return reason_set(reterr, "this is not an export of an account");
	return reason_set(reterr, "the file is incomplete: its end is missing");
}

/* Reads the next line, without its line feed. It stays in reader->input until the next call. */
static int next_line(struct account_reader *reader, struct str *ret_line, struct reason *reterr)
{
	char *room = buffer_reserve(&reader->input, ACCOUNT_LINE_MAX + 2);

	if (!fgets(room, ACCOUNT_LINE_MAX + 2, reader->file))
		return fail_end(reader, reterr);
	*ret_line = str_from(room);
	if (ret_line->length && room[ret_line->length - 1] == '\n') {
		ret_line->length--;
		return 0;
	}
	if (ret_line->length > ACCOUNT_LINE_MAX)
		return account_file_fail(reader, reterr, "it is longer than %d bytes",
					 ACCOUNT_LINE_MAX);
	return feof(reader->file)
		   ? fail_end(reader, reterr)
		   : account_file_fail(reader, reterr, "it is not JSON: it has a NUL");
}

/* Returns the member of a line if it is a text; else data is NULL. */
static struct str member(const struct json_value *root, const char *name)
{
	struct str text;

	return json_get_str(json_member(root, name), &text) ? text : (struct str){0};
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

	account_file_sum_text(&reader->sum, sum);
	if (!str_equal_ignore_case(member(root, "sha256"), str_from(sum)) ||
	    !json_get_integer(json_member(root, "lines"), &count) ||
	    count != (int64_t)reader->sum.count + 1)
		return reason_set(reterr, "the file is damaged: its checksum is wrong");
	if (fgetc(reader->file) != EOF)
		return reason_set(reterr, "the file is damaged: it has data after its end");
	return ferror(reader->file) ? fail_end(reader, reterr) : 0;
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

/* Checks the order of the kinds. An unknown kind passes: the server rejects it. Returns 0, or -1
 * with a reason. */
static int check_order(struct account_reader *reader, struct str kind, struct reason *reterr)
{
	static const struct {
		const char *kind;
		unsigned rank;
		bool is_once, is_of_app;
	} kinds[] = {{"account", 1, true},	{"secrets", 2, true},
		     {"app", 3, false},		{"version", 3, false, true},
		     {"draft", 3, false, true}, {"device", 4, false},
		     {"entry", 4, false},	{"key", 5, false},
		     {"passkey", 6, false},	{"end", 7, true}};

	for (unsigned i = 0; i < array_length(kinds); i++) {
		if (!str_equal(kind, str_from(kinds[i].kind)))
			continue;
		if (kinds[i].rank < reader->rank + kinds[i].is_once ||
		    (reader->has_draft && kinds[i].is_of_app))
			return account_file_fail(reader, reterr,
						 "it is not allowed at this line of the file");
		reader->rank = kinds[i].rank;
		reader->has_draft = str_equal(kind, STR("draft"));
	}
	return 0;
}

static int check_line(struct account_reader *reader, const struct json_value *root,
		      struct account_file_line *line, struct reason *reterr)
{
	struct str kind = member(root, "kind");

	if ((reader->sum.count == 0 && check_format(root, reterr) < 0) ||
	    check_order(reader, kind, reterr) < 0)
		return -1;
	if (str_equal(kind, STR("entry")) && json_member(root, "secretSettings") &&
	    !reader->is_salted)
		return account_file_fail(
		    reader, reterr,
		    "it has secret settings, but the file has no line with their salt");
	if (str_equal(kind, STR("secrets"))) {
		line->kind = ACCOUNT_FILE_SECRETS;
		read_salt(reader, root, line);
	} else if (str_equal(kind, STR("end"))) {
		line->kind = ACCOUNT_FILE_END;
		return check_end(reader, root, reterr);
	}
	return 0;
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
	if (reader->sum.count == 0 &&
	    !str_starts_with(ret_line->text, STR("{\"kind\":\"account\"")))
		return reason_set(reterr, "this is not an export of an account");
	if (!json_parse(ret_line->text, arena, &document, &why))
		return account_file_fail(reader, reterr, "it is not JSON: %.*s", STR_ARG(why));
	rc = check_line(reader, document.root, ret_line, reterr);
	json_document_finish(&document);
	if (rc == 0)
		account_file_sum_add(&reader->sum, ret_line->text);
	return rc;
}
