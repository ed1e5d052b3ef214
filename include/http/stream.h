/* Answers in pieces: large ones that are written as they are made, and those without an end of
 * their own, such as server-sent events.
 *
 *   http_respond_stream()          the head is sent
 *     -> proceed(), later          and again whenever the peer has taken all that was written
 *          http_stream_write()     any number of times, also between two calls of proceed
 *     http_stream_end()            the last piece was written: the stream is gone
 *     -> stop(), later             or no more is sent: the stream is gone after it
 *
 * Each stream ends in exactly one of these ways: the source ends or aborts it, or stop is called.
 * HTTP/1.1 gets chunks (RFC 9112 section 7.1), and the connection goes on with the next request;
 * HTTP/1.0 gets the bytes up to the end of the connection. While a stream is open the server reads
 * at most one piece of what the client sends behind its request.
 *
 * The server drops a reader that takes nothing of what waits for it for LIMIT_WRITE_STALL_MS. A
 * stream with nothing to send may be silent as long as it likes, but only a write shows that its
 * client vanished without a word: write something now and then (a comment line of server-sent
 * events). */
#pragma once

#include "http/response.h"

struct http_stream;

struct http_stream_source {
	/* There is room: write a portion, which should take no more than a millisecond, or nothing.
	 * Called later, never inside another call: once after the head, and again each time all
	 * that was written has been taken. NULL where the source writes when it has news. */
	void (*proceed)(struct http_stream *stream, void *owner);
	/* No more is sent: the client left, stalled or sent HEAD, or the server drains or closes.
	 * Called later, never inside another call. The stream is gone after it, and so is the
	 * request. */
	void (*stop)(struct http_stream *stream, void *owner);
	/* There is no last piece. The server stops such a stream when it drains, and gives it a
	 * proper end; a client that ends its sending side has left. Streams with an end are written
	 * to their end in both cases. */
	bool is_endless;
};

/* Answers with a stream. The response has no body, and a status that may have one. The request and
 * its arena live until the stream has ended or stop has returned. Where the client has left
 * already, stop is called. source must stay valid. */
struct http_stream *http_respond_stream(struct http_request *request,
					const struct http_response *response,
					const struct http_stream_source *source, void *owner);

/* Gives the request and its arena back, but for what the access line needs: for streams that live
 * long and whose owner is elsewhere. An open, idle stream then takes 1.5 KB. */
void http_stream_release_request(struct http_stream *stream);

/* Sends a piece. Tries to write at once; only what the transport does not take is copied. A client
 * for which more than LIMIT_STREAM_PENDING_BYTES would wait is dropped. */
void http_stream_write(struct http_stream *stream, struct str piece);

/* Whether the source should write no more for now: enough waits, and proceed will be called when
 * all of it was taken, or the client takes no more, and stop will be called. */
bool http_stream_is_full(const struct http_stream *stream);

/* The answer is complete: the last act for a request that was not released. */
void http_stream_end(struct http_stream *stream);

/* The answer cannot be completed: the connection is closed, over TCP by a reset, so that the client
 * sees it. Likewise the last act. */
void http_stream_abort(struct http_stream *stream);
