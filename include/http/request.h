/* HTTP request, from the end of its head to the last byte of its answer.
 *
 *   head complete -> listener's on_request(request)
 *                      |  http_request_read_body()   optional; the body is not read before
 *                      |  -> done(request, 0 or a status)
 *                    http_respond() | http_upgrade()  exactly once, the last act
 *
 * The request and its arena belong to the connection until it has been answered and the answer was
 * written. If the client leaves earlier, the request stays valid for the handler at work on it:
 * is_abandoned() turns true, and http_respond(), which is still due, then only frees it. A client
 * that only ends its sending side (a TCP FIN) waits for its answer and has not left. */
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
	struct arena arena; /* all memory of this request; also for the handler */
	enum http_method method;
	struct str method_text;			       /* "GET" */
	const struct http_listener_settings *listener; /* through which it came */
	struct str path;  /* origin form, undecoded, without the query */
	struct str query; /* behind the "?", undecoded; empty where there is none */
	const struct http_field *fields;
	unsigned field_count;
	struct str body;	   /* after http_request_read_body() */
	bool has_body;		   /* Content-Length above 0, or chunked */
	struct str request_id;	   /* the caller's, if sane, or a new one; NUL-terminated */
	struct str remote_address; /* where it comes from: "127.0.0.1", "::1" or "unix"; behind a
				    * proxy that is believed, the client's: http/proxies.h */
	struct str caller;	   /* set by the handler: whose share the body is counted in;
				    * empty: the remote address's */
	struct str log_account;	   /* set by the handler for the access line; may stay empty */
	struct str log_device;	   /* likewise */
	const char *log_route;	   /* likewise: the path template, never a query */
	bool log_hides_path;	   /* likewise: a secret is in the path, the template is logged */
	unsigned metric_route;	   /* likewise, for METRIC_BY_ROUTE; 0: it led to no route */
	void *handler_data;	   /* the handler's own */
	uint64_t started_us;	   /* monotonic, when its first byte was seen */

	struct http_connection *connection; /* private; NULL once the client left */
};

/* The value of the first field with this name (case-insensitive); data is NULL where absent. */
struct str http_request_field(const struct http_request *request, struct str name);

/* The undecoded value of a query parameter; data is NULL where absent. */
struct str http_request_query(const struct http_request *request, struct str name);

/* Decodes percent-encoding, once, into the arena; a NUL stands behind the text. False unless it is
 * well-formed and decodes to UTF-8 without NUL. */
bool http_decode(struct arena *arena, struct str text, struct str *ret_text);

/* True once the client has left. */
bool http_request_is_abandoned(const struct http_request *request);

/* Reads the body (sends "100 Continue" where it was asked for), at most max_bytes of it.
 * done is called later, never inside this call: with 0, request->body then holds all of it; with
 * 413 when it is larger (as soon as that is known), with 503 when it is more than the caller's
 * share of the memory for bodies, with 408 when it came too slowly, or with 400 when it is
 * malformed or the client left. The handler answers in each case; after a malformed or slow body
 * the connection then ends. */
void http_request_read_body(struct http_request *request, size_t max_bytes,
			    void (*done)(struct http_request *request, int status));
