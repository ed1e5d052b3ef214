#include "record/json.h"
#include "base/limits.h"
#include "base/memory.h"
#include "json_number.h"
#include "json_scan.h"
#include "record/json_memory.h"

#include <stdlib.h>
#include <text/utf8.h>
#include <yyjson.h>

static yyjson_val *native(const struct json_value *value)
{
	return (yyjson_val *)(void *)value;
}

struct str json_get_literal(const struct json_value *value)
{
	if (!yyjson_is_raw(native(value)))
		return (struct str){0};
	return (struct str){yyjson_get_raw(native(value)), yyjson_get_len(native(value))};
}

static int compare_names(const void *a, const void *b)
{
	const yyjson_val *x = *(yyjson_val *const *)a;
	const yyjson_val *y = *(yyjson_val *const *)b;
	size_t x_length = unsafe_yyjson_get_len((void *)x);
	size_t y_length = unsafe_yyjson_get_len((void *)y);

	if (x_length != y_length)
		return x_length < y_length ? -1 : 1;
	return memcmp(unsafe_yyjson_get_str((void *)x), unsafe_yyjson_get_str((void *)y), x_length);
}

/* Returns a name that occurs twice in an object, or NULL. Sorts the names, so that a hostile object
 * costs little. */
static yyjson_val *repeated_name(yyjson_val *object)
{
	size_t count = yyjson_obj_size(object);
	yyjson_val **names;
	yyjson_val *name;
	yyjson_val *found = NULL;
	yyjson_obj_iter iterator;
	size_t i = 0;

	if (count < 2)
		return NULL;
	names = memory_alloc(count * sizeof(names[0]));
	yyjson_obj_iter_init(object, &iterator);
	while ((name = yyjson_obj_iter_next(&iterator)))
		names[i++] = name;
	qsort(names, count, sizeof(names[0]), compare_names);
	for (i = 1; i < count && !found; i++) {
		if (compare_names(&names[i - 1], &names[i]) == 0)
			found = names[i];
	}
	free(names);
	return found;
}

/* Recursion ends at the depth limit. */
static bool has_single_names(yyjson_val *value, struct arena *arena, struct str *ret_reason)
{
	yyjson_val *name;
	size_t i, count;
	yyjson_val *member;

	if (yyjson_is_arr(value)) {
		yyjson_arr_foreach(value, i, count, member)
		{
			if (!has_single_names(member, arena, ret_reason))
				return false;
		}
		return true;
	}
	if (!yyjson_is_obj(value))
		return true;
	name = repeated_name(value);
	if (name) {
		struct str text = {yyjson_get_str(name), yyjson_get_len(name)};

		if (text.length > 64)
			*ret_reason = STR("the JSON has an object with a repeated name");
		else
			*ret_reason = arena_printf(arena, "the JSON repeats the name \"%.*s\"",
						   STR_ARG(text));
		return false;
	}
	yyjson_obj_foreach(value, i, count, name, member)
	{
		if (!has_single_names(member, arena, ret_reason))
			return false;
	}
	return true;
}

static bool has_exponent(struct str literal)
{
	return memchr(literal.data, 'e', literal.length) ||
	       memchr(literal.data, 'E', literal.length);
}

/* Whether each number is one that a double can have. Only a number with an exponent is larger. */
static bool has_finite_numbers(yyjson_doc *doc, struct arena *arena, struct str *ret_reason)
{
	size_t count = yyjson_doc_get_val_count(doc);
	double number;

	for (yyjson_val *value = yyjson_doc_get_root(doc); count; count--, value++) {
		struct str literal = json_get_literal((const void *)value);

		if (!literal.data || !has_exponent(literal) ||
		    json_number_to_double(literal, &number))
			continue;
		*ret_reason =
		    arena_printf(arena, "the body is not valid JSON: the number %.*s is too large",
				 STR_ARG(literal));
		return false;
	}
	return true;
}

/* ---- parsing ---- */

struct json_parsing {
	struct str text;
	unsigned values_max;
	const yyjson_alc *allocator; /* NULL: malloc(), which may fail */
	struct arena *arena;
	enum { SCAN, PARSE, CHECK } next;
	struct json_scan scan;
};

static enum json_progress scan(struct json_parsing *parsing, struct str *ret_reason)
{
	enum json_scan_result result = json_scan_step(&parsing->scan);
	size_t at = (size_t)(parsing->scan.at - parsing->text.data);

	switch (result) {
	case JSON_SCAN_MORE:
		return JSON_MORE;
	case JSON_SCAN_GOOD:
		parsing->next = PARSE;
		return JSON_MORE;
	case JSON_SCAN_TOO_DEEP:
		*ret_reason = arena_printf(parsing->arena,
					   "the JSON is nested deeper than %d levels at byte %zu",
					   LIMIT_JSON_DEPTH, at);
		break;
	case JSON_SCAN_TOO_MANY:
		*ret_reason =
		    arena_printf(parsing->arena, "the JSON has more than %u values and names",
				 parsing->values_max);
		break;
	case JSON_SCAN_TOO_LONG:
		*ret_reason =
		    arena_printf(parsing->arena,
				 "a number in the JSON has more than %d characters before byte %zu",
				 LIMIT_JSON_NUMBER, at);
		break;
	}
	return JSON_FAILED;
}

/* Returns what a text that is not JSON looks like, with a remedy; NULL if that is not clear. */
static const char *likeness_of(struct str text)
{
	static const struct {
		const char *start;
		const char *words;
	} all[] = {
	    {"\x1f\x8b", "a file compressed by gzip: unpack it"},
	    {"PK\x03\x04", "a ZIP archive: unpack it"},
	    {"\xff\xfe", "text in UTF-16: save it as UTF-8"},
	    {"\xfe\xff", "text in UTF-16: save it as UTF-8"},
	    {"<", "a page or XML: send JSON"},
	};

	for (size_t i = 0; i < array_length(all); i++)
		if (str_starts_with(text, str_from(all[i].start)))
			return all[i].words;
	if (text.length > 1 && (!text.data[0] || !text.data[1]))
		return "text in UTF-16: save it as UTF-8";
	return NULL;
}

static enum json_progress parse_text(struct json_parsing *parsing,
				     struct json_document *ret_document, struct str *ret_reason)
{
	struct str text = parsing->text;
	yyjson_read_err error;
	char *copy;

	/* yyjson parses the copy in place: strings stay in it when the tree is freed. */
	copy = arena_alloc(parsing->arena, text.length + YYJSON_PADDING_SIZE);
	if (text.length)
		memcpy(copy, text.data, text.length);
	memset(copy + text.length, 0, YYJSON_PADDING_SIZE);
	ret_document->doc =
	    yyjson_read_opts(copy, text.length, YYJSON_READ_INSITU | YYJSON_READ_NUMBER_AS_RAW,
			     parsing->allocator, &error);
	parsing->next = CHECK;
	if (ret_document->doc)
		return JSON_MORE;
	ret_document->lacks_memory = error.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION;
	if (text.length == 0)
		*ret_reason = STR("the body is empty, must be JSON");
	else if (likeness_of(text))
		*ret_reason = arena_printf(parsing->arena, "the body is not valid JSON but %s",
					   likeness_of(text));
	else
		*ret_reason =
		    arena_printf(parsing->arena, "the body is not valid JSON: %s at byte %zu",
				 error.msg, error.pos);
	return JSON_FAILED;
}

static enum json_progress json_check(struct json_parsing *parsing,
				     struct json_document *ret_document, struct str *ret_reason)
{
	yyjson_doc *doc = ret_document->doc;

	if (!has_single_names(yyjson_doc_get_root(doc), parsing->arena, ret_reason) ||
	    !has_finite_numbers(doc, parsing->arena, ret_reason)) {
		json_document_finish(ret_document);
		return JSON_FAILED;
	}
	ret_document->root = (const struct json_value *)(void *)yyjson_doc_get_root(doc);
	return JSON_DONE;
}

enum json_progress json_parsing_step(struct json_parsing *parsing,
				     struct json_document *ret_document, struct str *ret_reason)
{
	switch (parsing->next) {
	case SCAN:
		return scan(parsing, ret_reason);
	case PARSE:
		return parse_text(parsing, ret_document, ret_reason);
	default:
		return json_check(parsing, ret_document, ret_reason);
	}
}

static struct json_parsing json_begin(struct str text, unsigned values_max,
				      const yyjson_alc *allocator, struct arena *arena)
{
	struct json_parsing parsing = {
	    .text = text, .values_max = values_max, .allocator = allocator, .arena = arena};

	json_scan_init(&parsing.scan, text, values_max);
	return parsing;
}

struct json_parsing *json_parsing_new(struct str text, bool is_long, struct arena *arena)
{
	struct json_parsing *parsing = arena_alloc(arena, sizeof(*parsing));

	*parsing =
	    json_begin(text, is_long ? LIMIT_JSON_LONG_VALUES : LIMIT_JSON_VALUES, NULL, arena);
	return parsing;
}

static bool parse(struct str text, unsigned values_max, const yyjson_alc *allocator,
		  struct arena *arena, struct json_document *ret_document, struct str *ret_reason)
{
	struct json_parsing parsing = json_begin(text, values_max, allocator, arena);
	enum json_progress progress;

	do {
		progress = json_parsing_step(&parsing, ret_document, ret_reason);
	} while (progress == JSON_MORE);
	return progress == JSON_DONE;
}

bool json_parse_body(struct str text, struct arena *arena, struct json_document *ret_document,
		     struct str *ret_reason)
{
	return parse(text, LIMIT_JSON_VALUES, NULL, arena, ret_document, ret_reason);
}

bool json_parse(struct str text, struct arena *arena, struct json_document *ret_document,
		struct str *ret_reason)
{
	return parse(text, LIMIT_JSON_VALUES, &json_memory, arena, ret_document, ret_reason);
}

bool json_parse_long(struct str text, struct arena *arena, struct json_document *ret_document,
		     struct str *ret_reason)
{
	return parse(text, LIMIT_JSON_LONG_VALUES, &json_memory, arena, ret_document, ret_reason);
}

void json_document_finish(struct json_document *document)
{
	yyjson_doc_free(document->doc);
	*document = (struct json_document){0};
}

bool json_get_integer(const struct json_value *value, int64_t *ret_integer)
{
	yyjson_val *number = native(value);
	struct str literal = json_get_literal(value);

	if (literal.data)
		return json_number_to_integer(literal, ret_integer);
	/* Another module parsed the document, without literals. */
	if (!yyjson_is_int(number) ||
	    (yyjson_is_uint(number) && yyjson_get_uint(number) > INT64_MAX))
		return false;
	*ret_integer = yyjson_get_sint(number);
	return true;
}

bool json_is_null(const struct json_value *value)
{
	return yyjson_is_null(native(value));
}

bool json_get_bool(const struct json_value *value, bool *ret_bool)
{
	if (!yyjson_is_bool(native(value)))
		return false;
	*ret_bool = yyjson_get_bool(native(value));
	return true;
}

bool json_get_str(const struct json_value *value, struct str *ret_text)
{
	if (!yyjson_is_str(native(value)))
		return false;
	*ret_text = (struct str){yyjson_get_str(native(value)), yyjson_get_len(native(value))};
	return true;
}

bool json_get_array(const struct json_value *value, unsigned *ret_count)
{
	if (!yyjson_is_arr(native(value)))
		return false;
	*ret_count = (unsigned)yyjson_arr_size(native(value));
	return true;
}

const struct json_value *json_array_item(const struct json_value *array, unsigned index)
{
	return (const struct json_value *)(void *)yyjson_arr_get(native(array), index);
}

bool json_is_object(const struct json_value *value)
{
	return yyjson_is_obj(native(value));
}

bool json_get_object(const struct json_value *value, unsigned *ret_count)
{
	if (!json_is_object(value))
		return false;
	*ret_count = (unsigned)yyjson_obj_size(native(value));
	return true;
}

bool json_get_number(const struct json_value *value, double *ret_number)
{
	struct str literal = json_get_literal(value);

	return literal.data && json_number_to_double(literal, ret_number);
}

const struct json_value *json_member(const struct json_value *object, const char *name)
{
	return (const struct json_value *)(void *)yyjson_obj_get(native(object), name);
}

struct json_walk json_walk(const struct json_value *container)
{
	yyjson_val *value = native(container);

	if (yyjson_get_len(value) == 0 || !yyjson_is_ctn(value))
		return (struct json_walk){0};
	return (struct json_walk){
	    .next = (const struct json_value *)(void *)unsafe_yyjson_get_first(value),
	    .left = unsafe_yyjson_get_len(value),
	};
}

static const struct json_value *step(struct json_walk *walk, yyjson_val *value)
{
	walk->left--;
	/* Read nothing after the last item. */
	walk->next =
	    walk->left ? (const struct json_value *)(void *)unsafe_yyjson_get_next(value) : NULL;
	return (const struct json_value *)(void *)value;
}

bool json_next_item(struct json_walk *walk, const struct json_value **ret_item)
{
	if (walk->left == 0)
		return false;
	*ret_item = step(walk, native(walk->next));
	return true;
}

bool json_next_member(struct json_walk *walk, struct str *ret_name,
		      const struct json_value **ret_value)
{
	yyjson_val *name = native(walk->next);

	if (walk->left == 0)
		return false;
	*ret_name = (struct str){unsafe_yyjson_get_str(name), unsafe_yyjson_get_len(name)};
	*ret_value = step(walk, name + 1);
	return true;
}

/* Whether an ASCII character must be escaped in a string. DEL controls terminals. */
static bool needs_escape(unsigned char c)
{
	return c < 0x20 || c == '"' || c == '\\' || c == 0x7f;
}

static char *write_escape(char *out, uint32_t c)
{
	char text[UTF8_ESCAPE_BYTES + 1];

	if (c == '"' || c == '\\') {
		*out++ = '\\';
		*out++ = (char)c;
		return out;
	}
	utf8_escape(c, text);
	memcpy(out, text, UTF8_ESCAPE_BYTES);
	return out + UTF8_ESCAPE_BYTES;
}

/* Whether a byte may begin a control character: U+0080 to U+009F, U+061C, U+200E to U+2069. */
static bool may_steer(unsigned char c)
{
	return c == 0xc2 || c == 0xd8 || c == 0xe2;
}

/* Writes the character of two or three bytes at the front of the text; returns its bytes. */
static size_t write_wide(struct str text, char **out)
{
	struct str rest = text;
	size_t length = utf8_sequence_length(text);
	uint32_t c = length ? utf8_next(&rest) : 0;

	if (length && utf8_is_steering(c)) {
		*out = write_escape(*out, c);
		return length;
	}
	length = length ? length : 1;
	memcpy(*out, text.data, length);
	*out += length;
	return length;
}

void json_write_str(struct buffer *buffer, struct str text)
{
	char *out = buffer_reserve(buffer, text.length * 6 + 2);
	char *start = out;

	*out++ = '"';
	for (size_t i = 0; i < text.length; i++) {
		unsigned char c = (unsigned char)text.data[i];

		if (may_steer(c))
			i += write_wide(str_from_offset(text, i), &out) - 1;
		else if (needs_escape(c))
			out = write_escape(out, c);
		else
			*out++ = (char)c;
	}
	*out++ = '"';
	buffer_commit(buffer, (size_t)(out - start));
}

void json_write_text(struct buffer *buffer, struct str json)
{
	char *out = buffer_reserve(buffer, json.length * 6);
	char *start = out;

	/* Such characters occur only in strings. */
	for (size_t i = 0; i < json.length; i++) {
		unsigned char c = (unsigned char)json.data[i];

		if (may_steer(c))
			i += write_wide(str_from_offset(json, i), &out) - 1;
		else if (c == 0x7f)
			out = write_escape(out, c);
		else
			*out++ = (char)c;
	}
	buffer_commit(buffer, (size_t)(out - start));
}
