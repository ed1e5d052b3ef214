/* TLS connection after its handshake: records to and from the transport below. */
#pragma once

#include "base/buffer.h"
#include "http/tls_context.h"
#include "http/transport.h"
#include "loop/loop.h"

struct tls_handshake;

/* Number of records of a connection, of any kind and size, that are decrypted in a turn: some tens
 * of microseconds. They have at most 64 KiB for the owner. */
enum { TLS_RECORDS_A_TURN = 8 };

/* Transport over another one. While a worker thread computes for it, only that thread uses ssl,
 * feed, input and output. */
struct tls_transport {
	struct http_transport transport;
	struct http_transport *lower;
	struct tls_context *context;
	struct tls_handshake *handshake; /* NULL: it is done */
	uint64_t began_us;		 /* when its first byte arrived; 0: none yet */
	mbedtls_ssl_context ssl;
	struct str feed;      /* bytes of the client that mbedTLS reads next */
	struct buffer input;  /* waiting bytes: for a complete record, a job, a turn, or reading */
	struct buffer output; /* output of the handshake */
	struct later read_on; /* continues with input */
	uint32_t turn;	      /* turn of the loop in which records were last read */
	uint32_t records;     /* records read in that turn */
	int end_error;	      /* see owes_end */
	struct str rest[HTTP_TRANSPORT_PARTS_MAX]; /* of a send() without copy, not yet encrypted */
	unsigned rest_count;
	size_t rest_bytes;
	int send_error; /* error of the lower transport */
	bool has_ssl;
	bool is_working;  /* a worker thread computes for it, or will */
	bool owes_flush;  /* the owner waits for on_flushed */
	bool owes_end;	  /* on_end must be called once the owner reads */
	bool is_shutting; /* close_notify is being sent */
	bool is_opening;  /* mbedTLS reads a record */
	uint8_t alerts;	  /* alerts that it has sent meanwhile */
};

static inline struct tls_transport *tls_transport_of(const struct http_transport *transport)
{
	return container_of(transport, struct tls_transport, transport);
}

static inline struct loop *tls_transport_loop(const struct tls_transport *tls)
{
	return tls->transport.host->loop;
}

/* Call it before the handshake: ssl reads from feed, and writes to output until the handshake is
 * done, then to the lower transport. Returns 0 or an error of mbedTLS. */
__attribute__((warn_unused_result)) int tls_records_init(struct tls_transport *tls);

/* Reports to the owner that nothing more comes. error: 0 or a negative errno. */
void tls_records_end(struct tls_transport *tls, int error);

/* Decrypts and passes on the client's bytes, as far as the owner reads and the turn allows. The
 * rest waits in input, and nothing more is read meanwhile. */
void tls_records_take(struct tls_transport *tls, struct str data);

/* Whether mbedTLS keeps a part of a record. */
bool tls_records_has_begun(const struct tls_transport *tls);

/* Call it after the handshake: switches reading of the lower transport, or of input, as the owner's
 * reading. */
void tls_records_follow_reading(struct tls_transport *tls);

/* Continues with bytes that wait in input, and with reading. */
void tls_records_read_on(struct tls_transport *tls);

/* Sends output, unless bytes sent meanwhile have taken it with them. Returns 0 or a negative errno.
 */
__attribute__((warn_unused_result)) int tls_records_flush_output(struct tls_transport *tls);

/* See struct http_transport_kind. */
int tls_records_send(struct http_transport *transport, const struct str *parts, unsigned count,
		     bool copy);
void tls_records_shutdown(struct http_transport *transport);

/* Call it when the lower transport has written everything. */
void tls_records_on_flushed(struct tls_transport *tls);
