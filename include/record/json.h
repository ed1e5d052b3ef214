/* Reads JSON texts strictly (RFC 8259). */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"

/* Value in a document: yyjson's own type. */
struct json_value;

struct json_document {
	struct yyjson_doc *doc;	       /* NULL while empty */
	const struct json_value *root; /* valid until json_document_finish() */
	bool lacks_memory;	       /* json_parse_body() failed only for lack of memory */
};

/* Parses a text that is exactly one JSON value in valid UTF-8. Refuses repeated names in an object,
 * nesting deeper than LIMIT_JSON_DEPTH, numbers longer than LIMIT_JSON_NUMBER, and more values than
 * LIMIT_JSON_VALUES. Strings live in the arena and outlive the document. Returns false with a
 * sentence in *ret_reason (in the arena) if the text is refused. Ends the process if memory is
 * missing, which is not a fault of the text. */
bool json_parse(struct str text, struct arena *arena, struct json_document *ret_document,
		struct str *ret_reason);

/* Parses, as json_parse(), a text whose size a client chose: if memory is missing, returns false
 * and sets lacks_memory. */
bool json_parse_body(struct str text, struct arena *arena, struct json_document *ret_document,
		     struct str *ret_reason);

/* Parses, as json_parse_body(), in steps, so that others get a thread between them. is_long: a text
 * with up to LIMIT_JSON_LONG_VALUES values. The parsing lies in the arena. */
struct json_parsing;
enum json_progress { JSON_MORE, JSON_FAILED, JSON_DONE };

struct json_parsing *json_parsing_new(struct str text, bool is_long, struct arena *arena);
/* Does a step, with the same document each time. JSON_FAILED: the reason, or lacks_memory. */
enum json_progress json_parsing_step(struct json_parsing *parsing,
				     struct json_document *ret_document, struct str *ret_reason);

/* Frees the tree; also for an empty document. */
void json_document_finish(struct json_document *document);

/* Parses, as json_parse(), a text that a program of displayd wrote, with up to
 * LIMIT_JSON_LONG_VALUES values. */
bool json_parse_long(struct str text, struct arena *arena, struct json_document *ret_document,
		     struct str *ret_reason);

/* Fault of null instead of a member that may be absent. */
#define JSON_NULL_FAULT "must not be null, leave the field out instead"

bool json_is_null(const struct json_value *value);
/* Accepts numbers without a fraction that fit, "10.0" included, by their literal. Returns false for
 * other values. */
bool json_get_integer(const struct json_value *value, int64_t *ret_integer);
bool json_get_bool(const struct json_value *value, bool *ret_bool);
bool json_get_str(const struct json_value *value, struct str *ret_text);
/* *ret_count: number of an array's items. */
bool json_get_array(const struct json_value *value, unsigned *ret_count);
/* index: less than the count. Walks over all previous items: for short arrays. */
const struct json_value *json_array_item(const struct json_value *array, unsigned index);
bool json_is_object(const struct json_value *value);
/* *ret_count: number of an object's members. */
bool json_get_object(const struct json_value *value, unsigned *ret_count);
/* Any number; false for anything else. */
bool json_get_number(const struct json_value *value, double *ret_number);
/* Returns a number as it was written; data is NULL for anything else, and for a number that another
 * module parsed. */
struct str json_get_literal(const struct json_value *value);
/* Returns NULL if the value is not an object or has no such member. */
const struct json_value *json_member(const struct json_value *object, const char *name);

/* Walk over the items of an array or the members of an object. */
struct json_walk {
	const struct json_value *next;
	size_t left;
};

/* Starts a walk. A value that is neither array nor object has no items. */
struct json_walk json_walk(const struct json_value *container);
/* Return false at the end. Use only one of these functions in a walk. */
bool json_next_item(struct json_walk *walk, const struct json_value **ret_item);
bool json_next_member(struct json_walk *walk, struct str *ret_name,
		      const struct json_value **ret_value);

/* Appends a quoted string with the escapes that JSON needs, and others for characters that would
 * control a terminal that shows the JSON (utf8_is_steering()). text: valid UTF-8. */
void json_write_str(struct buffer *buffer, struct str text);
/* Appends a value as JSON, without spaces. */
void json_write_value(struct buffer *buffer, const struct json_value *value);
/* Appends a text that is JSON already, with escapes for characters that would control a terminal.
 */
void json_write_text(struct buffer *buffer, struct str json);
