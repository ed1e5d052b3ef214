#include "reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yyjson.h>

enum {
	WORDS_MAX = 1024,
	LEAST_S = 5,
	MOST_S = 7 * 24 * 3600,
	UNASKED_MOST_S = 3600, /* if the app has set no time */
	LINES_MAX = 200,       /* of headers; those after them are left out */
};

/* Views of the name and value of a header line. */
struct line {
	const char *name, *value;
	size_t name_length, value_length;
};

void reply_finish(struct reply *reply)
{
	bytes_finish(&reply->members);
	bytes_finish(&reply->body);
}

/* Stores the object's text without its braces, and frees the object. Text that lacks something for
 * want of memory is not stored. */
static void keep(struct reply *reply, yyjson_mut_doc *doc, bool is_whole)
{
	size_t length = 0;
	char *text = is_whole ? yyjson_mut_write(doc, YYJSON_WRITE_NOFLAG, &length) : NULL;

	reply_finish(reply);
	if (text)
		bytes_add(&reply->members, text + 1, length - 2);
	free(text);
	yyjson_mut_doc_free(doc);
}

static yyjson_mut_doc *make_object(void)
{
	yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);

	yyjson_mut_doc_set_root(doc, yyjson_mut_obj(doc));
	return doc;
}

/* A text for yyjson_mut_*(), which lives as long as the document; NULL: no memory. Invalid UTF-8,
 * sent by a server or made by a cut, is replaced: the reader of our frames is strict. */
static const char *make_text(yyjson_mut_doc *doc, const char *from)
{
	struct bytes text = {0};
	const char *copy;

	bytes_add_valid(&text, str_from(from));
	copy = text.failed ? NULL
			   : yyjson_mut_get_str(yyjson_mut_strcpy(doc, text.data ? text.data : ""));
	bytes_finish(&text);
	return copy;
}

void reply_set_error(struct reply *reply, const char *format, ...)
{
	yyjson_mut_doc *doc = make_object();
	char words[WORDS_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	keep(reply, doc,
	     yyjson_mut_obj_add_str(doc, yyjson_mut_doc_get_root(doc), "error",
				    make_text(doc, words)));
}

/* The next line from *at on; false at the end. */
static bool next_line(const struct bytes *headers, size_t *at, struct line *ret_line)
{
	while (*at < headers->length) {
		const char *from = headers->data + *at, *colon;
		const char *end = memchr(from, '\n', headers->length - *at);
		size_t length = end ? (size_t)(end - from) : headers->length - *at;

		*at += length + (end != NULL);
		colon = memchr(from, ':', length);
		if (!colon || colon == from)
			continue;
		end = from + length;
		ret_line->name = from;
		ret_line->name_length = (size_t)(colon - from);
		for (colon++; colon < end && (*colon == ' ' || *colon == '\t'); colon++)
			;
		while (end > colon && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t'))
			end--;
		ret_line->value = colon;
		ret_line->value_length = (size_t)(end - colon);
		return true;
	}
	return false;
}

static bool has_name(const struct line *line, const char *name)
{
	return strlen(name) == line->name_length &&
	       strncasecmp(line->name, name, line->name_length) == 0;
}

static bool is_kept(const struct line *line)
{
	static const char *const dropped[] = {
	    "connection", "keep-alive",	       "transfer-encoding", "content-encoding",
	    "upgrade",	  "content-length",    "trailer",	    "set-cookie",
	    "alt-svc",	  "proxy-authenticate"};

	for (size_t i = 0; i < sizeof(dropped) / sizeof(*dropped); i++)
		if (has_name(line, dropped[i]))
			return false;
	return true;
}

/* A header's bytes are characters of ISO 8859-1, as far as they are no ASCII. */
static void add_characters(struct bytes *text, const char *from, size_t length, bool makes_small)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)from[i];

		if (c >= 0x80) {
			char both[2] = {(char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f))};

			bytes_add(text, both, 2);
			continue;
		}
		if (makes_small && c >= 'A' && c <= 'Z')
			c |= 0x20;
		bytes_add(text, &c, 1);
	}
}

/* Returns false if there is no memory. */
static bool add_header(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct line *line)
{
	struct bytes name = {0}, value = {0};
	yyjson_mut_val *earlier;
	bool is_added;

	add_characters(&name, line->name, line->name_length, true);
	earlier = yyjson_mut_obj_getn(object, name.data, name.length);
	if (earlier) {
		bytes_add(&value, yyjson_mut_get_str(earlier), yyjson_mut_get_len(earlier));
		bytes_add(&value, ", ", 2);
	}
	add_characters(&value, line->value, line->value_length, false);
	is_added =
	    !name.failed && !value.failed &&
	    yyjson_mut_obj_put(object, yyjson_mut_strncpy(doc, name.data, name.length),
			       yyjson_mut_strncpy(doc, value.data ? value.data : "", value.length));
	bytes_finish(&name);
	bytes_finish(&value);
	return is_added;
}

void reply_set_answer(struct reply *reply, long status, const char *url,
		      const struct bytes *headers, struct bytes *body)
{
	yyjson_mut_doc *doc = make_object();
	yyjson_mut_val *root = yyjson_mut_doc_get_root(doc), *object;
	struct line line;
	size_t at = 0, count = 0;
	bool is_whole = yyjson_mut_obj_add_int(doc, root, "status", status) &&
			yyjson_mut_obj_add_str(doc, root, "url", make_text(doc, url));

	object = yyjson_mut_obj_add_obj(doc, root, "headers");
	is_whole &= object != NULL;
	while (count++ < LINES_MAX && next_line(headers, &at, &line))
		if (is_kept(&line))
			is_whole = is_whole && add_header(doc, object, &line);
	keep(reply, doc, is_whole);
	if (reply->members.length == 0)
		return;
	reply->body = *body;
	*body = (struct bytes){0};
}

/* https://www.rfc-editor.org/rfc/rfc9110#section-15.1, and what the community's apps are used to.
 */
static bool is_cacheable(long status)
{
	static const short statuses[] = {200, 201, 202, 203, 204, 206, 300,
					 301, 404, 405, 410, 414, 501};

	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++)
		if (status == statuses[i])
			return true;
	return false;
}

/* Returns the number in a header, within its bounds; 0: there is none. */
static int64_t read_seconds(const char *from, const char *end)
{
	int64_t value = 0;

	for (; from < end && *from >= '0' && *from <= '9' && value < MOST_S; from++)
		value = value * 10 + *from - '0';
	return value < MOST_S ? value : MOST_S;
}

/* Returns the max-age of Cache-Control in seconds; 0: none; -1: caching is forbidden. */
static int64_t read_cache_control(const struct bytes *headers)
{
	int64_t age_s = 0;
	struct line line;
	size_t at = 0;

	while (next_line(headers, &at, &line)) {
		const char *from = line.value, *end = line.value + line.value_length;

		if (!has_name(&line, "cache-control"))
			continue;
		while (from < end) {
			size_t left = (size_t)(end - from);

			if (left >= 8 && strncasecmp(from, "no-store", 8) == 0)
				return -1;
			if (left > 8 && strncasecmp(from, "max-age=", 8) == 0)
				age_s = read_seconds(from + 8, end);
			while (from < end && *from != ',')
				from++;
			while (from < end && (*from == ',' || *from == ' '))
				from++;
		}
	}
	return age_s < UNASKED_MOST_S ? age_s : UNASKED_MOST_S;
}

static int64_t read_retry_after(const struct bytes *headers)
{
	struct line line;
	size_t at = 0;

	while (next_line(headers, &at, &line))
		if (has_name(&line, "retry-after"))
			return read_seconds(line.value, line.value + line.value_length);
	return 0;
}

int64_t reply_lifetime_s(const char *method, int64_t ttl_s, long status,
			 const struct bytes *headers)
{
	bool only_reads = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
	int64_t lifetime_s = ttl_s;

	if (!only_reads && (ttl_s <= 0 || strcmp(method, "POST") != 0))
		return 0;
	if (status == 429)
		lifetime_s = read_retry_after(headers);
	else if (!is_cacheable(status))
		lifetime_s = LEAST_S;
	else if (ttl_s <= 0)
		lifetime_s = read_cache_control(headers);
	if (lifetime_s < 0)
		return 0;
	if (lifetime_s < LEAST_S)
		return LEAST_S;
	return lifetime_s < MOST_S ? lifetime_s : MOST_S;
}
