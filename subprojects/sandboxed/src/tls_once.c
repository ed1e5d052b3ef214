#include "sandboxed/tls_once.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

enum { TURNS_MAX = 20, DAY_S = 24 * 3600 };

#define NAME "localhost"

/* Two ends of a connection. */
struct pair {
	EVP_PKEY *key;
	X509 *certificate;
	SSL_CTX *contexts[2];
	SSL *ends[2];
};

/* Makes a certificate that signs itself. */
static bool make_certificate(struct pair *pair)
{
	X509_NAME *name;

	pair->key = EVP_EC_gen("P-256");
	pair->certificate = X509_new();
	if (!pair->key || !pair->certificate)
		return false;
	name = X509_get_subject_name(pair->certificate);
	return X509_set_version(pair->certificate, X509_VERSION_3) &&
	       X509_gmtime_adj(X509_getm_notBefore(pair->certificate), -DAY_S) &&
	       X509_gmtime_adj(X509_getm_notAfter(pair->certificate), DAY_S) &&
	       X509_set_pubkey(pair->certificate, pair->key) &&
	       X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)NAME, -1,
					  -1, 0) &&
	       X509_set_issuer_name(pair->certificate, name) &&
	       X509_sign(pair->certificate, pair->key, EVP_sha256());
}

static bool make_ends(struct pair *pair)
{
	SSL_CTX *client = pair->contexts[0] = SSL_CTX_new(TLS_client_method());
	SSL_CTX *server = pair->contexts[1] = SSL_CTX_new(TLS_server_method());
	BIO *near, *far;

	if (!client || !server || !SSL_CTX_use_certificate(server, pair->certificate) ||
	    !SSL_CTX_use_PrivateKey(server, pair->key) ||
	    !X509_STORE_add_cert(SSL_CTX_get_cert_store(client), pair->certificate))
		return false;
	SSL_CTX_set_verify(client, SSL_VERIFY_PEER, NULL);
	pair->ends[0] = SSL_new(client);
	pair->ends[1] = SSL_new(server);
	if (!pair->ends[0] || !pair->ends[1] || !SSL_set1_host(pair->ends[0], NAME) ||
	    !BIO_new_bio_pair(&near, 0, &far, 0))
		return false;
	SSL_set_bio(pair->ends[0], near, near);
	SSL_set_bio(pair->ends[1], far, far);
	SSL_set_connect_state(pair->ends[0]);
	SSL_set_accept_state(pair->ends[1]);
	return true;
}

static bool shake_hands(const struct pair *pair)
{
	bool is_done = false;

	for (int i = 0; i < TURNS_MAX && !is_done; i++) {
		int client = SSL_do_handshake(pair->ends[0]);

		is_done = SSL_do_handshake(pair->ends[1]) == 1 && client == 1;
	}
	return is_done && SSL_get_verify_result(pair->ends[0]) == X509_V_OK;
}

bool tls_once(void)
{
	struct pair pair = {0};
	bool is_done = make_certificate(&pair) && make_ends(&pair) && shake_hands(&pair);

	for (int i = 0; i < 2; i++) {
		SSL_free(pair.ends[i]);
		SSL_CTX_free(pair.contexts[i]);
	}
	X509_free(pair.certificate);
	EVP_PKEY_free(pair.key);
	return is_done;
}
