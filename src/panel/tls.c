#include "tls.h"

#include "base/memory.h"
#include "base/require.h"

#include <errno.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/error.h>
#include <mbedtls/ssl.h>
#include <psa/crypto.h>
#include <stdio.h>

#define SYSTEM_CA_FILE "/etc/ssl/certs/ca-certificates.crt"

struct tls_client {
	mbedtls_ssl_config config;
	mbedtls_x509_crt authorities;
	mbedtls_entropy_context entropy;
	mbedtls_ctr_drbg_context random;
};

struct tls_session {
	mbedtls_ssl_context ssl;
	struct buffer input;
	struct buffer output;
};

static char fault_text[600];

static const char *fault_of(const char *what, int error)
{
	char text[160];

	mbedtls_strerror(error, text, sizeof(text));
	snprintf(fault_text, sizeof(fault_text), "%s: %s", what, text);
	return fault_text;
}

static int configure(struct tls_client *client)
{
	int error =
	    mbedtls_ctr_drbg_seed(&client->random, mbedtls_entropy_func, &client->entropy, NULL, 0);

	if (error)
		return error;
	error =
	    mbedtls_ssl_config_defaults(&client->config, MBEDTLS_SSL_IS_CLIENT,
					MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
	if (error)
		return error;
	mbedtls_ssl_conf_rng(&client->config, mbedtls_ctr_drbg_random, &client->random);
	mbedtls_ssl_conf_authmode(&client->config, MBEDTLS_SSL_VERIFY_REQUIRED);
	mbedtls_ssl_conf_ca_chain(&client->config, &client->authorities, NULL);
	return 0;
}

struct tls_client *tls_client_create(const char *ca_file, const char **ret_fault)
{
	struct tls_client *client = memory_zalloc(sizeof(*client));
	const char *path = ca_file ? ca_file : SYSTEM_CA_FILE;
	int error;

	mbedtls_ssl_config_init(&client->config);
	mbedtls_x509_crt_init(&client->authorities);
	mbedtls_entropy_init(&client->entropy);
	mbedtls_ctr_drbg_init(&client->random);
	require(psa_crypto_init() == PSA_SUCCESS);
	/* A positive number counts certificates of the system's file that it does not understand;
	 * those of a file that was named are all meant. */
	error = mbedtls_x509_crt_parse_file(&client->authorities, path);
	if (error > 0 && !ca_file)
		error = 0;
	if (error > 0)
		error = MBEDTLS_ERR_X509_INVALID_FORMAT;
	if (error) {
		*ret_fault = fault_of(path, error);
		tls_client_destroy(client);
		return NULL;
	}
	error = configure(client);
	if (error) {
		*ret_fault = fault_of("TLS cannot be set up", error);
		tls_client_destroy(client);
		return NULL;
	}
	return client;
}

void tls_client_destroy(struct tls_client *client)
{
	if (!client)
		return;
	mbedtls_ssl_config_free(&client->config);
	mbedtls_x509_crt_free(&client->authorities);
	mbedtls_ctr_drbg_free(&client->random);
	mbedtls_entropy_free(&client->entropy);
	mbedtls_psa_crypto_free();
	free(client);
}

static int send_bytes(void *context, const unsigned char *data, size_t size)
{
	struct tls_session *session = context;

	buffer_append(&session->output, data, size);
	return (int)size;
}

static int receive_bytes(void *context, unsigned char *data, size_t room)
{
	struct tls_session *session = context;
	struct str view = buffer_view(&session->input);
	size_t size = view.length < room ? view.length : room;

	if (size == 0)
		return MBEDTLS_ERR_SSL_WANT_READ;
	memcpy(data, view.data, size);
	buffer_consume(&session->input, size);
	return (int)size;
}

struct tls_session *tls_session_create(struct tls_client *client, const char *host,
				       const char **ret_fault)
{
	struct tls_session *session = memory_zalloc(sizeof(*session));
	int error;

	mbedtls_ssl_init(&session->ssl);
	error = mbedtls_ssl_setup(&session->ssl, &client->config);
	if (!error)
		error = mbedtls_ssl_set_hostname(&session->ssl, host);
	if (error) {
		*ret_fault = fault_of("TLS cannot be set up", error);
		tls_session_destroy(session);
		return NULL;
	}
	mbedtls_ssl_set_bio(&session->ssl, session, send_bytes, receive_bytes, NULL);
	return session;
}

void tls_session_destroy(struct tls_session *session)
{
	if (!session)
		return;
	mbedtls_ssl_free(&session->ssl);
	buffer_finish(&session->input);
	buffer_finish(&session->output);
	free(session);
}

void tls_feed(struct tls_session *session, const void *data, size_t size)
{
	buffer_append(&session->input, data, size);
}

struct buffer *tls_output(struct tls_session *session)
{
	return &session->output;
}

static const char *handshake_fault(struct tls_session *session, int error)
{
	uint32_t flags = mbedtls_ssl_get_verify_result(&session->ssl);
	char text[400];
	size_t length;

	if (error != MBEDTLS_ERR_X509_CERT_VERIFY_FAILED)
		return fault_of("TLS handshake", error);
	mbedtls_x509_crt_verify_info(text, sizeof(text), "", flags);
	length = strlen(text);
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\n')
			text[i] = i + 1 < length ? ' ' : '\0';
	snprintf(fault_text, sizeof(fault_text), "certificate refused: %s", text);
	return fault_text;
}

enum tls_state tls_handshake(struct tls_session *session, const char **ret_fault)
{
	int error = mbedtls_ssl_handshake(&session->ssl);

	if (error == 0)
		return TLS_CONNECTED;
	if (error == MBEDTLS_ERR_SSL_WANT_READ || error == MBEDTLS_ERR_SSL_WANT_WRITE)
		return TLS_MORE;
	*ret_fault = handshake_fault(session, error);
	return TLS_FAILED;
}

enum tls_state tls_read(struct tls_session *session, void *data, size_t room, size_t *ret_size,
			const char **ret_fault)
{
	int size;

	/* TLS 1.3 gives new tickets at any time; they are of no use here. */
	do
		size = mbedtls_ssl_read(&session->ssl, data, room);
	while (size == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET);
	if (size > 0) {
		*ret_size = (size_t)size;
		return TLS_DATA;
	}
	if (size == 0 || size == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY)
		return TLS_CLOSED;
	if (size == MBEDTLS_ERR_SSL_WANT_READ || size == MBEDTLS_ERR_SSL_WANT_WRITE)
		return TLS_MORE;
	*ret_fault = fault_of("TLS", size);
	return TLS_FAILED;
}

int tls_write(struct tls_session *session, const void *data, size_t size)
{
	const uint8_t *from = data;

	/* Sending never waits (send_bytes takes all), so a piece is taken or something is broken.
	 */
	while (size > 0) {
		int taken = mbedtls_ssl_write(&session->ssl, from, size);

		if (taken <= 0)
			return -EPROTO;
		from += taken;
		size -= (size_t)taken;
	}
	return 0;
}
