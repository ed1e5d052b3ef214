/* Reads JSON texts of callers strictly (RFC 8259). */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"

/* A value in a document; yyjson's own. */
struct json_value;

struct json_document {
	struct yyjson_doc *doc;	       /* NULL while empty */
	const struct json_value *root; /* valid until json_document_finish() */
	bool lacks_memory;	       /* json_parse_body() refused it for that alone */
};

/* Parses a text that is exactly one JSON value in valid UTF-8. Refuses repeated names in an object,
 * nesting deeper than LIMIT_JSON_DEPTH, numbers longer than LIMIT_JSON_NUMBER, and more values than
 * LIMIT_JSON_VALUES. Strings live in the arena and outlast the document. False: a sentence is in
 * *ret_reason (in the arena). Never lacks memory: without it the process ends, as a text is no
 * worse for that. */
bool json_parse(struct str text, struct arena *arena, struct json_document *ret_document,
		struct str *ret_reason);

/* Parses as json_parse() does, but a text whose size a client chose: it may lack memory. */
bool json_parse_body(struct str text, struct arena *arena, struct json_document *ret_document,
		     struct str *ret_reason);

/* The same for one with up to LIMIT_JSON_LONG_VALUES values, which takes its time. */
bool json_parse_long_body(struct str text, struct arena *arena, struct json_document *ret_document,
			  struct str *ret_reason);

/* Frees the tree; also for an empty document. */
void json_document_finish(struct json_document *document);

/* Parses as json_parse() does, but a text that a program of ours wrote, with up to
 * LIMIT_JSON_LONG_VALUES values. */
bool json_parse_long(struct str text, struct arena *arena, struct json_document *ret_document,
		     struct str *ret_reason);

/* Fault of null in place of a member that may be absent. */
#define JSON_NULL_FAULT "must not be null, leave the field out instead"

bool json_is_null(const struct json_value *value);
/* Accepts a number without a fraction that fits, "10.0" included. False: the value is none. */
bool json_get_integer(const struct json_value *value, int64_t *ret_integer);
bool json_get_bool(const struct json_value *value, bool *ret_bool);
bool json_get_str(const struct json_value *value, struct str *ret_text);
/* *ret_count: of an array's items. */
bool json_get_array(const struct json_value *value, unsigned *ret_count);
/* index: less than the count. It walks over the items before it: for short arrays. */
const struct json_value *json_array_item(const struct json_value *array, unsigned index);
bool json_is_object(const struct json_value *value);
/* *ret_count: of an object's members. */
bool json_get_object(const struct json_value *value, unsigned *ret_count);
/* Any number; false for anything else. */
bool json_get_number(const struct json_value *value, double *ret_number);
/* NULL where the value is no object or has no such member. */
const struct json_value *json_member(const struct json_value *object, const char *name);

/* A walk over the items of an array or the members of an object. */
struct json_walk {
	const struct json_value *next;
	size_t left;
};

/* Starts a walk. A value that is neither array nor object has no items. */
struct json_walk json_walk(const struct json_value *container);
/* False at the end. One of them for all of a walk. */
bool json_next_item(struct json_walk *walk, const struct json_value **ret_item);
bool json_next_member(struct json_walk *walk, struct str *ret_name,
		      const struct json_value **ret_value);

/* Appends a quoted string with escapes where JSON needs them, and for characters that would steer
 * the terminal of whoever looks at the JSON (utf8_is_steering()). text: valid UTF-8. */
void json_write_str(struct buffer *buffer, struct str text);
/* Appends a text that is JSON already, with escapes for the latter. */
void json_write_text(struct buffer *buffer, struct str json);
