#include "trust.h"

#include <openssl/ssl.h>
#include <sandboxed/tls_once.h>
#include <string.h>

void trust_init(struct trust *trust, const char *file)
{
	*trust = (struct trust){.file = file};
	if (!file)
		trust->file = curl_version_info(CURLVERSION_NOW)->cainfo;
	trust_renew(trust);
}

void trust_finish(struct trust *trust)
{
	X509_STORE_free(trust->store);
	trust->store = NULL;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* The flags are those that libcurl sets. */
static X509_STORE *read_store(const char *file)
{
	X509_STORE *store = X509_STORE_new();

	if (store && X509_STORE_load_file(store, file) &&
	    X509_STORE_set_flags(store, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN))
		return store;
	X509_STORE_free(store);
	return NULL;
}

/* A file that cannot be read now, perhaps since it is being replaced, leaves the certificates as
 * they are. */
void trust_renew(struct trust *trust)
{
	struct stat about;
	X509_STORE *store;

	if (!trust->file || stat(trust->file, &about) != 0 ||
	    (trust->store && is_same(&about, &trust->about)))
		return;
	store = read_store(trust->file);
	if (!store)
		return;
	X509_STORE_free(trust->store);
	trust->store = store;
	trust->about = about;
}

/* Without the mode, OpenSSL returns after each record that is not data. With it, a server that
 * sends tickets without end keeps the loop in SSL_read(). */
static CURLcode set_context(CURL *easy, void *context, void *data)
{
	const struct trust *trust = data;

	(void)easy;
	SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
	if (!SSL_CTX_set_cipher_list(context, TLS_CIPHERS))
		return CURLE_OUT_OF_MEMORY;
	if (trust->store)
		SSL_CTX_set1_cert_store(context, trust->store);
	return CURLE_OK;
}

bool trust_use(const struct trust *trust, CURL *easy)
{
	const char *file = trust->file;

	/* A libcurl with another library than OpenSSL has no such function. */
	if (curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, set_context) == CURLE_OK) {
		if (curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, trust) != CURLE_OK)
			return false;
		if (trust->store)
			return curl_easy_setopt(easy, CURLOPT_CAINFO, NULL) == CURLE_OK &&
			       curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) == CURLE_OK;
	}
	return !file || curl_easy_setopt(easy, CURLOPT_CAINFO, file) == CURLE_OK;
}
