/* One end of an accepted connection, TCP or unix: the only place that owns a uv handle.
 *
 * Written data goes to the kernel at once; what it does not take waits in libuv's queue. A socket
 * belongs to an HTTP connection first and to a WebSocket after an upgrade. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct http_server;
struct http_socket;

struct http_socket_events {
	/* data is valid during the call. */
	void (*on_data)(struct http_socket *socket, struct str data);
	/* 0: the peer will send no more; else the negative errno for which the connection is over.
	 * Nothing more is read after it. */
	void (*on_end)(struct http_socket *socket, int error);
	/* All that had to wait was written. */
	void (*on_flushed)(struct http_socket *socket);
	/* After http_socket_close(), later; the socket is gone after it. */
	void (*on_closed)(struct http_socket *socket);
};

struct http_socket {
	union {
		uv_handle_t handle;
		uv_stream_t stream;
		uv_tcp_t tcp;
		uv_pipe_t pipe;
	} uv;
	struct http_server *server;
	const struct http_socket_events *events;
	void *owner;
	uint64_t queued_bytes; /* all that ever had to wait */
	uint64_t taken_bytes;  /* of them, when last looked at */
	uint64_t taken_at_ms;  /* when that number last changed */
	bool is_reading;
	bool is_ended; /* on_end was called */
	bool is_closing;
};

enum { HTTP_SOCKET_PARTS_MAX = 4, HTTP_SOCKET_ADDRESS_BYTES = 46 };

/* Accepts from a listener that has a connection. NULL when that failed; the connection is lost. */
struct http_socket *http_socket_accept(struct http_server *server, uv_stream_t *listener);

/* "127.0.0.1", "::1" or "unix", NUL-terminated; its length. */
size_t http_socket_address(const struct http_socket *socket,
			   char ret_text[static HTTP_SOCKET_ADDRESS_BYTES]);

/* Reads or does not; what is not read fills the kernel's buffer and then stops the peer. */
void http_socket_set_reading(struct http_socket *socket, bool on);

/* Writes parts (at most HTTP_SOCKET_PARTS_MAX) in order. What has to wait is copied if copy is
 * set; otherwise it must stay valid until on_flushed or on_closed. 0 or a negative errno. */
__attribute__((warn_unused_result)) int
http_socket_send(struct http_socket *socket, const struct str *parts, unsigned count, bool copy);

/* Bytes that wait. */
size_t http_socket_pending(const struct http_socket *socket);

/* True when something waits and the peer has taken none of it for limit_ms. Call it more often
 * than that. */
bool http_socket_is_stalled(struct http_socket *socket, uint64_t limit_ms);

/* Tells the peer that no more comes. Nothing may be waiting. */
void http_socket_shutdown(struct http_socket *socket);

/* True when the peer has sent something that was not yet read. */
bool http_socket_has_input(const struct http_socket *socket);

/* At once; what waits is dropped. Asking twice is asking once. */
void http_socket_close(struct http_socket *socket);
