#include "tls_scene.h"
#include "base/memory.h"
#include "base/require.h"
#include "http/tls_handshake.h"
#include "loop/lanes.h"

#include <errno.h>
#include <fcntl.h>
#include <mbedtls/ecp.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/pk.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>
#include <sodium.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PEM_BYTES = 2000, NOW_S = 1000000, LANE_THREADS = 2 };

struct tls_scene tls_scene;

static uv_pipe_t listener;
static struct sockaddr_un address;
static socklen_t address_length;
static char certificate[PEM_BYTES], key[PEM_BYTES];

static int take_random(void *context, unsigned char *data, size_t size)
{
	(void)context;
	randombytes_buf(data, size);
	return 0;
}

static void make_pair(void)
{
	mbedtls_x509write_cert made;
	mbedtls_pk_context pk;

	mbedtls_x509write_crt_init(&made);
	mbedtls_pk_init(&pk);
	require(mbedtls_pk_setup(&pk, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY)) == 0);
	require(mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(pk), take_random,
				    NULL) == 0);
	mbedtls_x509write_crt_set_subject_key(&made, &pk);
	mbedtls_x509write_crt_set_issuer_key(&made, &pk);
	mbedtls_x509write_crt_set_md_alg(&made, MBEDTLS_MD_SHA256);
	require(mbedtls_x509write_crt_set_subject_name(&made, "CN=localhost") == 0);
	require(mbedtls_x509write_crt_set_issuer_name(&made, "CN=localhost") == 0);
	require(mbedtls_x509write_crt_set_validity(&made, "20200101000000", "20991231235959") == 0);
	require(mbedtls_x509write_crt_pem(&made, (unsigned char *)certificate, PEM_BYTES,
					  take_random, NULL) == 0);
	require(mbedtls_pk_write_key_pem(&pk, (unsigned char *)key, PEM_BYTES) == 0);
	mbedtls_x509write_crt_free(&made);
	mbedtls_pk_free(&pk);
}

/* ---- the server's side ---- */

static void on_data(struct http_transport *transport, struct str data)
{
	assert_ptr_equal(transport, tls_scene.transport);
	assert_in_range(data.length, 1, 64 * 1024);
	buffer_append_str(&tls_scene.came, data);
	tls_scene.calls++;
	tls_scene.has_more = http_transport_has_input(transport);
	if (tls_scene.stops_reading)
		http_transport_set_reading(transport, false);
	if (tls_scene.closes)
		http_transport_close(transport);
}

static void on_end(struct http_transport *transport, int error)
{
	assert_ptr_equal(transport, tls_scene.transport);
	tls_scene.ends++;
	tls_scene.end_error = error;
}

static void on_flushed(struct http_transport *transport)
{
	(void)transport;
	tls_scene.flushes++;
}

static void on_closed(struct http_transport *transport)
{
	if (transport == tls_scene.transport)
		tls_scene.transport = NULL;
}

static const struct http_transport_events events = {
    .on_data = on_data,
    .on_end = on_end,
    .on_flushed = on_flushed,
    .on_closed = on_closed,
};

static void on_gone(struct http_transport_host *host)
{
	(void)host;
}

static void on_connection(uv_stream_t *stream, int error)
{
	require(error == 0 && !tls_scene.transport);
	tls_scene.transport = http_transport_accept(http_tls_transport(tls_scene.tls, false),
						    &tls_scene.host, stream);
	require(tls_scene.transport);
	tls_scene.transport->events = &events;
	tls_scene.ends = 0;
	tls_scene.flushes = 0;
	tls_scene.calls = 0;
	buffer_finish(&tls_scene.came);
	http_transport_set_reading(tls_scene.transport, true);
}

static void listen_somewhere(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address = (struct sockaddr_un){.sun_family = AF_UNIX};
	/* An abstract address, which the kernel chooses. */
	require(bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)) == 0);
	address_length = sizeof(address);
	require(getsockname(fd, (struct sockaddr *)&address, &address_length) == 0);
	uv_pipe_init(&tls_scene.loop.uv, &listener, 0);
	require(uv_pipe_open(&listener, fd) == 0);
	require(uv_listen((uv_stream_t *)&listener, 16, on_connection) == 0);
}

int tls_scene_open(void **state)
{
	static const struct region *const regions[] = {&http_tls_region, &metric_region};
	struct http_tls_pair pair;

	(void)state;
	require(sodium_init() >= 0 && psa_crypto_init() == PSA_SUCCESS);
	if (!certificate[0])
		make_pair();
	pair = (struct http_tls_pair){str_from(certificate), str_from(key)};
	tls_scene = (struct tls_scene){.host = {.loop = &tls_scene.loop, .on_gone = on_gone}};
	require(loop_init(&tls_scene.loop) == 0);
	tls_scene.shared = region_map_create(regions, 2, 1);
	require(tls_scene.shared);
	metric_attach(tls_scene.shared, 0);
	require(http_tls_publish(tls_scene.shared, &pair, 1, NOW_S));
	tls_scene.tls = http_tls_create(tls_scene.shared);
	require(tls_scene.tls);
	listen_somewhere();
	return 0;
}

int tls_scene_open_with_lanes(void **state)
{
	tls_scene_open(state);
	lanes_start(&tls_scene.loop, LANE_THREADS);
	return 0;
}

int tls_scene_close(void **state)
{
	(void)state;
	if (tls_scene.transport)
		http_transport_close(tls_scene.transport);
	while (tls_scene.transport)
		tls_scene_turn();
	uv_close((uv_handle_t *)&listener, NULL);
	lanes_stop(&tls_scene.loop);
	http_tls_destroy(tls_scene.tls);
	loop_finish(&tls_scene.loop);
	metric_detach();
	region_map_destroy(tls_scene.shared);
	buffer_finish(&tls_scene.came);
	return 0;
}

uint64_t tls_scene_count(enum metric_tls_handshake kind, enum metric_tls_version version)
{
	return metric_cells[METRIC_TLS_HANDSHAKES]
			   [metric_pair(METRIC_TLS_HANDSHAKES, kind, version)];
}

void tls_scene_turn(void)
{
	uv_run(&tls_scene.loop.uv, UV_RUN_NOWAIT);
}

/* ---- the client ---- */

static int send_bytes(void *context, const unsigned char *data, size_t size)
{
	ssize_t sent = send(*(int *)context, data, size, MSG_NOSIGNAL);

	if (sent < 0)
		return errno == EAGAIN ? MBEDTLS_ERR_SSL_WANT_WRITE : MBEDTLS_ERR_NET_SEND_FAILED;
	return (int)sent;
}

static int receive_bytes(void *context, unsigned char *data, size_t room)
{
	ssize_t size = recv(*(int *)context, data, room, 0);

	if (size < 0)
		return errno == EAGAIN ? MBEDTLS_ERR_SSL_WANT_READ : MBEDTLS_ERR_NET_RECV_FAILED;
	return (int)size;
}

void tls_client_open(struct tls_client *client, mbedtls_ssl_protocol_version version,
		     const mbedtls_ssl_session *session)
{
	mbedtls_ssl_config *config = &client->config;

	mbedtls_ssl_config_init(config);
	require(mbedtls_ssl_config_defaults(config, MBEDTLS_SSL_IS_CLIENT,
					    MBEDTLS_SSL_TRANSPORT_STREAM,
					    MBEDTLS_SSL_PRESET_DEFAULT) == 0);
	mbedtls_ssl_conf_rng(config, take_random, NULL);
	mbedtls_ssl_conf_authmode(config, MBEDTLS_SSL_VERIFY_NONE);
	mbedtls_ssl_conf_min_tls_version(config, version);
	mbedtls_ssl_conf_max_tls_version(config, version);
	mbedtls_ssl_conf_tls13_enable_signal_new_session_tickets(
	    config, MBEDTLS_SSL_TLS1_3_SIGNAL_NEW_SESSION_TICKETS_ENABLED);
	mbedtls_ssl_init(&client->ssl);
	require(mbedtls_ssl_setup(&client->ssl, config) == 0);
	require(mbedtls_ssl_set_hostname(&client->ssl, "localhost") == 0);
	require(!session || mbedtls_ssl_set_session(&client->ssl, session) == 0);
	client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	require(connect(client->fd, (struct sockaddr *)&address, address_length) == 0);
	require(fcntl(client->fd, F_SETFL, O_NONBLOCK) == 0);
	mbedtls_ssl_set_bio(&client->ssl, &client->fd, send_bytes, receive_bytes, NULL);
	while (!tls_scene.transport)
		tls_scene_turn();
}

void tls_client_close(struct tls_client *client)
{
	close(client->fd);
	mbedtls_ssl_free(&client->ssl);
	mbedtls_ssl_config_free(&client->config);
	if (tls_scene.transport)
		http_transport_close(tls_scene.transport);
	while (tls_scene.transport)
		tls_scene_turn();
}

int tls_client_step(struct tls_client *client)
{
	int result = mbedtls_ssl_handshake(&client->ssl);

	tls_scene_turn();
	return result;
}

static bool is_done(void)
{
	return !tls_scene.transport || tls_scene.ends > 0 ||
	       !tls_transport_of(tls_scene.transport)->handshake;
}

int tls_client_shake_hands(struct tls_client *client)
{
	int result;

	do
		result = tls_client_step(client);
	while (result == MBEDTLS_ERR_SSL_WANT_READ && tls_scene.ends == 0);
	while (result == 0 && !is_done())
		tls_scene_turn();
	return result;
}

void tls_client_send(struct tls_client *client, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	while (size > 0) {
		int sent = mbedtls_ssl_write(&client->ssl, bytes, size);

		tls_scene_turn();
		if (sent == MBEDTLS_ERR_SSL_WANT_WRITE)
			continue;
		require(sent > 0);
		bytes += sent;
		size -= (size_t)sent;
	}
}

void tls_scene_await(size_t size)
{
	while (buffer_length(&tls_scene.came) < size && tls_scene.ends == 0)
		tls_scene_turn();
}

size_t tls_client_read(struct tls_client *client, void *data, size_t size)
{
	size_t length = 0;

	while (length < size) {
		int result =
		    mbedtls_ssl_read(&client->ssl, (unsigned char *)data + length, size - length);

		tls_scene_turn();
		if (result == MBEDTLS_ERR_SSL_WANT_READ ||
		    result == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET)
			continue;
		if (result <= 0)
			break;
		length += (size_t)result;
	}
	return length;
}

void tls_client_save(struct tls_client *client, mbedtls_ssl_session *ret_session)
{
	bool has_one = mbedtls_ssl_get_version_number(&client->ssl) == MBEDTLS_SSL_VERSION_TLS1_2;
	unsigned char none;

	mbedtls_ssl_session_init(ret_session);
	while (!has_one) {
		has_one = mbedtls_ssl_read(&client->ssl, &none, 1) ==
			  MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET;
		tls_scene_turn();
	}
	require(mbedtls_ssl_get_session(&client->ssl, ret_session) == 0);
}

void tls_scene_await_end(void)
{
	while (tls_scene.ends == 0)
		tls_scene_turn();
}

bool tls_scene_has_computed(void)
{
	return tls_transport_of(tls_scene.transport)->has_ssl;
}

uint64_t tls_scene_failures(enum metric_tls_failure reason)
{
	return metric_cells[METRIC_TLS_FAILED][reason];
}

void tls_client_send_hello(struct tls_client *client)
{
	char one;

	assert_int_equal(tls_client_step(client), MBEDTLS_ERR_SSL_WANT_READ);
	while (recv(client->fd, &one, 1, MSG_PEEK) <= 0)
		tls_scene_turn();
}

void tls_client_answers(struct tls_client *client)
{
	char answer[4];

	tls_client_send(client, "ping", 4);
	tls_scene_await(4);
	assert_true(str_equal(buffer_view(&tls_scene.came), STR("ping")));
	assert_int_equal(
	    http_transport_send(tls_scene.transport, &STR("pong"), 1, /* copy= */ true), 0);
	assert_int_equal(tls_client_read(client, answer, 4), 4);
	assert_memory_equal(answer, "pong", 4);
}
