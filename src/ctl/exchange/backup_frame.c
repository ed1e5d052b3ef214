#include "ctl/exchange/backup_frame.h"
#include "base/require.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static const char magic[] = "displayd backup\n";

enum {
	MAGIC_BYTES = sizeof(magic) - 1,
	VERSION_BYTES = 4,
	TEXT_BYTES = 512,
	TIMESTAMP_BYTES_MAX = 31
};

static void put_number(uint8_t *to, uint32_t number)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(number >> (24 - 8 * i));
}

static uint32_t get_number(const uint8_t *from)
{
	return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

/* Returns the checksum of the data added so far; more can be added afterwards. */
static void get_sum(const crypto_generichash_state *state, uint8_t ret_sum[static BACKUP_SUM_BYTES])
{
	crypto_generichash_state copy = *state;

	crypto_generichash_final(&copy, ret_sum, BACKUP_SUM_BYTES);
}

/* ---- writing ---- */

static void put(struct backup_writer *writer, const void *data, size_t size)
{
	crypto_generichash_update(&writer->state, data, size);
	writer->write(writer->context, data, size);
}

void backup_begin(struct backup_writer *writer)
{
	uint8_t head[MAGIC_BYTES + VERSION_BYTES];

	memcpy(head, magic, MAGIC_BYTES);
	put_number(head + MAGIC_BYTES, BACKUP_VERSION);
	crypto_generichash_init(&writer->state, NULL, 0, BACKUP_SUM_BYTES);
	writer->row_bytes = 0;
	put(writer, head, sizeof(head));
}

static void write_frame(struct backup_writer *writer, enum backup_kind kind, const void *payload,
			size_t size)
{
	uint8_t head[BACKUP_FRAME_HEAD_BYTES] = {(uint8_t)kind}, sum[BACKUP_SUM_BYTES];

	require(size <= BACKUP_PAYLOAD_MAX);
	put_number(head + 1, (uint32_t)size);
	put(writer, head, sizeof(head));
	put(writer, payload, size);
	get_sum(&writer->state, sum);
	writer->write(writer->context, sum, sizeof(sum));
}

static void write_waiting_rows(struct backup_writer *writer)
{
	if (writer->row_bytes > 0)
		write_frame(writer, BACKUP_ROWS, writer->rows, writer->row_bytes);
	writer->row_bytes = 0;
}

void backup_write(struct backup_writer *writer, enum backup_kind kind, const void *payload,
		  size_t size)
{
	write_waiting_rows(writer);
	write_frame(writer, kind, payload, size);
}

void backup_printf(struct backup_writer *writer, enum backup_kind kind, const char *format, ...)
{
	char text[TEXT_BYTES];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	require(length >= 0 && length < (int)sizeof(text));
	backup_write(writer, kind, text, (size_t)length);
}

void backup_write_rows(struct backup_writer *writer, const void *data, size_t size)
{
	const uint8_t *rest = data;

	while (size > 0) {
		size_t room = sizeof(writer->rows) - writer->row_bytes;
		size_t part = size < room ? size : room;

		memcpy(writer->rows + writer->row_bytes, rest, part);
		writer->row_bytes += part;
		rest += part;
		size -= part;
		if (writer->row_bytes == sizeof(writer->rows))
			write_waiting_rows(writer);
	}
}

/* ---- reading ---- */

/* Reads size bytes. Returns 1; 0 if the file ended before; -1 with a reason if reading failed. */
static int get(struct backup_reader *reader, void *data, size_t size, struct reason *reterr)
{
	if (fread(data, 1, size, reader->file) == size)
		return 1;
	return ferror(reader->file)
		   ? reason_set(reterr, "the backup cannot be read: %s", strerror(errno))
		   : 0;
}

int backup_open(struct backup_reader *reader, struct reason *reterr)
{
	uint8_t head[MAGIC_BYTES + VERSION_BYTES];
	uint32_t version;
	int rc = get(reader, head, sizeof(head), reterr);

	if (rc < 0)
		return -1;
	if (rc == 0 || memcmp(head, magic, MAGIC_BYTES) != 0)
		return reason_set(reterr, "this is not a backup of displayd");
	version = get_number(head + MAGIC_BYTES);
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
	get_sum(&reader->state, expected);
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
