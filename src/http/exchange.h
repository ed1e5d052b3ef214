/* Request and answer, with everything that is private to the layer. Lives in its own arena.
 *
 *   begun by the connection -> head -> handler -> answer written -> freed
 *                                        `-> client leaves: abandoned, freed by the answer */
#pragma once

#include "base/buffer.h"
#include "base/memory_budget.h"
#include "http/head_check.h"
#include "http/head_scan.h"
#include "http/parser.h"
#include "http/request.h"
#include "http/request_id.h"
#include "http/response.h"
#include "loop/loop.h"

enum exchange_body {
	EXCHANGE_BODY_NONE,   /* the request has none */
	EXCHANGE_BODY_UNREAD, /* nothing, or only a part, was read */
	EXCHANGE_BODY_READ,   /* read completely */
	EXCHANGE_BODY_BROKEN, /* malformed: the following bytes cannot be parsed */
};

struct http_exchange {
	struct http_request request;
	struct loop *loop;
	struct head_scan scan;
	char *head; /* scan.length bytes */
	size_t head_capacity;
	struct http_parser *parser; /* NULL until the head is complete */
	uint64_t content_length;    /* bytes of the body; 0 if chunked */
	struct later later;	    /* calls done */
	struct later *stream_later; /* of the answer's stream; NULL if it has none */
	struct deadline pause;	    /* set while a costly body pauses; http/connection_state.c */
	void (*done)(struct http_request *request, int status); /* NULL: no handler waits */
	int done_status;
	struct buffer body;
	struct memory_share *share; /* share in which the body is counted; NULL: no body */
	uint64_t body_due_us;	    /* when more of the body must arrive, see http/body_pace.h */
	size_t body_max;
	size_t body_counted; /* bytes counted in the share */
	size_t body_padding; /* those of them that the transfer coding did not need */
	int body_stop;	     /* why http_exchange_count_body() refused: 413 or 503 */
	size_t body_bytes;   /* bytes kept or, after the answer, dropped, with padding */
	int status;	     /* status of the answer */
	size_t sent_bytes;
	enum exchange_body body_state;
	bool is_http_1_0;
	bool keep_alive;       /* the client asks for it */
	bool expects_continue; /* the client waits for a "100 Continue" */
	bool is_timed;	       /* the head did not come in one piece, its deadline is set */
	bool is_answered;
	bool is_streamed; /* the answer is a stream, whose unsent output was copied */
	bool is_chunked;  /* the answer is chunked */
	bool is_counted;
	bool is_over; /* counted and logged */
	bool access_log;
	bool has_own_id; /* the request's ID is not the caller's */
};

struct http_exchange *http_exchange_create(struct http_connection *connection, struct loop *loop,
					   bool access_log);
void http_exchange_free(struct http_exchange *exchange);

struct http_exchange *http_exchange_of(const struct http_request *request);

/* Keeps bytes of the head. */
void http_exchange_add_head(struct http_exchange *exchange, struct str bytes);

/* Call it after the last byte of the head: fills in the request. */
struct http_protocol_error http_exchange_parse_head(struct http_exchange *exchange);

/* Sets the request's ID: the caller's if it is valid, else a new one. */
void http_exchange_set_id(struct http_exchange *exchange, struct request_ids *ids);

/* Counts bytes that come with the body. Returns false, with body_stop set, if they would exceed
 * body_max, or the exchange's share of the bodies_max bytes for all exchanges. */
bool http_exchange_count_body(struct http_exchange *exchange, size_t bytes, size_t bodies_max);

/* Counts and keeps a piece of the body. Returns what http_exchange_count_body() returns. */
bool http_exchange_add_body(struct http_exchange *exchange, struct str piece, size_t bodies_max);

/* Whether the client has sent the whole request. */
static inline bool http_exchange_is_read(const struct http_exchange *exchange)
{
	return exchange->body_state == EXCHANGE_BODY_NONE ||
	       exchange->body_state == EXCHANGE_BODY_READ;
}

/* Calls done, now. */
void http_exchange_body_done(struct http_exchange *exchange, int status);
/* Calls done, later. */
void http_exchange_body_done_later(struct http_exchange *exchange, int status);

/* Call it when the handler answers, exactly once: it waits for no body from now on. */
void http_exchange_answer(struct http_exchange *exchange, int status);

/* Frees all memory that the framing and the access line of a streamed answer do not need. Returns a
 * new exchange in a small arena. The body must be read, or never will be. */
struct http_exchange *http_exchange_shrink(struct http_exchange *exchange);

/* Call it when the client left while the handler or the stream still has the request. */
void http_exchange_abandon(struct http_exchange *exchange);

/* Counts the request now, because its answer is endless. */
void http_exchange_count(struct http_exchange *exchange);

/* Call it when the answer is written, or the client has left: counts the request and writes its
 * access line, once. */
void http_exchange_end(struct http_exchange *exchange);
