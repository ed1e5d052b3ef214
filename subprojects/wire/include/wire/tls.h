/* TLS 1.2 and 1.3 by mbedTLS, between encrypted bytes of the network and plain bytes of the user:
 * no socket, no wait.
 *
 *   network --> wire_tls_feed() --> wire_tls_read() --> user
 *   network <-- wire_tls_output() <-- wire_tls_write() <-- user
 *
 * A configuration is made once and outlives its sessions; a session is one connection's. All belong
 * to one thread. After fork() a process makes its own. */
#pragma once

#include <stddef.h>

struct wire_tls_config;
struct wire_tls_session;

enum { WIRE_TLS_FAULT_MAX = 600 };

/* Makes a client's configuration for checking servers. authorities_file: PEM file with the
 * certificates of authorities; NULL: the system's. Returns NULL with a text in ret_fault if they
 * cannot be loaded. */
struct wire_tls_config *wire_tls_client_create(const char *authorities_file,
					       char ret_fault[static WIRE_TLS_FAULT_MAX]);
/* Frees the configuration, which must have no sessions any more; it may be NULL. */
void wire_tls_config_destroy(struct wire_tls_config *config);

/* Makes a session with the server of this name, which its certificate must contain. Returns NULL if
 * that fails. */
struct wire_tls_session *wire_tls_connect(struct wire_tls_config *config, const char *host);
/* session may be NULL. */
void wire_tls_session_destroy(struct wire_tls_session *session);

enum wire_tls_event {
	WIRE_TLS_MORE,	 /* bytes of the peer are needed */
	WIRE_TLS_OPEN,	 /* the handshake is done; comes once, before any data */
	WIRE_TLS_DATA,	 /* something was read */
	WIRE_TLS_AGAIN,	 /* the handshake takes another connection to the same server */
	WIRE_TLS_CLOSED, /* the peer said that it sends no more */
	WIRE_TLS_FAILED, /* wire_tls_fault() says why */
};

/* Adds bytes of the network; copies them. */
void wire_tls_feed(struct wire_tls_session *session, const void *data, size_t size);

/* Does the handshake, then reads. Call it until it returns WIRE_TLS_MORE; the first call of a
 * client begins the handshake. After WIRE_TLS_AGAIN, which is returned at most once, the remaining
 * output belongs to the old connection, and the next call begins the handshake of the new one. */
enum wire_tls_event wire_tls_read(struct wire_tls_session *session, void *data, size_t room,
				  size_t *ret_size);

/* Encrypts data. Returns 0, or -EPROTO if the session is broken: the next read returns that, too.
 * Call it only after WIRE_TLS_OPEN. */
int wire_tls_write(struct wire_tls_session *session, const void *data, size_t size);

/* Returns the bytes to send, which the caller frees with free(); NULL if there are none. Call it
 * after each read and write. */
void *wire_tls_output(struct wire_tls_session *session, size_t *ret_size);

/* Returns the fault as a text for people, valid as long as the session. */
const char *wire_tls_fault(const struct wire_tls_session *session);
