/* Untrusted input to a TLS listener. The first byte decides how it arrives: in pieces of so many
 * bytes, or as a whole; before the handshake, or after one by our own client. The connection must
 * end, and nothing may be left. */
#include "base/region.h"
#include "base/require.h"
#include "fed_server.h"
#include "http/request.h"
#include "http/response.h"
#include "http/tls.h"

#include <mbedtls/ecp.h>
#include <mbedtls/pk.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>
#include <sodium.h>
#include <sys/socket.h>
#include <unistd.h>

enum { AFTER_HANDSHAKE = 64, AS_A_WHOLE = 128, PEM_BYTES = 2000, TURNS_MAX = 64 };

static struct {
	char certificate[PEM_BYTES];
	char key[PEM_BYTES];
	struct region_map *shared;
	mbedtls_ssl_config client;
	bool is_set_up;
} kept;

static struct fed_server fed;

static int take_random(void *context, unsigned char *data, size_t size)
{
	(void)context;
	randombytes_buf(data, size);
	return 0;
}

static void make_pair(void)
{
	mbedtls_x509write_cert certificate;
	mbedtls_pk_context key;

	mbedtls_x509write_crt_init(&certificate);
	mbedtls_pk_init(&key);
	require(mbedtls_pk_setup(&key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY)) == 0);
	require(mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(key), take_random,
				    NULL) == 0);
	mbedtls_x509write_crt_set_subject_key(&certificate, &key);
	mbedtls_x509write_crt_set_issuer_key(&certificate, &key);
	mbedtls_x509write_crt_set_md_alg(&certificate, MBEDTLS_MD_SHA256);
	require(mbedtls_x509write_crt_set_subject_name(&certificate, "CN=localhost") == 0);
	require(mbedtls_x509write_crt_set_issuer_name(&certificate, "CN=localhost") == 0);
	require(mbedtls_x509write_crt_set_validity(&certificate, "20200101000000",
						   "20991231235959") == 0);
	require(mbedtls_x509write_crt_pem(&certificate, (unsigned char *)kept.certificate,
					  PEM_BYTES, take_random, NULL) == 0);
	require(mbedtls_pk_write_key_pem(&key, (unsigned char *)kept.key, PEM_BYTES) == 0);
	mbedtls_x509write_crt_free(&certificate);
	mbedtls_pk_free(&key);
}

static void set_up(void)
{
	static const struct region *const regions[] = {&http_tls_region};
	struct http_tls_pair pair;

	if (kept.is_set_up)
		return;
	kept.is_set_up = true;
	require(sodium_init() >= 0 && psa_crypto_init() == PSA_SUCCESS);
	make_pair();
	pair = (struct http_tls_pair){str_from(kept.certificate), str_from(kept.key)};
	kept.shared = region_map_create(regions, 1, 1);
	require(kept.shared && http_tls_publish(kept.shared, &pair, 1, 1));
	mbedtls_ssl_config_init(&kept.client);
	require(mbedtls_ssl_config_defaults(&kept.client, MBEDTLS_SSL_IS_CLIENT,
					    MBEDTLS_SSL_TRANSPORT_STREAM,
					    MBEDTLS_SSL_PRESET_DEFAULT) == 0);
	mbedtls_ssl_conf_rng(&kept.client, take_random, NULL);
	mbedtls_ssl_conf_authmode(&kept.client, MBEDTLS_SSL_VERIFY_NONE);
}

static void on_request(struct http_request *request, void *context)
{
	(void)context;
	http_respond(request, &(struct http_response){.status = 200, .body = STR("ok")});
}

static int send_bytes(void *context, const unsigned char *data, size_t size)
{
	ssize_t sent = send(*(int *)context, data, size, MSG_NOSIGNAL);

	return sent < 0 ? MBEDTLS_ERR_SSL_INTERNAL_ERROR : (int)sent;
}

static int receive_bytes(void *context, unsigned char *data, size_t room)
{
	ssize_t size;

	fed_server_turn(&fed);
	size = recv(*(int *)context, data, room, MSG_DONTWAIT);
	return size < 0 ? MBEDTLS_ERR_SSL_WANT_READ : (int)size;
}

/* Sends a request by our own client, which must get its answer. */
static void shake_hands(int fd)
{
	static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
	unsigned char answer[512];
	mbedtls_ssl_context ssl;
	int result = MBEDTLS_ERR_SSL_WANT_READ;

	mbedtls_ssl_init(&ssl);
	require(mbedtls_ssl_setup(&ssl, &kept.client) == 0);
	require(mbedtls_ssl_set_hostname(&ssl, NULL) == 0);
	mbedtls_ssl_set_bio(&ssl, &fd, send_bytes, receive_bytes, NULL);
	for (int i = 0; i < TURNS_MAX && result != 0; i++)
		result = mbedtls_ssl_handshake(&ssl);
	require(result == 0);
	require(mbedtls_ssl_write(&ssl, (const unsigned char *)request, sizeof(request) - 1) ==
		sizeof(request) - 1);
	result = 0;
	for (int i = 0; i < TURNS_MAX && result <= 0; i++)
		result = mbedtls_ssl_read(&ssl, answer, sizeof(answer));
	require(result > 0 && memcmp(answer, "HTTP/1.1 200", 12) == 0);
	mbedtls_ssl_free(&ssl);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_listener_settings listener = {.on_request = on_request};
	struct http_tls *tls;
	int fd;

	set_up();
	fed = (struct fed_server){0};
	tls = http_tls_create(kept.shared);
	require(tls);
	listener.transport = http_tls_transport(tls, false);
	fed_server_begin(&fed, &(struct http_server_settings){0}, &listener);
	fd = fed_server_connect(&fed);
	if (size && data[0] & AFTER_HANDSHAKE)
		shake_hands(fd);
	if (size)
		fed_server_feed(&fed, fd, data + 1, size - 1,
				data[0] & AS_A_WHOLE ? size : 1u + data[0] % AFTER_HANDSHAKE);
	fed_server_turn(&fed);
	close(fd);
	fed_server_turn(&fed);
	fed_server_close(&fed);
	fed_server_finish(&fed);
	http_tls_destroy(tls);
	/* the client uses PSA, too */
	require(psa_crypto_init() == PSA_SUCCESS);
	return 0;
}
