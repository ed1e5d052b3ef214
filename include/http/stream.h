/* Answers in pieces: large ones that are written as they are generated, and endless ones, such as
 * server-sent events.
 *
 *   http_respond_stream()          the head is sent
 *     -> proceed(), later          and again whenever the peer has taken everything written
 *          http_stream_write()     any number of times, also between two calls of proceed
 *     http_stream_end()            the last piece was written: the stream is gone
 *     -> stop(), later             or no more is sent: the stream is gone after it
 *
 * Each stream ends in exactly one of these ways: the source ends or aborts it, or stop is called.
 * HTTP/1.1 gets chunks (RFC 9112 section 7.1), and the connection continues with the next request;
 * HTTP/1.0 gets the bytes up to the end of the connection. While a stream is open the server reads
 * at most one piece of data that the client sends after its request.
 *
 * The server drops a client that takes none of its unsent output for LIMIT_WRITE_STALL_MS. A stream
 * may be silent for any time, but only a write detects a client that vanished without closing the
 * connection: write something now and then (a comment line of server-sent events). */
#pragma once

#include "http/response.h"

struct http_stream;

struct http_stream_source {
	/* Called when there is room: write a portion, which should take at most a millisecond, or
	 * nothing. Called later, never inside another call: once after the head, and again each
	 * time everything written was taken. NULL if the source writes on its own events. */
	void (*proceed)(struct http_stream *stream, void *owner);
	/* Called when no more can be sent: the client left, stalled or sent HEAD, or the server
	 * drains or closes. Called later, never inside another call. Afterwards the stream and the
	 * request are invalid. */
	void (*stop)(struct http_stream *stream, void *owner);
	/* The stream has no last piece. When the server drains, it stops such a stream and ends it
	 * properly; a client that ends its sending side counts as gone. Streams with an end are
	 * completed in both cases. */
	bool is_endless;
};

/* Answers with a stream. The response has no body, and a status that may have one. The request and
 * its arena live until the stream has ended or stop has returned. If the client has left already,
 * stop is called. source must outlive the stream. */
struct http_stream *http_respond_stream(struct http_request *request,
					const struct http_response *response,
					const struct http_stream_source *source, void *owner);

/* Frees the request and its arena, except data for the access line: for long-lived streams whose
 * owner is elsewhere. An open, idle stream then takes 1.5 KB. */
void http_stream_release_request(struct http_stream *stream);

/* Sends a piece. Tries to write at once; only what the transport does not take is copied. Drops a
 * client whose unsent output would exceed LIMIT_STREAM_PENDING_BYTES. */
void http_stream_write(struct http_stream *stream, struct str piece);

/* Whether the source should write no more for now: proceed will be called when the unsent output
 * was taken, or stop if the client takes no more. */
bool http_stream_is_full(const struct http_stream *stream);

/* Completes the answer: the last act for a request that was not released. */
void http_stream_end(struct http_stream *stream);

/* Aborts the answer by closing the connection, over TCP by a reset, so that the client notices. The
 * last act, as http_stream_end(). */
void http_stream_abort(struct http_stream *stream);
