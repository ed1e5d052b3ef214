#include "wire/tls.h"

#include <errno.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/error.h>
#include <mbedtls/ssl.h>
#include <psa/crypto.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEM_AUTHORITIES "/etc/ssl/certs/ca-certificates.crt"

struct wire_tls_config {
	mbedtls_ssl_config ssl;	      /* TLS 1.2 and 1.3 */
	mbedtls_ssl_config ssl_older; /* TLS 1.2 alone, see is_second */
	mbedtls_x509_crt authorities;
	mbedtls_entropy_context entropy;
	mbedtls_ctr_drbg_context random;
};

struct bytes {
	uint8_t *data;
	size_t start; /* start of the bytes that were not taken yet */
	size_t end;
	size_t capacity;
};

struct wire_tls_session {
	mbedtls_ssl_context ssl;
	const struct wire_tls_config *config;
	char *host;
	bool is_open;
	bool is_second;	    /* this is the second connection: the handshake of the first one has
			       failed */
	bool is_downgraded; /* the server would speak TLS 1.3 */
	struct bytes input;
	struct bytes output;
	char fault[WIRE_TLS_FAULT_MAX];
};

static void *no_null(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static void append(struct bytes *bytes, const void *data, size_t size)
{
	if (bytes->start == bytes->end)
		bytes->start = bytes->end = 0;
	if (bytes->capacity - bytes->end < size) {
		bytes->capacity = 2 * (bytes->end + size);
		bytes->data = no_null(realloc(bytes->data, bytes->capacity));
	}
	if (size > 0)
		memcpy(bytes->data + bytes->end, data, size);
	bytes->end += size;
}

static void describe(char fault[static WIRE_TLS_FAULT_MAX], const char *what, int error)
{
	char text[160];

	mbedtls_strerror(error, text, sizeof(text));
	snprintf(fault, WIRE_TLS_FAULT_MAX, "%s: %s", what, text);
}

/* mbedTLS knows RSA-PSS in TLS 1.3 only, but by default offers it first for both versions, and a
 * TLS 1.2 server with an RSA key takes the first that it knows. TLS 1.3 ignores PKCS #1. A TLS 1.2
 * server that uses its own order, not the client's, still takes PSS. That handshake fails, and is
 * repeated over another connection, which does not offer PSS. */
static const uint16_t signature_algorithms[] = {
    MBEDTLS_TLS1_3_SIG_ECDSA_SECP256R1_SHA256, MBEDTLS_TLS1_3_SIG_ECDSA_SECP384R1_SHA384,
    MBEDTLS_TLS1_3_SIG_ECDSA_SECP521R1_SHA512, MBEDTLS_TLS1_3_SIG_RSA_PKCS1_SHA256,
    MBEDTLS_TLS1_3_SIG_RSA_PKCS1_SHA384,       MBEDTLS_TLS1_3_SIG_RSA_PKCS1_SHA512,
    MBEDTLS_TLS1_3_SIG_RSA_PSS_RSAE_SHA256,    MBEDTLS_TLS1_3_SIG_RSA_PSS_RSAE_SHA384,
    MBEDTLS_TLS1_3_SIG_RSA_PSS_RSAE_SHA512,    MBEDTLS_TLS1_3_SIG_NONE,
};

/* Last random bytes of a TLS 1.3 server that was offered only TLS 1.2, covered by its signature
 * (RFC 8446, section 4.1.3). */
static const char downgrade_mark[] = {'D', 'O', 'W', 'N', 'G', 'R', 'D', 1};

static int set_up_ssl(struct wire_tls_config *config, mbedtls_ssl_config *ssl)
{
	int error = mbedtls_ssl_config_defaults(
	    ssl, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);

	if (error)
		return error;
	mbedtls_ssl_conf_rng(ssl, mbedtls_ctr_drbg_random, &config->random);
	mbedtls_ssl_conf_sig_algs(ssl, signature_algorithms);
	mbedtls_ssl_conf_authmode(ssl, MBEDTLS_SSL_VERIFY_REQUIRED);
	mbedtls_ssl_conf_ca_chain(ssl, &config->authorities, NULL);
	return 0;
}

static int set_up_client(struct wire_tls_config *config)
{
	int error =
	    mbedtls_ctr_drbg_seed(&config->random, mbedtls_entropy_func, &config->entropy, NULL, 0);

	if (!error)
		error = set_up_ssl(config, &config->ssl);
	if (!error)
		error = set_up_ssl(config, &config->ssl_older);
	if (!error)
		mbedtls_ssl_conf_max_tls_version(&config->ssl_older, MBEDTLS_SSL_VERSION_TLS1_2);
	return error;
}

struct wire_tls_config *wire_tls_client_create(const char *authorities_file,
					       char ret_fault[static WIRE_TLS_FAULT_MAX])
{
	struct wire_tls_config *config = no_null(calloc(1, sizeof(*config)));
	const char *path = authorities_file ? authorities_file : SYSTEM_AUTHORITIES;
	const char *what = path;
	int error;

	mbedtls_ssl_config_init(&config->ssl);
	mbedtls_ssl_config_init(&config->ssl_older);
	mbedtls_x509_crt_init(&config->authorities);
	mbedtls_entropy_init(&config->entropy);
	mbedtls_ctr_drbg_init(&config->random);
	if (psa_crypto_init() != PSA_SUCCESS)
		abort();
	/* A positive number counts certificates that could not be read: accepted for the system's
	 * file, but an error for a file that was named. */
	error = mbedtls_x509_crt_parse_file(&config->authorities, path);
	if (error > 0)
		error = authorities_file ? MBEDTLS_ERR_X509_INVALID_FORMAT : 0;
	if (!error) {
		what = "cannot set up TLS";
		error = set_up_client(config);
	}
	if (!error)
		return config;
	describe(ret_fault, what, error);
	wire_tls_config_destroy(config);
	return NULL;
}

void wire_tls_config_destroy(struct wire_tls_config *config)
{
	if (!config)
		return;
	mbedtls_ssl_config_free(&config->ssl);
	mbedtls_ssl_config_free(&config->ssl_older);
	mbedtls_x509_crt_free(&config->authorities);
	mbedtls_ctr_drbg_free(&config->random);
	mbedtls_entropy_free(&config->entropy);
	mbedtls_psa_crypto_free();
	free(config);
}

static int send_bytes(void *context, const unsigned char *data, size_t size)
{
	struct wire_tls_session *session = context;

	append(&session->output, data, size);
	return (int)size;
}

static int receive_bytes(void *context, unsigned char *data, size_t room)
{
	struct bytes *input = &((struct wire_tls_session *)context)->input;
	size_t size = input->end - input->start;

	if (size == 0)
		return MBEDTLS_ERR_SSL_WANT_READ;
	if (size > room)
		size = room;
	memcpy(data, input->data + input->start, size);
	input->start += size;
	return (int)size;
}

/* The handshake's signature covers the random bytes, so no attacker on the way can remove the mark.
 */
static void on_keys(void *context, mbedtls_ssl_key_export_type type, const unsigned char *secret,
		    size_t secret_size, const unsigned char client_random[32],
		    const unsigned char server_random[32], mbedtls_tls_prf_types prf)
{
	struct wire_tls_session *session = context;
	const unsigned char *end = server_random + 32 - sizeof(downgrade_mark);

	(void)type;
	(void)secret;
	(void)secret_size;
	(void)client_random;
	(void)prf;
	if (memcmp(end, downgrade_mark, sizeof(downgrade_mark)) == 0)
		session->is_downgraded = true;
}

static int tls_begin(struct wire_tls_session *session, const mbedtls_ssl_config *ssl)
{
	mbedtls_ssl_init(&session->ssl);
	if (mbedtls_ssl_setup(&session->ssl, ssl) ||
	    mbedtls_ssl_set_hostname(&session->ssl, session->host))
		return -EINVAL;
	mbedtls_ssl_set_bio(&session->ssl, session, send_bytes, receive_bytes, NULL);
	if (session->is_second)
		mbedtls_ssl_set_export_keys_cb(&session->ssl, on_keys, session);
	return 0;
}

struct wire_tls_session *wire_tls_connect(struct wire_tls_config *config, const char *host)
{
	struct wire_tls_session *session = no_null(calloc(1, sizeof(*session)));

	session->config = config;
	session->host = no_null(strdup(host));
	if (tls_begin(session, &config->ssl) == 0)
		return session;
	wire_tls_session_destroy(session);
	return NULL;
}

void wire_tls_session_destroy(struct wire_tls_session *session)
{
	if (!session)
		return;
	mbedtls_ssl_free(&session->ssl);
	free(session->host);
	free(session->input.data);
	free(session->output.data);
	free(session);
}

void wire_tls_feed(struct wire_tls_session *session, const void *data, size_t size)
{
	append(&session->input, data, size);
}

static void describe_refusal(struct wire_tls_session *session)
{
	char text[400];
	size_t length;

	mbedtls_x509_crt_verify_info(text, sizeof(text), "",
				     mbedtls_ssl_get_verify_result(&session->ssl));
	length = strlen(text);
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\n')
			text[i] = i + 1 < length ? ' ' : '\0';
	snprintf(session->fault, sizeof(session->fault), "certificate refused: %s", text);
}

static enum wire_tls_event tls_fail(struct wire_tls_session *session, int error)
{
	if (error == MBEDTLS_ERR_SSL_WANT_READ || error == MBEDTLS_ERR_SSL_WANT_WRITE)
		return WIRE_TLS_MORE;
	if (error == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED)
		describe_refusal(session);
	else
		describe(session->fault, session->is_open ? "TLS" : "TLS handshake", error);
	return WIRE_TLS_FAILED;
}

/* See signature_algorithms. */
static bool is_refused_signature(const struct wire_tls_session *session, int error)
{
	return error == MBEDTLS_ERR_SSL_ILLEGAL_PARAMETER && !session->is_second &&
	       mbedtls_ssl_get_version_number(&session->ssl) == MBEDTLS_SSL_VERSION_TLS1_2;
}

static enum wire_tls_event begin_again(struct wire_tls_session *session)
{
	mbedtls_ssl_free(&session->ssl);
	session->input.start = session->input.end = 0;
	session->is_second = true;
	if (tls_begin(session, &session->config->ssl_older) == 0)
		return WIRE_TLS_AGAIN;
	snprintf(session->fault, sizeof(session->fault), "cannot set up TLS again");
	return WIRE_TLS_FAILED;
}

static enum wire_tls_event shake_hands(struct wire_tls_session *session)
{
	int error = mbedtls_ssl_handshake(&session->ssl);

	if (is_refused_signature(session, error))
		return begin_again(session);
	if (error)
		return tls_fail(session, error);
	if (session->is_downgraded) {
		snprintf(session->fault, sizeof(session->fault),
			 "TLS handshake: something on the way keeps the server from TLS 1.3");
		return WIRE_TLS_FAILED;
	}
	session->is_open = true;
	return WIRE_TLS_OPEN;
}

enum wire_tls_event wire_tls_read(struct wire_tls_session *session, void *data, size_t room,
				  size_t *ret_size)
{
	int size;

	if (!session->is_open)
		return shake_hands(session);
	/* TLS 1.3 gives new tickets at any time; they are of no use here. */
	do
		size = mbedtls_ssl_read(&session->ssl, data, room);
	while (size == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET);
	if (size == 0 || size == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY)
		return WIRE_TLS_CLOSED;
	if (size < 0)
		return tls_fail(session, size);
	*ret_size = (size_t)size;
	return WIRE_TLS_DATA;
}

int wire_tls_write(struct wire_tls_session *session, const void *data, size_t size)
{
	const uint8_t *from = data;

	/* Sending never waits (send_bytes() takes everything), so each piece is taken, or the
	 * session is broken.
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

void *wire_tls_output(struct wire_tls_session *session, size_t *ret_size)
{
	void *data = session->output.end > 0 ? session->output.data : NULL;

	*ret_size = session->output.end;
	if (data)
		session->output = (struct bytes){0};
	return data;
}

const char *wire_tls_fault(const struct wire_tls_session *session)
{
	return session->fault;
}
