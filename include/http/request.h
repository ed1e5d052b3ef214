/* HTTP request, from the end of its head to the last byte of its answer.
 *
 *   head complete -> listener's on_request(request)
 *                      |  http_request_read_body()   optional; the body is not read before
 *                      |  -> done(request, 0 or a status)
 *                    http_respond() | http_upgrade()  exactly once, the last act
 *
 * The request and its arena belong to the connection until the answer was written. If the client
 * leaves earlier, the request stays valid for its handler: http_request_is_abandoned() turns true,
 * and http_respond(), which must still be called, only frees the request. A client that only ends
 * its sending side (a TCP FIN) waits for its answer and has not left. */
#pragma once

#include "base/arena.h"
#include "http/field.h"

#include <stdbool.h>
#include <stdint.h>
#include <text/str.h>

struct http_connection;
struct http_listener_settings;
struct http_response;

enum http_method {
	HTTP_GET,
	HTTP_HEAD,
	HTTP_POST,
	HTTP_PUT,
	HTTP_PATCH,
	HTTP_DELETE,
	HTTP_OPTIONS,
	HTTP_METHOD_OTHER, /* known to the parser, used by no route: 405 or 404 */
};

struct http_request {
	struct arena arena; /* all memory of this request, also that of the handler */
	enum http_method method;
	struct str method_text;			       /* "GET" */
	const struct http_listener_settings *listener; /* listener that received it */
	struct str path;  /* origin form, undecoded, without the query */
	struct str query; /* after the "?", undecoded; empty if missing */
	const struct http_field *fields;
	unsigned field_count;
	struct str body;	   /* set by http_request_read_body() */
	bool has_body;		   /* Content-Length above 0, or chunked */
	struct str request_id;	   /* the caller's, if valid, else a new one; NUL-terminated */
	struct str remote_address; /* address of the peer: "127.0.0.1", "::1" or "unix"; behind a
				    * trusted proxy that of the client: http/proxies.h */
	struct str caller;	   /* set by the handler: owner of the share in which the body is
				    * counted; empty: the remote address */
	struct str log_account;	   /* set by the handler for the access line; may stay empty */
	struct str log_device;	   /* set by the handler for the access line; may stay empty */
	const char *log_route;	   /* set by the handler for the access line: path template, without
				      query */
	bool log_hides_path;	   /* set by the handler: the path has a secret, so the template is
				      logged */
	unsigned metric_route;	   /* set by the handler for METRIC_BY_ROUTE; 0: no route */
	void *handler_data;	   /* for use by the handler */
	uint64_t started_us;	   /* monotonic, when its first byte was seen */

	struct http_connection *connection; /* private; NULL once the client left */
};

/* Returns the value of the first field with this name (case-insensitive); data is NULL if absent.
 */
struct str http_request_field(const struct http_request *request, struct str name);

/* Returns the undecoded value of a query parameter; data is NULL if absent. */
struct str http_request_query(const struct http_request *request, struct str name);

/* Decodes percent-encoding, once, into the arena; adds a NUL after the text. Returns false unless
 * it is well-formed and decodes to UTF-8 without NUL. */
bool http_decode(struct arena *arena, struct str text, struct str *ret_text);

/* Whether the client has left. */
bool http_request_is_abandoned(const struct http_request *request);

/* Reads the body, at most max_bytes of it; sends "100 Continue" if the client expects it. done is
 * called later, never inside this call: with 0 if request->body holds the whole body; with 413 if
 * it is larger (as soon as that is known), with 503 if it exceeds the caller's share of the memory
 * for bodies, with 408 if it came too slowly, or with 400 if it is malformed or the client left.
 * The handler answers in each case; after a malformed or slow body the connection then ends. */
void http_request_read_body(struct http_request *request, size_t max_bytes,
			    void (*done)(struct http_request *request, int status));
