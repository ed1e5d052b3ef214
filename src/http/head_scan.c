#include "http/head_scan.h"
#include "base/limits.h"

#include <text/swar.h>

enum {
	TOKEN = 1,  /* RFC 9110 section 5.6.2 */
	TARGET = 2, /* visible ASCII except "#" */
	VALUE = 4,  /* field-vchar, space and tab: RFC 9110 section 5.5 */
	METHOD_BYTES_MAX = 32,
};

enum scan_state {
	BLANK, /* before the request line */
	BLANK_LF,
	METHOD,
	REQUEST_TARGET,
	VERSION,
	LINE_LF,
	LINE_START,
	NAME,
	FIELD_VALUE,
	END_LF,
};

/* Classes of every byte, 32 a line. */
static const uint8_t class_of[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    4, 7, 6, 5, 7, 7, 7, 7, 6, 6, 7, 7, 6, 7, 7, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 6, 6, 6, 6, 6,
    6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 6, 6, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 7, 6, 7, 0,
    4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
};

bool is_token(struct str text)
{
	for (size_t i = 0; i < text.length; i++) {
		if (!(class_of[(unsigned char)text.data[i]] & TOKEN))
			return false;
	}
	return text.length > 0;
}

static bool is_of(char c, unsigned class)
{
	return class_of[(unsigned char)c] & class;
}

static struct http_protocol_error scan_blank(struct head_scan *scan, char c)
{
	if (scan->state == BLANK_LF) {
		if (c != '\n')
			return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
						   "a line does not end with CR LF");
		if (++scan->blank_lines > LIMIT_BLANK_LINES)
			return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
						   "too many empty lines before the request line");
		scan->state = BLANK;
	} else if (c == '\r') {
		scan->state = BLANK_LF;
	}
	return HTTP_NO_ERROR;
}

/* RFC 9112 section 2.3. The version matters only if it is well-formed. */
static struct http_protocol_error scan_version(struct head_scan *scan, char c)
{
	static const char form[] = "HTTP/n.n\r";
	char wanted = form[scan->part];

	if (wanted == 'n' ? c < '0' || c > '9' : c != wanted)
		return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
					   "the protocol version is malformed");
	if (scan->part == HTTP_VERSION_MAJOR)
		scan->is_other_major = c != '1';
	if (scan->part++ == HTTP_VERSION_BYTES) {
		scan->state = LINE_LF;
		if (scan->is_other_major)
			return HTTP_PROTOCOL_ERROR(PROBLEM_HTTP_VERSION_UNSUPPORTED,
						   "the protocol must be HTTP/1.1 or HTTP/1.0");
	}
	return HTTP_NO_ERROR;
}

static struct http_protocol_error scan_request_line(struct head_scan *scan, char c)
{
	switch (scan->state) {
	case METHOD:
		if (is_of(c, TOKEN) && scan->part < METHOD_BYTES_MAX)
			break;
		if (c != ' ' || scan->part == 0)
			return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
						   "the method is malformed");
		scan->state = REQUEST_TARGET;
		scan->part = 0;
		return HTTP_NO_ERROR;
	case REQUEST_TARGET:
		if (is_of(c, TARGET)) {
			if (scan->part < LIMIT_REQUEST_TARGET_BYTES)
				break;
			return HTTP_PROTOCOL_ERROR(PROBLEM_TARGET_TOO_LONG,
						   "the request target is too long");
		}
		if (c != ' ' || scan->part == 0)
			return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
						   "the request target is malformed");
		scan->state = VERSION;
		scan->part = 0;
		scan->version = scan->length + 1;
		return HTTP_NO_ERROR;
	default:
		return scan_version(scan, c);
	}
	scan->part++;
	return HTTP_NO_ERROR;
}

static struct http_protocol_error scan_line_start(struct head_scan *scan, char c)
{
	if (c == '\r') {
		scan->state = END_LF;
		return HTTP_NO_ERROR;
	}
	if (c == ' ' || c == '\t')
		return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
					   "a header field is folded over two lines");
	if (!is_of(c, TOKEN))
		return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
					   "the name of a header field is malformed");
	if (++scan->field_count > LIMIT_REQUEST_FIELDS)
		return HTTP_PROTOCOL_ERROR(PROBLEM_HEAD_TOO_LARGE, "too many header fields");
	scan->state = NAME;
	return HTTP_NO_ERROR;
}

static struct http_protocol_error scan_fields(struct head_scan *scan, char c)
{
	switch (scan->state) {
	case LINE_START:
		return scan_line_start(scan, c);
	case NAME:
		if (is_of(c, TOKEN))
			return HTTP_NO_ERROR;
		if (c != ':')
			return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
						   "the name of a header field is malformed");
		scan->state = FIELD_VALUE;
		return HTTP_NO_ERROR;
	case FIELD_VALUE:
		if (is_of(c, VALUE))
			return HTTP_NO_ERROR;
		if (c != '\r')
			return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
						   "a header field contains a control character");
		scan->state = LINE_LF;
		return HTTP_NO_ERROR;
	default: /* LINE_LF, END_LF */
		if (c != '\n')
			return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
						   "a line does not end with CR LF");
		scan->is_complete = scan->state == END_LF;
		scan->state = LINE_START;
		return HTTP_NO_ERROR;
	}
}

/* Whether eight bytes are of the class VALUE; also false if one of them is a tab. */
static bool are_values(const char *text)
{
	uint64_t eight = swar_load(text);

	return !(swar_has_below(eight, ' ') | swar_has(eight, 0x7f));
}

/* Whether eight bytes are of the class TARGET. */
static bool are_targets(const char *text)
{
	uint64_t eight = swar_load(text);

	return !(swar_has_below(eight, '!') | swar_has(eight, '#') | swar_has(eight, 0x7f) |
		 (eight & SWAR_EACH(0x80)));
}

/* Returns the number of next bytes that do not change the state: a value, a name or a target is
 * scanned at once, up to the byte that ends it. */
static size_t run_length(const struct head_scan *scan, struct str data)
{
	unsigned class = scan->state == FIELD_VALUE ? VALUE : scan->state == NAME ? TOKEN : TARGET;
	size_t max = (size_t)LIMIT_REQUEST_HEAD_BYTES - 1 - scan->length;
	size_t i = 0;

	if (scan->state == REQUEST_TARGET && max > (size_t)LIMIT_REQUEST_TARGET_BYTES - scan->part)
		max = (size_t)LIMIT_REQUEST_TARGET_BYTES - scan->part;
	if (max > data.length)
		max = data.length;
	if (class == VALUE) {
		while (i + 8 <= max && are_values(data.data + i))
			i += 8;
	} else if (class == TARGET) {
		while (i + 8 <= max && are_targets(data.data + i))
			i += 8;
	}
	while (i < max && is_of(data.data[i], class))
		i++;
	return i;
}

/* Skips the version that nearly all clients send, with the end of its line. Returns the number of
 * bytes, 0 if the next bytes differ or are incomplete. */
static size_t skip_usual_version(struct head_scan *scan, struct str data)
{
	static const struct str usual = {"HTTP/1.1\r\n", 10};

	if (scan->part != 0 || !str_starts_with(data, usual) ||
	    scan->length + usual.length >= LIMIT_REQUEST_HEAD_BYTES)
		return 0;
	scan->length = (uint16_t)(scan->length + usual.length);
	scan->state = LINE_START;
	return usual.length;
}

struct http_protocol_error head_scan(struct head_scan *scan, struct str data, size_t *ret_start,
				     size_t *ret_used)
{
	struct http_protocol_error error = HTTP_NO_ERROR;
	size_t i = 0;
	size_t start = 0;

	for (; i < data.length && !scan->is_complete && !error.kind; i++) {
		char c;

		if (scan->state == FIELD_VALUE || scan->state == NAME ||
		    scan->state == REQUEST_TARGET) {
			size_t run = run_length(scan, str_from_offset(data, i));

			scan->length = (uint16_t)(scan->length + run);
			if (scan->state == REQUEST_TARGET)
				scan->part = (uint16_t)(scan->part + run);
			i += run;
			if (i == data.length)
				break;
		}
		if (scan->state == VERSION) {
			i += skip_usual_version(scan, str_from_offset(data, i));
			if (i == data.length)
				break;
		}
		c = data.data[i];
		if (scan->state <= BLANK_LF) {
			if (scan->state == BLANK_LF || c == '\r') {
				error = scan_blank(scan, c);
				start = i + 1;
				continue;
			}
			scan->state = METHOD;
		}
		if (scan->state <= VERSION)
			error = scan_request_line(scan, c);
		else
			error = scan_fields(scan, c);
		scan->length++;
		if (!error.kind && !scan->is_complete && scan->length >= LIMIT_REQUEST_HEAD_BYTES)
			error = HTTP_PROTOCOL_ERROR(PROBLEM_HEAD_TOO_LARGE,
						    "the head of the request is too large");
	}
	*ret_start = start;
	*ret_used = i;
	return error;
}
