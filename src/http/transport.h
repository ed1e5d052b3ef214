/* How the bytes of a connection travel: what stands between the kernel and HTTP.
 *
 *   connection, WebSocket -- calls --> transport (plain | TLS) --> libuv
 *                         <- events --
 *
 * A kind of transport is a table of functions and one file. transport_plain.c is TCP and unix
 * sockets as they are; a listener's settings choose the kind for its connections. A connection
 * begins with a transport; a WebSocket takes it over after an upgrade.
 *
 * What a kind that transforms the bytes, such as TLS, has to keep to (the contract is written for
 * it; "lower" is a plain transport that it holds and whose events it takes):
 *
 * - Its configuration embeds a struct http_transport_kind, so that the listener's one pointer leads
 *   accept() to the certificates, the tickets and the rest.
 * - The handshake is a part of the transport: accept() returns at once, on_data comes only with
 *   bytes of the request. The connection's own deadlines (idle, head) end a handshake that hangs.
 *   While a worker thread computes for it, the transport reads nothing and touches nothing that the
 *   job touches; close() then waits for the job before on_closed.
 * - Reading that wants to write and writing that wants to read stay inside: what the lower
 * transport does not take at once is copied there, so that neither is ever blocked.
 * - on_data brings decrypted bytes. Those that were decrypted, or are whole records, but not given
 *   because reading was switched off, are kept, counted by has_input() and given later, from the
 *   loop, when it is switched on: never inside set_reading().
 * - send() without copy may encrypt in portions, as the lower transport takes them: the parts stay
 *   valid until on_flushed or on_closed. With copy they are taken at once.
 * - pending() is what waits below, encrypted, and what was not yet encrypted: on_flushed comes when
 *   both are nothing. is_stalled() looks at what the peer has taken of it.
 * - shutdown() sends close_notify and then ends the lower transport's sending side. A peer that
 * ends its side with close_notify, or without, is on_end(0): HTTP knows by itself what is cut off.
 * - close() is at once and without close_notify. */
#pragma once

#include "base/str.h"

#include <stdint.h>
#include <uv.h>

struct http_transport;
struct http_transport_kind;
struct loop;

/* Where transports come from, and who is told when one of them is gone. */
struct http_transport_host {
	struct loop *loop;
	unsigned count; /* of those accepted and not yet closed, with whatever they carry */
	void (*on_gone)(struct http_transport_host *host); /* one less: room for another */
};

struct http_transport_events {
	/* data is valid during the call; the receiver may write to it. */
	void (*on_data)(struct http_transport *transport, struct str data);
	/* 0: the peer will send no more; else the negative errno for which the connection is over.
	 * Nothing more is read after it. */
	void (*on_end)(struct http_transport *transport, int error);
	/* All that had to wait was written. */
	void (*on_flushed)(struct http_transport *transport);
	/* After close(), later; the transport is gone after it. */
	void (*on_closed)(struct http_transport *transport);
};

/* What all kinds have in common: the first member of each. */
struct http_transport {
	const struct http_transport_kind *kind;
	struct http_transport_host *host;
	const struct http_transport_events *events; /* set by the owner at once */
	void *owner;				    /* likewise */
	bool is_reading;			    /* as last set */
	bool is_ended;				    /* on_end was called */
	bool is_closing;			    /* close() was called */
};

enum { HTTP_TRANSPORT_PARTS_MAX = 4, HTTP_TRANSPORT_ADDRESS_BYTES = 46 };

/* See the functions below. */
struct http_transport_kind {
	const char *scheme; /* "http" */
	struct http_transport *(*accept)(const struct http_transport_kind *kind,
					 struct http_transport_host *host, uv_stream_t *listener);
	size_t (*address)(const struct http_transport *transport, char *ret_text);
	void (*set_reading)(struct http_transport *transport, bool on);
	int (*send)(struct http_transport *transport, const struct str *parts, unsigned count,
		    bool copy);
	size_t (*pending)(const struct http_transport *transport);
	bool (*is_stalled)(struct http_transport *transport, uint64_t limit_ms);
	void (*shutdown)(struct http_transport *transport);
	bool (*has_input)(const struct http_transport *transport);
	void (*close)(struct http_transport *transport);
};

/* Accepts from a listener that has a connection. NULL when that failed; the connection is lost. */
static inline struct http_transport *http_transport_accept(const struct http_transport_kind *kind,
							   struct http_transport_host *host,
							   uv_stream_t *listener)
{
	return kind->accept(kind, host, listener);
}

/* "127.0.0.1", "::1" or "unix", NUL-terminated; its length. */
static inline size_t http_transport_address(const struct http_transport *transport,
					    char ret_text[static HTTP_TRANSPORT_ADDRESS_BYTES])
{
	return transport->kind->address(transport, ret_text);
}

/* Reads or does not; what is not read fills the kernel's buffer and then stops the peer. */
static inline void http_transport_set_reading(struct http_transport *transport, bool on)
{
	on = on && !transport->is_ended && !transport->is_closing;
	if (on == transport->is_reading)
		return;
	transport->is_reading = on;
	transport->kind->set_reading(transport, on);
}

/* Writes parts (at most HTTP_TRANSPORT_PARTS_MAX) in order, at once as far as the kernel takes
 * them. What has to wait is copied if copy is set; otherwise it must stay valid until on_flushed or
 * on_closed. 0 or a negative errno. */
__attribute__((warn_unused_result)) static inline int
http_transport_send(struct http_transport *transport, const struct str *parts, unsigned count,
		    bool copy)
{
	return transport->kind->send(transport, parts, count, copy);
}

/* Bytes that wait, as they will travel. */
static inline size_t http_transport_pending(const struct http_transport *transport)
{
	return transport->kind->pending(transport);
}

/* True when something waits and the peer has taken none of it for limit_ms. Call it more often
 * than that. */
static inline bool http_transport_is_stalled(struct http_transport *transport, uint64_t limit_ms)
{
	return transport->kind->is_stalled(transport, limit_ms);
}

/* Tells the peer that no more comes. Nothing may be waiting. */
static inline void http_transport_shutdown(struct http_transport *transport)
{
	transport->kind->shutdown(transport);
}

/* True when the peer has sent something that was not yet given to on_data. */
static inline bool http_transport_has_input(const struct http_transport *transport)
{
	return transport->kind->has_input(transport);
}

/* At once; what waits is dropped. Asking twice is asking once. */
static inline void http_transport_close(struct http_transport *transport)
{
	transport->kind->close(transport);
}
