/* Transports carry the bytes of a connection between the kernel and HTTP.
 *
 *   connection, WebSocket -- calls --> transport (plain | TLS) --> libuv
 *                         <- events --
 *
 * A kind of transport is a table of functions and one file. transport_plain.c is plain TCP and unix
 * sockets, also with a PROXY header; a listener's settings choose the kind. A connection begins
 * with a transport; a WebSocket takes it over after an upgrade.
 *
 * The contract for a kind that transforms the bytes, such as TLS ("lower" is the plain transport
 * that it holds and whose events it takes):
 *
 * - Its configuration embeds a struct http_transport_kind, so that the listener's one pointer leads
 *   accept() to the certificates, the tickets and the rest.
 * - One connection brings at most 64 KiB a turn of the loop, so that none keeps the others waiting,
 *   and in one on_data: the receiver's budgets are for a call. If bytes come in records, those are
 *   counted too: tiny records cost far more than their bytes. The rest waits, and nothing more is
 *   read of the lower transport before the rest is used up.
 * - The handshake is a part of the transport: accept() returns at once, on_data comes only with
 *   bytes of the request. The connection's own deadlines (idle, head) end a handshake that hangs.
 *   While a worker thread computes for it, the transport reads nothing and touches nothing that the
 *   job touches; close() then waits for the job before on_closed.
 * - Reading that has to write and writing that has to read stay inside: what the lower transport
 *   does not take at once is copied there, so that neither is ever blocked.
 * - on_data brings decrypted bytes. While reading is off, the transport keeps the bytes that it has
 *   decrypted and the records that are whole; has_input() counts them. on_data brings them once
 *   reading is on again, later, from the loop: never inside set_reading().
 * - send() without copy may encrypt in portions, as the lower transport takes them: the parts stay
 *   valid until on_flushed or on_closed. With copy they are taken at once.
 * - pending() counts the bytes that wait below, encrypted, and those not yet encrypted. When both
 *   are 0, on_flushed comes. is_stalled() returns whether the peer takes none of them.
 * - shutdown() sends close_notify and then ends the lower transport's sending side. When the peer
 *   ends its side, with close_notify or without, on_end(0) says so, once all before it was given on
 *   and reading is on: HTTP knows by itself whether a message was cut off.
 * - close() closes at once, without close_notify. */
#pragma once

#include <text/address.h>
#include <text/str.h>

#include <stdint.h>
#include <uv.h>

struct http_proxies;
struct http_transport;
struct http_transport_kind;
struct loop;

/* State that the transports of a server's listeners of one role share. */
struct http_transport_host {
	struct loop *loop;
	void *owner;
	const struct http_proxies *proxies; /* trusted proxies; NULL: none */
	unsigned connections_max;	    /* 0: no limit, and no shares */
	bool has_no_shares;		    /* not reachable by untrusted clients */
	uint64_t refused_s;		    /* loop time of the last log line on a refusal */
	unsigned count;			    /* open connections, WebSockets included */
	void (*on_gone)(struct http_transport_host *host); /* there is room for another */
};

struct http_transport_events {
	/* data is valid during the call; the receiver may write to it. */
	void (*on_data)(struct http_transport *transport, struct str data);
	/* Called with 0 if the peer will send no more; else with the negative errno that ended the
	 * connection. Nothing more is read afterwards. */
	void (*on_end)(struct http_transport *transport, int error);
	/* Called when all waiting bytes were written. */
	void (*on_flushed)(struct http_transport *transport);
	/* Called later, after close(); afterwards the transport is invalid. */
	void (*on_closed)(struct http_transport *transport);
};

/* Common part of all kinds: their first member. */
struct http_transport {
	const struct http_transport_kind *kind;
	struct http_transport_host *host;
	const struct http_transport_events *events; /* set by the owner at once */
	void *owner;				    /* set by the owner at once */
	bool is_reading;			    /* as last set */
	bool is_ended;				    /* on_end was called */
	bool is_closing;			    /* close() was called */
	bool is_broken_off; /* set before close(): the peer did not get the complete answer */
};

enum { HTTP_TRANSPORT_PARTS_MAX = 4, HTTP_TRANSPORT_ADDRESS_BYTES = ADDRESS_TEXT_BYTES };

/* State of the peer, apart from the bytes that it has sent. */
enum http_transport_peer {
	HTTP_PEER_THERE,
	HTTP_PEER_ENDED, /* sends no more, and everything that it sent was read */
	HTTP_PEER_GONE,	 /* has reset or closed the connection, and takes nothing */
};

/* See the functions below. */
struct http_transport_kind {
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
	enum http_transport_peer (*peer)(const struct http_transport *transport);
	struct http_unsent_share *(*share)(const struct http_transport *transport);
	void (*close)(struct http_transport *transport);
};

/* Accepts a waiting connection of a listener. Returns NULL if that failed: it is lost. */
static inline struct http_transport *http_transport_accept(const struct http_transport_kind *kind,
							   struct http_transport_host *host,
							   uv_stream_t *listener)
{
	return kind->accept(kind, host, listener);
}

/* "127.0.0.1", "::1", "unix", or "unknown" if the kernel or a proxy does not know it,
 * NUL-terminated. Returns its length; 0: it will be known at the first on_data. */
static inline size_t http_transport_address(const struct http_transport *transport,
					    char ret_text[static HTTP_TRANSPORT_ADDRESS_BYTES])
{
	return transport->kind->address(transport, ret_text);
}

/* Switches reading on or off. Unread bytes fill the kernel's buffer, which stops the peer. */
static inline void http_transport_set_reading(struct http_transport *transport, bool on)
{
	on = on && !transport->is_ended && !transport->is_closing;
	if (on == transport->is_reading)
		return;
	transport->is_reading = on;
	transport->kind->set_reading(transport, on);
}

/* Writes parts (at most HTTP_TRANSPORT_PARTS_MAX) in order, at once as far as the kernel takes
 * them. Bytes that must wait are copied if copy is set; otherwise they must stay valid until
 * on_flushed or on_closed. Returns 0 or a negative errno. */
__attribute__((warn_unused_result)) static inline int
http_transport_send(struct http_transport *transport, const struct str *parts, unsigned count,
		    bool copy)
{
	return transport->kind->send(transport, parts, count, copy);
}

/* Bytes that wait to be written. */
static inline size_t http_transport_pending(const struct http_transport *transport)
{
	return transport->kind->pending(transport);
}

/* Whether bytes wait and the peer has taken none of them for limit_ms. Call it more often than
 * that. */
static inline bool http_transport_is_stalled(struct http_transport *transport, uint64_t limit_ms)
{
	return transport->kind->is_stalled(transport, limit_ms);
}

/* Ends the sending side. No bytes may be waiting. */
static inline void http_transport_shutdown(struct http_transport *transport)
{
	transport->kind->shutdown(transport);
}

/* Whether the peer has sent bytes that on_data has not received yet. */
static inline bool http_transport_has_input(const struct http_transport *transport)
{
	return transport->kind->has_input(transport);
}

/* Asks the kernel for the peer's state, even while reading is off: before work that is useless if
 * the peer has left. */
static inline enum http_transport_peer http_transport_peer(const struct http_transport *transport)
{
	return transport->kind->peer(transport);
}

/* Unsent output of all connections of its address; NULL if it has no share. */
static inline struct http_unsent_share *http_transport_share(const struct http_transport *transport)
{
	return transport->kind->share(transport);
}

/* Closes at once and drops waiting bytes; over TCP by a reset if there were any, or if
 * is_broken_off is set. A second call does nothing. */
static inline void http_transport_close(struct http_transport *transport)
{
	transport->kind->close(transport);
}
