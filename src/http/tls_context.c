#include "http/tls_context.h"
#include "base/log.h"
#include "base/memory.h"
#include "http/tls_tickets.h"

#include <mbedtls/error.h>
#include <mbedtls/ssl_ciphersuites.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { TICKET_BYTES_MAX = 4096, DIGEST_BYTES = 32 };

/* Users are contexts. */
struct tls_identities {
	unsigned users;
	unsigned count;
	uint8_t digest[DIGEST_BYTES]; /* of the files */
	struct tls_identity all[];
};

/* Only suites with forward secrecy and authenticated encryption. */
static const int cipher_suites[] = {
    MBEDTLS_TLS1_3_AES_128_GCM_SHA256,
    MBEDTLS_TLS1_3_AES_256_GCM_SHA384,
    MBEDTLS_TLS1_3_CHACHA20_POLY1305_SHA256,
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    MBEDTLS_TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    MBEDTLS_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    0,
};

static const uint16_t groups[] = {
    MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1,
    MBEDTLS_SSL_IANA_TLS_GROUP_X25519,
    MBEDTLS_SSL_IANA_TLS_GROUP_NONE,
};

static const char *const protocols[] = {"http/1.1", NULL};

static void identities_leave(struct tls_identities *identities)
{
	if (!identities || --identities->users > 0)
		return;
	for (unsigned i = 0; i < identities->count; i++)
		tls_identity_finish(&identities->all[i]);
	free(identities);
}

static void hash_files(const struct tls_contents *contents, uint8_t ret_digest[DIGEST_BYTES])
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, NULL, 0, DIGEST_BYTES);
	crypto_generichash_update(&state, (const uint8_t *)&contents->pair_count,
				  sizeof(contents->pair_count));
	for (unsigned i = 0; i < contents->pair_count; i++) {
		struct http_tls_pair pair = tls_contents_pair(contents, i);

		crypto_generichash_update(&state, (const uint8_t *)&contents->lengths[i],
					  sizeof(contents->lengths[i]));
		crypto_generichash_update(&state, (const uint8_t *)pair.certificate.data,
					  pair.certificate.length);
		crypto_generichash_update(&state, (const uint8_t *)pair.key.data, pair.key.length);
	}
	crypto_generichash_final(&state, ret_digest, DIGEST_BYTES);
}

static struct tls_identities *identities_create(const struct tls_contents *contents)
{
	struct tls_identities *made =
	    memory_zalloc(sizeof(*made) + contents->pair_count * sizeof(struct tls_identity));
	struct http_tls_fault fault;

	made->users = 1;
	for (unsigned i = 0; i < contents->pair_count; i++) {
		const struct http_tls_pair pair = tls_contents_pair(contents, i);

		made->count++;
		if (tls_identity_init(&made->all[i], &pair, &fault) < 0) {
			log_error("tls", "cannot use a certificate", LOG_INT("pair", i + 1),
				  LOG_TEXT("reason", fault.text));
			identities_leave(made);
			return NULL;
		}
	}
	return made;
}

static int write_ticket(void *context, const mbedtls_ssl_session *session, unsigned char *start,
			const unsigned char *end, size_t *ret_size, uint32_t *ret_lifetime_s)
{
	const struct tls_context *tls = context;
	const size_t front = TLS_TICKET_EXTRA_BYTES - crypto_aead_xchacha20poly1305_ietf_ABYTES;
	size_t room = (size_t)(end - start), size;
	int error;

	*ret_size = 0;
	*ret_lifetime_s = 0;
	if (room < TLS_TICKET_EXTRA_BYTES)
		return MBEDTLS_ERR_SSL_BUFFER_TOO_SMALL;
	error =
	    mbedtls_ssl_session_save(session, start + front, room - TLS_TICKET_EXTRA_BYTES, &size);
	if (error)
		return error;
	tls_ticket_encrypt(tls->ticket_keys, start, size);
	*ret_size = size + TLS_TICKET_EXTRA_BYTES;
	*ret_lifetime_s = (TLS_TICKET_KEYS - 1) * HTTP_TLS_TICKET_KEY_S;
	return 0;
}

static _Thread_local bool has_opened;

bool tls_context_take_opened(void)
{
	bool is_true = has_opened;

	has_opened = false;
	return is_true;
}

/* Session in a ticket. Zero it after use. */
struct opened_ticket {
	uint8_t session[TICKET_BYTES_MAX];
	size_t size;
};

static bool open_ticket(const struct tls_context *tls, const uint8_t *ticket, size_t size,
			struct opened_ticket *ret)
{
	return size <= sizeof(ret->session) &&
	       tls_ticket_decrypt(tls->ticket_keys, ticket, size, ret->session, &ret->size);
}

static int parse_ticket(void *context, mbedtls_ssl_session *session, unsigned char *ticket,
			size_t size)
{
	struct opened_ticket opened;
	int error = MBEDTLS_ERR_SSL_INVALID_MAC;

	if (open_ticket(context, ticket, size, &opened)) {
		error = mbedtls_ssl_session_load(session, opened.session, opened.size);
		sodium_memzero(&opened, sizeof(opened));
	}
	has_opened |= !error;
	return error;
}

bool tls_context_knows_ticket(const struct tls_context *context, struct str ticket)
{
	struct opened_ticket opened;
	bool is_known = open_ticket(context, (const uint8_t *)ticket.data, ticket.length, &opened);

	sodium_memzero(&opened, sizeof(opened));
	return is_known;
}

static bool is_name_of(struct str name, void *identity)
{
	return tls_identity_has_name(identity, name);
}

/* Called if the client names a server: offers the certificates for that name, from which mbedTLS
 * takes one whose kind of key the client knows. For an unknown name those of
 * mbedtls_ssl_conf_own_cert() stay. */
static int choose_identity(void *context, mbedtls_ssl_context *ssl, const unsigned char *name,
			   size_t length)
{
	const struct tls_identities *identities = ((struct tls_context *)context)->identities;
	const struct str wanted = {(const char *)name, length};

	for (unsigned i = 0; i < identities->count; i++) {
		/* mbedTLS takes them without const and does not change them. */
		struct tls_identity *one = (struct tls_identity *)&identities->all[i];

		if (tls_identity_has_name(one, wanted)) {
			int error = mbedtls_ssl_set_hs_own_cert(ssl, &one->chain, &one->key);

			if (error)
				return error;
		}
	}
	return 0;
}

static int set_up(struct tls_context *context)
{
	mbedtls_ssl_config *ssl = &context->ssl;
	struct tls_identities *identities = context->identities;
	int error = mbedtls_ssl_config_defaults(
	    ssl, MBEDTLS_SSL_IS_SERVER, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);

	if (error)
		return error;
	mbedtls_ssl_conf_rng(ssl, tls_random, NULL);
	mbedtls_ssl_conf_min_tls_version(ssl, MBEDTLS_SSL_VERSION_TLS1_2);
	mbedtls_ssl_conf_ciphersuites(ssl, cipher_suites);
	mbedtls_ssl_conf_groups(ssl, groups);
	/* A resumed session also gets new keys. */
	mbedtls_ssl_conf_tls13_key_exchange_modes(
	    ssl, MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_EPHEMERAL_ALL);
	mbedtls_ssl_conf_session_tickets_cb(ssl, write_ticket, parse_ticket, context);
	mbedtls_ssl_conf_sni(ssl, choose_identity, context);
	error = mbedtls_ssl_conf_alpn_protocols(ssl, (const char **)protocols);
	/* Clients that name no server, or an unknown one, get the first identity, or others that
	 * share a name with it. */
	for (unsigned i = 0; !error && i < identities->count; i++) {
		struct tls_identity *one = &identities->all[i];

		if (i == 0 || tls_identity_visit_names(&identities->all[0], is_name_of, one))
			error = mbedtls_ssl_conf_own_cert(ssl, &one->chain, &one->key);
	}
	return error;
}

static struct tls_context *create_of(const struct tls_contents *contents, uint32_t generation,
				     struct tls_context *previous)
{
	struct tls_context *context = memory_zalloc(sizeof(*context));
	uint8_t digest[DIGEST_BYTES];
	int error = -1;

	context->users = 1;
	context->generation = generation;
	mbedtls_ssl_config_init(&context->ssl);
	memcpy(context->ticket_keys, contents->ticket_keys, sizeof(context->ticket_keys));
	hash_files(contents, digest);
	if (previous && memcmp(previous->identities->digest, digest, sizeof(digest)) == 0) {
		context->identities = previous->identities;
		context->identities->users++;
	} else {
		context->identities = identities_create(contents);
	}
	if (context->identities) {
		memcpy(context->identities->digest, digest, sizeof(digest));
		error = set_up(context);
		if (error)
			log_error("tls", "cannot set up TLS", LOG_INT("error", error));
	}
	if (!error)
		return context;
	tls_context_leave(context);
	return NULL;
}

struct tls_context *tls_context_create(struct region_map *shared, struct tls_context *previous)
{
	struct tls_contents *contents = memory_zalloc(sizeof(*contents));
	struct tls_context *context = NULL;
	uint32_t generation;

	if (tls_store_read(shared, &generation, contents))
		context = create_of(contents, generation, previous);
	sodium_memzero(contents, sizeof(*contents));
	free(contents);
	return context;
}

void tls_context_leave(struct tls_context *context)
{
	if (!context || --context->users > 0)
		return;
	mbedtls_ssl_config_free(&context->ssl);
	identities_leave(context->identities);
	sodium_memzero(context, sizeof(*context));
	free(context);
}
