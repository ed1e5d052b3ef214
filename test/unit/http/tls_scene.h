/* A server's transport of TLS and a client of mbedTLS at the two ends of a unix socket, in one
 * loop. The server's side takes the place of HTTP: it stores the received data. */
#pragma once

#include "../cmocka_test.h"
#include "base/buffer.h"
#include "http/tls_records.h"
#include "metric/metric.h"

#include <mbedtls/ssl.h>
#include <stdbool.h>

struct tls_client {
	int fd;
	mbedtls_ssl_config config;
	mbedtls_ssl_context ssl;
};

struct tls_scene {
	struct loop loop;
	struct region_map *shared;
	struct http_tls *tls;
	struct http_transport_host host;
	/* State of the connection that was accepted last. */
	struct http_transport *transport; /* NULL: missing or closed */
	struct buffer came;		  /* decrypted */
	unsigned calls;			  /* number of calls of on_data */
	bool has_more;			  /* has_input() in the last call */
	bool stops_reading;		  /* on_data switches reading off in each call */
	bool closes;			  /* on_data closes the transport */
	unsigned ends;			  /* how often on_end was called */
	int end_error;			  /* the error of the last call */
	unsigned flushes;
};

extern struct tls_scene tls_scene;

/* Setup and teardown for cmocka. */
int tls_scene_open(void **state);
int tls_scene_open_with_lanes(void **state); /* one thread for handshakes */
int tls_scene_close(void **state);

/* Connects a client of that version, with a session that was saved before, or NULL. */
void tls_client_open(struct tls_client *client, mbedtls_ssl_protocol_version version,
		     const mbedtls_ssl_session *session);
void tls_client_close(struct tls_client *client);

/* Runs a turn of the loop that does not wait. */
void tls_scene_turn(void);

/* Makes one step of the client's handshake, and transfers messages both ways. Returns 0,
 * MBEDTLS_ERR_SSL_WANT_READ, or the error. */
int tls_client_step(struct tls_client *client);
/* Makes as many steps as needed, until the server's side is done or has ended. */
int tls_client_shake_hands(struct tls_client *client);

/* Encrypts and sends. */
void tls_client_send(struct tls_client *client, const void *data, size_t size);
/* Turns until the server's side has this many bytes, or has ended. */
void tls_scene_await(size_t size);
/* Reads this many bytes while the loop turns; fewer if the server ends. */
size_t tls_client_read(struct tls_client *client, void *data, size_t size);

/* Saves the session for a later connection, once the handshake is done. The caller must call
 * mbedtls_ssl_session_free(). */
void tls_client_save(struct tls_client *client, mbedtls_ssl_session *ret_session);

/* Returns the number of handshakes of this kind in the metrics. */
uint64_t tls_scene_count(enum metric_tls_handshake kind, enum metric_tls_version version);
/* Whether a turn of the handshake was computed. */
bool tls_scene_has_computed(void);

/* Number of failed handshakes. */
uint64_t tls_scene_failures(enum metric_tls_failure reason);

/* Turns until the server's side has ended. */
void tls_scene_await_end(void);

/* Sends the client's hello, and turns until the server's answer has arrived. */
void tls_client_send_hello(struct tls_client *client);
/* Exchanges a message in each direction. */
void tls_client_answers(struct tls_client *client);
