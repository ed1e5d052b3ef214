/* The messages of HTTP/1.1 (RFC 9112), for both ends of a connection, on llhttp: a head that lies
 * in memory as a whole, and a body as it comes in.
 *
 *   wire_head_read() --> WIRE_HEAD_COMPLETE --> wire_body_read() ... --> WIRE_BODY_COMPLETE
 *
 * What llhttp is lenient about in chunked bodies is checked here, byte for byte, on the lines
 * between the chunks; and their extensions are read here, in which it takes no white space.
 * Requests are to be checked before they come here: see its user. */
#pragma once

#include <llhttp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WIRE_CHUNK_LINE_MAX = 256,
	WIRE_CHUNK_EXTENSIONS_MAX = 16 * 1024, /* bytes, of all chunks of a body */
	WIRE_TRAILERS_MAX = 8 * 1024,
	WIRE_TRAILER_NAME_MAX = 64,
};

struct wire_head {
	const char *target; /* of a request */
	size_t target_length;
	int status; /* of a response */
	bool is_http_1_0;
	bool keep_alive; /* as version and Connection say */
};

struct wire_parser;

/* Callbacks. Views are valid during the call, and those of a head as long as its text. */
struct wire_parser_events {
	/* Called for each field of the head, without white space around its value. Returns false to
	 * stop. */
	bool (*on_field)(void *context, const char *name, size_t name_length, const char *value,
			 size_t value_length);
	/* Called for each piece of the decoded body. Returns false to stop. */
	bool (*on_body)(void *context, const void *data, size_t size);
	/* Returns whether a field with this name is allowed in the trailer section; NULL: all are.
	 */
	bool (*allows_trailer)(const char *name, size_t length);
};

/* Parser of one message. Its memory belongs to the caller and must not move; nothing has to be
 * freed. */
struct wire_parser {
	llhttp_t llhttp;
	const struct wire_parser_events *events;
	void *context;
	struct wire_head *head; /* while a head is read */
	const char *name;	/* name of the current field */
	const char *value;
	size_t name_length;
	size_t value_length;
	bool is_stopped;
	bool is_complete;
	bool in_lines; /* between chunks, or in the trailer section */
	bool in_trailer;
	bool after_cr;	     /* the last byte of the lines was a CR */
	bool has_size;	     /* the line has had a digit that is not 0 */
	unsigned line_bytes; /* of the line so far */
	int extension;	     /* enum chunk_extension of src/chunk_extension.h */
	unsigned extension_bytes;
	/* Bytes of the chunked coding that no body needs: zeros before sizes, extensions, trailers.
	 */
	size_t padding_bytes;
	unsigned trailer_bytes;
	unsigned trailer_name_length;
	char trailer_name[WIRE_TRAILER_NAME_MAX]; /* longer names are allowed */
};

enum wire_head_result {
	WIRE_HEAD_COMPLETE,
	WIRE_HEAD_UNKNOWN_METHOD,
	WIRE_HEAD_MALFORMED, /* also if the text is not exactly one head */
};

/* Reads a head. text must be the whole head, with the empty line that ends it, and nothing else. */
enum wire_head_result wire_head_read(struct wire_parser *parser, llhttp_type_t type,
				     const struct wire_parser_events *events, void *context,
				     const char *text, size_t length, struct wire_head *ret_head);

enum wire_body_result {
	WIRE_BODY_MORE,	    /* all bytes were used, more must follow */
	WIRE_BODY_COMPLETE, /* unused bytes belong to the next message */
	WIRE_BODY_MALFORMED,
	WIRE_BODY_STOPPED, /* on_body returned false */
};

/* Reads bytes behind the head. A message without a body is complete with the first call, which may
 * have no bytes. */
enum wire_body_result wire_body_read(struct wire_parser *parser, void *context, const void *data,
				     size_t size, size_t *ret_used);

/* Whether the end of the connection is the end of a response's body. */
bool wire_body_ends(struct wire_parser *parser);

/* Whether a comma-separated list has this token, in any letter case. */
bool wire_list_has(const char *list, size_t length, const char *token);
