#include "passkey.h"
#include "base/memory.h"
#include "record/json.h"
#include "record/record.h"

#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>
#include <fido/rs256.h>
#include <sodium.h>

/* Section 6.1: beginning of authenticator data. */
enum { HOST_HASH_BYTES = 32, USER_PRESENT = 1 << 0, USER_VERIFIED = 1 << 2 };

bool passkey_decode(struct str text, struct arena *arena, struct str *ret_bytes)
{
	uint8_t *bytes = arena_alloc(arena, text.length + 1);
	size_t size;

	if (sodium_base642bin(bytes, text.length, text.data, text.length, NULL, &size, NULL,
			      sodium_base64_VARIANT_URLSAFE_NO_PADDING) < 0)
		return false;
	*ret_bytes = (struct str){(const char *)bytes, size};
	return true;
}

/* Browsers may add members of their own. */
struct client {
	struct str type;
	struct str challenge;
	struct str origin;
	const struct json_value *is_cross_origin;
	const struct json_value *top_origin;
};

static const struct record_field client_fields[] = {
    RECORD_STR(struct client, type, .body = "type"),
    RECORD_STR(struct client, challenge, .body = "challenge"),
    RECORD_STR(struct client, origin, .body = "origin"),
    RECORD_ANY(struct client, is_cross_origin, .body = "crossOrigin"),
    RECORD_ANY(struct client, top_origin, .body = "topOrigin"),
};
static const struct record client_record = RECORD(struct client, client_fields);

static const char *check_client(const struct client *client, const char *type,
				const struct site *site)
{
	bool is_cross_origin = false;

	if (!str_equal(client->type, str_from(type)))
		return "is of another type";
	if (!str_equal(client->origin, str_from(site->origins[site->passkey_origin])))
		return "is for another site";
	if (client->top_origin ||
	    (client->is_cross_origin &&
	     (!json_get_bool(client->is_cross_origin, &is_cross_origin) || is_cross_origin)))
		return "comes from a page embedded in another page";
	return NULL;
}

const char *passkey_read_client(struct str json, const char *type, const struct site *site,
				struct arena *arena, struct str *ret_challenge)
{
	struct json_document document;
	struct client client = {0};
	struct faults ignored;
	struct str reason;
	uint64_t present;
	const char *fault;

	if (!json_parse(json, arena, &document, &reason))
		return "is not JSON";
	faults_init(&ignored, arena);
	record_read_json(&client_record, document.root, &client, &present, &ignored);
	fault = check_client(&client, type, site);
	*ret_challenge = client.challenge;
	json_document_finish(&document);
	return fault;
}

/* ---- on a worker thread ---- */

/* Makes the key with which libfido2 checks the signature. NULL: invalid key. */
static void *key_new(int algorithm, struct str bytes)
{
	es256_pk_t *es256 = NULL;
	eddsa_pk_t *eddsa = NULL;
	rs256_pk_t *rs256 = NULL;

	switch (algorithm) {
	case COSE_ES256:
		es256 = es256_pk_new();
		if (!es256 || es256_pk_from_ptr(es256, bytes.data, bytes.length) != FIDO_OK)
			es256_pk_free(&es256);
		return es256;
	case COSE_EDDSA:
		eddsa = eddsa_pk_new();
		if (!eddsa || eddsa_pk_from_ptr(eddsa, bytes.data, bytes.length) != FIDO_OK)
			eddsa_pk_free(&eddsa);
		return eddsa;
	default:
		rs256 = rs256_pk_new();
		if (!rs256 || rs256_pk_from_ptr(rs256, bytes.data, bytes.length) != FIDO_OK)
			rs256_pk_free(&rs256);
		return rs256;
	}
}

static void key_free(int algorithm, void *key)
{
	es256_pk_t *es256 = key;
	eddsa_pk_t *eddsa = key;
	rs256_pk_t *rs256 = key;

	if (algorithm == COSE_ES256)
		es256_pk_free(&es256);
	else if (algorithm == COSE_EDDSA)
		eddsa_pk_free(&eddsa);
	else
		rs256_pk_free(&rs256);
}

/* Whether the authenticator's data is for this site, with the user present and verified. */
static bool is_ours(const struct passkey_job *job, uint8_t flags)
{
	uint8_t hash[crypto_hash_sha256_BYTES];
	size_t length = strlen(job->host);

	crypto_hash_sha256(hash, (const uint8_t *)job->host, length);
	return job->authenticator_data.length >= HOST_HASH_BYTES &&
	       memcmp(hash, job->authenticator_data.data, HOST_HASH_BYTES) == 0 &&
	       (flags & USER_PRESENT) && (flags & USER_VERIFIED);
}

/* Takes the contents of the credential. */
static bool take_over(struct passkey_job *job, const fido_cred_t *credential)
{
	size_t id_size = fido_cred_id_len(credential), size = fido_cred_pubkey_len(credential);
	void *key;

	if (id_size == 0 || size == 0 || size > sizeof(job->key) ||
	    sodium_base64_encoded_len(id_size, sodium_base64_VARIANT_URLSAFE_NO_PADDING) >
		sizeof(job->credential_id) ||
	    !is_ours(job, fido_cred_flags(credential)))
		return false;
	memcpy(job->key, fido_cred_pubkey_ptr(credential), size);
	job->found_key = (struct str){(const char *)job->key, size};
	job->sign_count = fido_cred_sigcount(credential);
	sodium_bin2base64(job->credential_id, sizeof(job->credential_id),
			  fido_cred_id_ptr(credential), id_size,
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	key = key_new(job->algorithm, job->found_key);
	if (!key)
		return false;
	key_free(job->algorithm, key);
	return true;
}

static bool try_algorithm(struct passkey_job *job, int algorithm)
{
	fido_cred_t *credential = fido_cred_new();
	bool is_right;

	job->algorithm = algorithm;
	is_right =
	    credential && fido_cred_set_type(credential, algorithm) == FIDO_OK &&
	    fido_cred_set_authdata_raw(credential, (const uint8_t *)job->authenticator_data.data,
				       job->authenticator_data.length) == FIDO_OK &&
	    take_over(job, credential);
	fido_cred_free(&credential);
	return is_right;
}

bool passkey_register(void *argument)
{
	/* Algorithms that the pages request, see subprojects/webapp. */
	static const int algorithms[] = {COSE_ES256, COSE_EDDSA, COSE_RS256};
	struct passkey_job *job = argument;

	job->is_right = false;
	for (size_t i = 0; i < array_length(algorithms) && !job->is_right; i++)
		job->is_right = try_algorithm(job, algorithms[i]);
	return false;
}

static bool is_signed(const struct passkey_job *job, fido_assert_t *assertion, const void *key)
{
	return fido_assert_set_rp(assertion, job->host) == FIDO_OK &&
	       fido_assert_set_clientdata(assertion, (const uint8_t *)job->client_data.data,
					  job->client_data.length) == FIDO_OK &&
	       fido_assert_set_count(assertion, 1) == FIDO_OK &&
	       fido_assert_set_authdata_raw(assertion, 0,
					    (const uint8_t *)job->authenticator_data.data,
					    job->authenticator_data.length) == FIDO_OK &&
	       fido_assert_set_sig(assertion, 0, (const uint8_t *)job->signature.data,
				   job->signature.length) == FIDO_OK &&
	       fido_assert_set_up(assertion, FIDO_OPT_TRUE) == FIDO_OK &&
	       fido_assert_set_uv(assertion, FIDO_OPT_TRUE) == FIDO_OK &&
	       fido_assert_verify(assertion, 0, job->algorithm, key) == FIDO_OK;
}

bool passkey_verify(void *argument)
{
	struct passkey_job *job = argument;
	fido_assert_t *assertion = fido_assert_new();
	void *key = key_new(job->algorithm, job->public_key);

	job->is_right = assertion && key && is_signed(job, assertion, key);
	if (job->is_right)
		job->sign_count = fido_assert_sigcount(assertion, 0);
	if (key)
		key_free(job->algorithm, key);
	fido_assert_free(&assertion);
	return false;
}
