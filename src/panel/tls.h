/* The client side of TLS, on mbedTLS: server certificates are checked against a file of authorities
 * and the host's name. */
#pragma once

#include "base/buffer.h"

struct tls_client;
struct tls_session;

/* ca_file: PEM; NULL: the system's. NULL with a text in ret_fault, which stays valid until the next
 * call of any function here. */
struct tls_client *tls_client_create(const char *ca_file, const char **ret_fault);
/* No session may be left. NULL is fine. */
void tls_client_destroy(struct tls_client *client);

/* A session for one connection. NULL with a text in ret_fault. */
struct tls_session *tls_session_create(struct tls_client *client, const char *host,
				       const char **ret_fault);
/* NULL is fine. */
void tls_session_destroy(struct tls_session *session);

enum tls_state {
	TLS_MORE,      /* bytes of the peer are needed */
	TLS_CONNECTED, /* the handshake is done; only from tls_handshake() */
	TLS_DATA,      /* something was read; only from tls_read() */
	TLS_CLOSED,    /* the peer said that it sends no more */
	TLS_FAILED,    /* ret_fault was set */
};

/* Bytes from the network. */
void tls_feed(struct tls_session *session, const void *data, size_t size);
/* Bytes for the network: take them after each of the calls below. */
struct buffer *tls_output(struct tls_session *session);

enum tls_state tls_handshake(struct tls_session *session, const char **ret_fault);
enum tls_state tls_read(struct tls_session *session, void *data, size_t room, size_t *ret_size,
			const char **ret_fault);
/* 0, or -EPROTO. The handshake must be done. */
int tls_write(struct tls_session *session, const void *data, size_t size);
