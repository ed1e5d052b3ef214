#include "ctl/exchange/account_file.h"
#include "base/hex.h"

#include <errno.h>

enum { PORTION_BYTES = 64 * 1024 };

void account_reader_begin(struct account_reader *reader)
{
	crypto_hash_sha256_init(&reader->state);
	reader->last = ACCOUNT_LINE_END; /* none */
}

void account_reader_finish(struct account_reader *reader)
{
	buffer_finish(&reader->input);
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
			  (unsigned long long)reader->count, what.text);
}

/* More input. 1, 0 at its end, or -1. */
static int fill(struct account_reader *reader, struct reason *reterr)
{
	char *room = buffer_reserve(&reader->input, PORTION_BYTES);
	ssize_t length = reader->read(reader->context, room, PORTION_BYTES);

	if (length < 0)
		return reason_set(reterr, "the file cannot be read: %s", strerror(errno));
	buffer_commit(&reader->input, (size_t)length);
	return length > 0;
}

/* The next line, without its line feed, in the buffer until the next call of fill(). */
static int next_line(struct account_reader *reader, struct str *ret_line, struct reason *reterr)
{
	size_t looked = 0;

	reader->count++;
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
		if (rc == 0 && reader->count == 1)
			return reason_set(reterr, "this is no export of an account");
		if (rc == 0)
			return reason_set(reterr, "the file is not whole: its end is missing");
	}
}

/* Whether a line of this kind may follow one of kind last. */
static bool follows(enum account_line_kind kind, enum account_line_kind last)
{
	static const unsigned before[ACCOUNT_LINE_KINDS] = {
	    [ACCOUNT_LINE_ACCOUNT] = 1u << ACCOUNT_LINE_END,
	    [ACCOUNT_LINE_SECRETS] = 1u << ACCOUNT_LINE_ACCOUNT,
	    [ACCOUNT_LINE_VERSION] = 1u << ACCOUNT_LINE_APP | 1u << ACCOUNT_LINE_VERSION,
	    [ACCOUNT_LINE_DRAFT] = 1u << ACCOUNT_LINE_APP | 1u << ACCOUNT_LINE_VERSION,
	    [ACCOUNT_LINE_ENTRY] = 1u << ACCOUNT_LINE_DEVICE | 1u << ACCOUNT_LINE_ENTRY,
	};

	/* Other kinds are optional, but their order is fixed. */
	if (before[kind])
		return before[kind] >> last & 1;
	return last != ACCOUNT_LINE_END &&
	       (last <= kind || (kind == ACCOUNT_LINE_APP && last <= ACCOUNT_LINE_DRAFT) ||
		(kind == ACCOUNT_LINE_DEVICE && last <= ACCOUNT_LINE_ENTRY));
}

static int check_place(struct account_reader *reader, const struct account_line *line,
		       struct reason *reterr)
{
	bool is_of_app = line->kind == ACCOUNT_LINE_VERSION || line->kind == ACCOUNT_LINE_DRAFT;

	if (!follows(line->kind, reader->last))
		return fail(reader, reterr, "it does not belong there");
	if (is_of_app && !str_equal(line->app, reader->slug))
		return fail(reader, reterr, "it is not of the app before it");
	if (line->kind == ACCOUNT_LINE_ENTRY && !id_equal(line->device_id, reader->device_id))
		return fail(reader, reterr, "it is not of the device before it");
	if (line->sealed.data && !reader->is_salted)
		return fail(reader, reterr,
			    "it has secret settings, and no line says how to read them");
	reader->last = line->kind;
	reader->is_salted |= line->kind == ACCOUNT_LINE_SECRETS;
	if (line->kind == ACCOUNT_LINE_DEVICE)
		reader->device_id = line->id;
	if (line->kind == ACCOUNT_LINE_APP) {
		memcpy(reader->slug_text, line->slug.data, line->slug.length);
		reader->slug = (struct str){reader->slug_text, line->slug.length};
	}
	return 0;
}

/* Whether it is an export at all, and one that this program reads. */
static int check_first(const struct account_line *line, int rc, struct str text,
		       struct reason *reterr)
{
	if (!str_starts_with(text, STR("{\"kind\":\"account\"")))
		return reason_set(reterr, "this is no export of an account");
	if (line->format > ACCOUNT_FILE_FORMAT)
		return reason_set(reterr,
				  "the file has format %lld, this program knows format %d: take a "
				  "newer displayctl",
				  (long long)line->format, ACCOUNT_FILE_FORMAT);
	return rc;
}

static int check_end(const struct account_reader *reader, const struct account_line *line,
		     struct reason *reterr)
{
	crypto_hash_sha256_state state = reader->state;
	uint8_t sum[crypto_hash_sha256_BYTES], said[crypto_hash_sha256_BYTES];

	crypto_hash_sha256_final(&state, sum);
	if (!hex_decode(line->sum, said, sizeof(said)) || memcmp(sum, said, sizeof(sum)) != 0 ||
	    line->count != (int64_t)reader->count)
		return reason_set(reterr, "the file is damaged: its checksum is wrong");
	return 0;
}

int account_read(struct account_reader *reader, struct arena *arena, struct account_line *ret_line,
		 struct reason *reterr)
{
	struct str view = {0}, text;
	struct reason what;
	int rc = next_line(reader, &view, reterr);

	if (rc < 0)
		return -1;
	text = arena_copy(arena, view);
	rc = account_line_read(text, arena, ret_line, &what);
	if (rc < 0)
		(void)fail(reader, reterr, "%s", what.text);
	if (reader->count == 1)
		rc = check_first(ret_line, rc, text, reterr);
	if (rc == 0)
		rc = check_place(reader, ret_line, reterr);
	if (rc == 0 && ret_line->kind == ACCOUNT_LINE_END) {
		rc = check_end(reader, ret_line, reterr);
	} else {
		crypto_hash_sha256_update(&reader->state, (const uint8_t *)view.data,
					  view.length + 1);
	}
	buffer_consume(&reader->input, view.length + 1);
	if (rc == 0 && ret_line->kind == ACCOUNT_LINE_END &&
	    (buffer_length(&reader->input) > 0 || (rc = fill(reader, reterr)) > 0))
		return reason_set(reterr, "the file is damaged: something stands behind its end");
	return rc;
}
