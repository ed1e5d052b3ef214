/* A connection of TLS behind its handshake: records to and from the transport below. */
#pragma once

#include "base/buffer.h"
#include "http/tls_context.h"
#include "http/transport.h"
#include "loop/loop.h"

struct tls_handshake;

/* Number of records of a connection, of any kind and size, that are opened in a turn: some tens of
 * microseconds. They hold at most 64 KiB for the owner. */
enum { TLS_RECORDS_A_TURN = 8 };

/* A transport over another one. While a worker thread computes for it, that has ssl, feed, input
 * and output for itself. */
struct tls_transport {
	struct http_transport transport;
	struct http_transport *lower;
	struct tls_context *context;
	struct tls_handshake *handshake; /* NULL: it is done */
	uint64_t began_us;		 /* when its first byte came; 0: none has */
	mbedtls_ssl_context ssl;
	struct str feed;      /* what mbedTLS reads next of the client's bytes */
	struct buffer input;  /* that wait: for a whole record, a job, a turn, for reading */
	struct buffer output; /* of the handshake */
	struct later read_on; /* goes on with the input */
	uint32_t turn;	      /* of the loop, in which records were last read */
	uint32_t records;     /* in that turn */
	int end_error;	      /* see owes_end */
	struct str rest[HTTP_TRANSPORT_PARTS_MAX]; /* of a send() without copy, not yet encrypted */
	unsigned rest_count;
	size_t rest_bytes;
	int send_error; /* of the lower transport */
	bool has_ssl;
	bool is_working;  /* a worker thread computes for it, or will */
	bool owes_flush;  /* the owner waits for on_flushed */
	bool owes_end;	  /* on_end is to come once the owner reads */
	bool is_shutting; /* close_notify is on its way */
	bool is_opening;  /* mbedTLS reads a record */
	uint8_t alerts;	  /* that it has sent meanwhile */
};

static inline struct tls_transport *tls_transport_of(const struct http_transport *transport)
{
	return container_of(transport, struct tls_transport, transport);
}

static inline struct loop *tls_transport_loop(const struct tls_transport *tls)
{
	return tls->transport.host->loop;
}

/* Before the handshake: ssl takes its bytes from feed, and gives its own to output until the
 * handshake is done, then to the lower transport. 0 or an error of mbedTLS. */
__attribute__((warn_unused_result)) int tls_records_init(struct tls_transport *tls);

/* Tells the owner that nothing more comes: 0 or a negative errno. */
void tls_records_end(struct tls_transport *tls, int error);

/* Gives on what the client's bytes hold, as far as the owner reads and the turn allows it. The rest
 * waits in input, and nothing more is read meanwhile. */
void tls_records_take(struct tls_transport *tls, struct str data);

/* Whether a part of a record has come, which mbedTLS keeps. */
bool tls_records_has_begun(const struct tls_transport *tls);

/* After the handshake: whether more is read of the lower transport, or of input, is as the owner's
 * reading is. */
void tls_records_follow_reading(struct tls_transport *tls);

/* Goes on with what waits in input, and with reading. */
void tls_records_read_on(struct tls_transport *tls);

/* See struct http_transport_kind. */
int tls_records_send(struct http_transport *transport, const struct str *parts, unsigned count,
		     bool copy);
void tls_records_shutdown(struct http_transport *transport);

/* The lower transport has written all. */
void tls_records_on_flushed(struct tls_transport *tls);
