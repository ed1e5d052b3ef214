#include "ctl/exchange/backup_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { VERSION_BYTES = 4, TIMESTAMP_BYTES_MAX = 31 };

static uint32_t get_number(const uint8_t *from)
{
	return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static int fail_read(struct reason *reterr)
{
	return reason_set(reterr, "the backup cannot be read: %s", strerror(errno));
}

/* ---- an encrypted file ---- */

static int fail_age(enum age_fault fault, struct reason *reterr)
{
	if (fault == AGE_WRONG_PHRASE)
		return reason_set(reterr, "the pass phrase is wrong");
	if (fault == AGE_NO_MEMORY)
		return reason_set(reterr, "not enough memory for the pass phrase");
	return reason_set(reterr, "the backup is encrypted, but not with a pass phrase, or its "
				  "first lines are damaged");
}

/* Reads the lines up to the one with the code. Returns 0, or -1 with a reason. */
static int read_age_header(FILE *file, char *header, size_t *ret_length, struct reason *reterr)
{
	size_t length = 0, line = 0;
	int c;

	while (length < AGE_HEADER_BYTES_MAX && (c = fgetc(file)) != EOF) {
		header[length++] = (char)c;
		if (c != '\n')
			continue;
		*ret_length = length;
		if (length - line > 3 && memcmp(header + line, "---", 3) == 0)
			return 0;
		line = length;
	}
	return ferror(file) ? fail_read(reterr) : fail_age(AGE_DAMAGED, reterr);
}

static int open_encrypted(struct backup_reader *reader, struct reason *reterr)
{
	char header[AGE_HEADER_BYTES_MAX];
	uint8_t file_key[AGE_KEY_BYTES], nonce[AGE_NONCE_BYTES];
	enum age_fault fault;
	struct str phrase;
	size_t length = 0;

	if (read_age_header(reader->file, header, &length, reterr) < 0)
		return -1;
	if (!reader->ask)
		return reason_set(reterr, "the backup is encrypted");
	if (reader->ask(reader->context, &phrase, reterr) < 0)
		return -1;
	fault = age_header_read((struct str){header, length}, phrase, file_key);
	if (fault != AGE_NO_FAULT)
		return fail_age(fault, reterr);
	if (fread(nonce, 1, sizeof(nonce), reader->file) != sizeof(nonce))
		return ferror(reader->file) ? fail_read(reterr) : fail_age(AGE_DAMAGED, reterr);
	age_stream_begin(&reader->age.stream, file_key, nonce);
	sodium_memzero(file_key, sizeof(file_key));
	reader->age.is_used = true;
	return 0;
}

/* Decrypts the next part of the file. Returns 1; 0 after the last one; -1 with a reason. */
static int read_part(struct backup_reader *reader, struct reason *reterr)
{
	struct backup_parts *age = &reader->age;
	size_t size;
	int next;

	if (age->is_last)
		return 0;
	size = fread(age->part, 1, sizeof(age->part), reader->file);
	next = fgetc(reader->file);
	if (ferror(reader->file))
		return fail_read(reterr);
	age->is_last = next == EOF;
	if (next != EOF)
		ungetc(next, reader->file);
	if (!age_part_decrypt(&age->stream, age->part, size, age->is_last))
		return reason_set(reterr,
				  "the backup is damaged, or incomplete: its end is missing");
	age->at = 0;
	age->length = size - AGE_TAG_BYTES;
	return age->length > 0;
}

static int get_decrypted(struct backup_reader *reader, uint8_t *data, size_t size,
			 struct reason *reterr)
{
	struct backup_parts *age = &reader->age;

	while (size > 0) {
		size_t more = age->length - age->at;
		int rc;

		if (more == 0) {
			rc = read_part(reader, reterr);
			if (rc <= 0)
				return rc;
			continue;
		}
		more = more < size ? more : size;
		memcpy(data, age->part + age->at, more);
		age->at += more;
		data += more;
		size -= more;
	}
	return 1;
}

/* ---- all files ---- */

/* Reads size bytes. Returns 1; 0 if the file ended before; -1 with a reason if reading failed. */
static int get(struct backup_reader *reader, void *data, size_t size, struct reason *reterr)
{
	if (reader->age.is_used)
		return get_decrypted(reader, data, size, reterr);
	if (fread(data, 1, size, reader->file) == size)
		return 1;
	return ferror(reader->file) ? fail_read(reterr) : 0;
}

/* Whether the file begins as an encrypted one. */
static bool is_encrypted(FILE *file)
{
	int first = fgetc(file);

	if (first != EOF)
		ungetc(first, file);
	return first == AGE_MAGIC[0];
}

int backup_open(struct backup_reader *reader, struct reason *reterr)
{
	uint8_t head[BACKUP_MAGIC_BYTES + VERSION_BYTES];
	uint32_t version;
	int rc;

	reader->age.is_used = reader->age.is_last = false;
	reader->age.at = reader->age.length = 0;
	if (is_encrypted(reader->file) && open_encrypted(reader, reterr) < 0)
		return -1;
	rc = get(reader, head, sizeof(head), reterr);
	if (rc < 0)
		return -1;
	if (rc == 0 || memcmp(head, backup_magic, BACKUP_MAGIC_BYTES) != 0)
		return reason_set(reterr, "this is not a backup of displayd");
	version = get_number(head + BACKUP_MAGIC_BYTES);
	if (version != BACKUP_VERSION)
		return reason_set(reterr,
				  "the backup has format %u, this program supports format %d; use "
				  "a newer displayctl",
				  version, BACKUP_VERSION);
	crypto_generichash_init(&reader->state, NULL, 0, BACKUP_SUM_BYTES);
	crypto_generichash_update(&reader->state, head, sizeof(head));
	reader->last = 0;
	return 0;
}

static int fail_damaged(struct reason *reterr)
{
	return reason_set(reterr, "the backup is damaged: a checksum is wrong");
}

static int read_frame(struct backup_reader *reader, uint8_t *ret_kind, struct reason *reterr)
{
	uint8_t head[BACKUP_FRAME_HEAD_BYTES], sum[BACKUP_SUM_BYTES], expected[BACKUP_SUM_BYTES];
	int rc = get(reader, head, sizeof(head), reterr);

	if (rc == 1 && get_number(head + 1) > BACKUP_PAYLOAD_MAX)
		return fail_damaged(reterr);
	if (rc == 1) {
		reader->length = get_number(head + 1);
		reader->payload[reader->length] = '\0';
		rc = get(reader, reader->payload, reader->length, reterr);
	}
	if (rc == 1)
		rc = get(reader, sum, sizeof(sum), reterr);
	if (rc < 0)
		return -1;
	if (rc == 0)
		return reason_set(reterr, "the backup is incomplete: its end is missing");
	crypto_generichash_update(&reader->state, head, sizeof(head));
	crypto_generichash_update(&reader->state, reader->payload, reader->length);
	backup_sum(&reader->state, expected);
	if (memcmp(sum, expected, sizeof(sum)) != 0)
		return fail_damaged(reterr);
	*ret_kind = head[0];
	return 0;
}

static bool is_name(struct str text)
{
	for (size_t i = 0; i < text.length; i++) {
		char c = text.data[i];

		if (!((c >= 'a' && c <= 'z') || c == '_' || (i > 0 && c >= '0' && c <= '9')))
			return false;
	}
	return text.length > 0 && text.length <= BACKUP_NAME_BYTES_MAX;
}

/* The next functions read a payload, behind which a NUL follows. */

/* Takes the next line, which begins with this name. */
static bool take_line(struct str *rest, struct str name, struct str *ret_value)
{
	struct str line;

	if (!str_next(rest, '\n', &line) || !str_starts_with(line, name))
		return false;
	*ret_value = str_from_offset(line, name.length);
	return true;
}

static bool consists_of(struct str text, const char *characters)
{
	return text.length > 0 && strspn(text.data, characters) >= text.length;
}

static bool read_head(struct str text, struct backup_frame *ret)
{
	static const struct str made_at = {"made-at ", 8};
	struct str schema, migrations;
	unsigned long long number;

	if (!take_line(&text, STR("schema "), &schema) ||
	    !str_to_uint64(schema, BACKUP_SCHEMA_MAX, &number) ||
	    !take_line(&text, STR("migrations "), &migrations) ||
	    migrations.length != BACKUP_HASH_DIGITS ||
	    !consists_of(migrations, "0123456789abcdef") || !str_starts_with(text, made_at))
		return false;
	ret->head.schema = (unsigned)number;
	memcpy(ret->head.migrations, migrations.data, BACKUP_HASH_DIGITS);
	ret->head.migrations[BACKUP_HASH_DIGITS] = '\0';
	ret->head.made_at = str_from_offset(text, made_at.length);
	return ret->head.made_at.length <= TIMESTAMP_BYTES_MAX &&
	       consists_of(ret->head.made_at, "-0123456789:.TZ");
}

static bool read_table(struct str text, struct backup_frame *ret)
{
	struct str rest, column;
	unsigned count = 0;

	if (!str_next(&text, '\n', &ret->name) || !is_name(ret->name))
		return false;
	for (rest = ret->columns = text; str_next(&rest, '\n', &column); count++)
		if (!is_name(column) || count == BACKUP_COLUMNS_MAX)
			return false;
	return count > 0;
}

static bool read_sequence(struct str text, struct backup_frame *ret)
{
	struct str value;
	unsigned long long number;

	if (!str_next(&text, ' ', &ret->name) || !is_name(ret->name) ||
	    !str_next(&text, ' ', &value) || !str_to_uint64(value, INT64_MAX, &number))
		return false;
	ret->last_value = (int64_t)number;
	ret->is_called = str_equal(text, STR("t"));
	return number > 0 && (ret->is_called || str_equal(text, STR("f")));
}

static bool read_end(struct str text, struct backup_frame *ret)
{
	static const struct str rows = {"rows ", 5};
	unsigned long long number;

	if (!str_starts_with(text, rows) ||
	    !str_to_uint64(str_from_offset(text, rows.length), INT64_MAX, &number))
		return false;
	ret->row_count = (int64_t)number;
	return true;
}

/* Returns the kinds that may precede this one; a space: at the beginning of the file. */
static const char *predecessors(uint8_t kind)
{
	switch (kind) {
	case BACKUP_HEAD:
		return " ";
	case BACKUP_KEY:
		return "h";
	case BACKUP_TABLE:
		return "hkr";
	case BACKUP_ROWS:
		return "tr";
	case BACKUP_SEQUENCE:
	case BACKUP_END:
		return "hkrs";
	default:
		return "";
	}
}

static bool read_payload(struct backup_reader *reader, struct backup_frame *ret)
{
	struct str text = ret->payload =
	    (struct str){(const char *)reader->payload, reader->length};

	switch (ret->kind) {
	case BACKUP_HEAD:
		return read_head(text, ret);
	case BACKUP_KEY:
		return text.length == BACKUP_KEY_BYTES;
	case BACKUP_TABLE:
		return read_table(text, ret);
	case BACKUP_ROWS:
		return text.length > 0;
	case BACKUP_SEQUENCE:
		return read_sequence(text, ret);
	case BACKUP_END:
		return read_end(text, ret);
	}
	return false;
}

int backup_read(struct backup_reader *reader, struct backup_frame *ret_frame, struct reason *reterr)
{
	char before = reader->last ? (char)reader->last : ' ';
	uint8_t kind = 0;
	char more;
	int rc;

	if (read_frame(reader, &kind, reterr) < 0)
		return -1;
	*ret_frame = (struct backup_frame){.kind = (enum backup_kind)kind};
	if (!strchr(predecessors(kind), before) || !read_payload(reader, ret_frame))
		return reason_set(reterr,
				  "the backup has a part that this program does not support");
	reader->last = ret_frame->kind;
	if (ret_frame->kind != BACKUP_END)
		return 0;
	rc = get(reader, &more, 1, reterr);
	if (rc == 1)
		return reason_set(reterr, "the backup is damaged: it has data after its end");
	return rc;
}
