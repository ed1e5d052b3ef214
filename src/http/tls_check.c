/* Describes a certificate and its key for the operator: http_tls_check(). */
#include "http/tls_identity.h"

#include <mbedtls/ecp.h>
#include <psa/crypto.h>
#include <string.h>
#include <time.h>

static int64_t seconds_of(const mbedtls_x509_time *when)
{
	struct tm fields = {
	    .tm_year = when->year - 1900,
	    .tm_mon = when->mon - 1,
	    .tm_mday = when->day,
	    .tm_hour = when->hour,
	    .tm_min = when->min,
	    .tm_sec = when->sec,
	};

	return timegm(&fields);
}

static bool take_name(struct str name, void *context)
{
	struct http_tls_facts *facts = context;

	if (name.length == 0 || name.length >= sizeof(facts->name) || name.data[0] == '*')
		return false;
	for (size_t i = 0; i < name.length; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-",
			    name.data[i]) ||
		    !name.data[i])
			return false;
	memcpy(facts->name, name.data, name.length);
	facts->name[name.length] = 0;
	return true;
}

/* Whether each certificate after the first is that of the previous one's issuer (RFC 5246 section
 * 7.4.2). */
static bool is_in_order(const mbedtls_x509_crt *chain)
{
	for (; chain->next; chain = chain->next)
		if (chain->issuer_raw.len != chain->next->subject_raw.len ||
		    memcmp(chain->issuer_raw.p, chain->next->subject_raw.p,
			   chain->issuer_raw.len) != 0)
			return false;
	return true;
}

static const char *find_warning(const mbedtls_x509_crt *own, int64_t now_s)
{
	if (seconds_of(&own->valid_to) < now_s)
		return "has expired: clients will reject it";
	if (seconds_of(&own->valid_from) > now_s)
		return "is not valid yet: clients will reject it (is this machine's clock right?)";
	if (!is_in_order(own))
		return "has a broken chain, in which a certificate is not the issuer of the "
		       "previous one: some clients will reject it";
	return NULL;
}

/* See packagefiles/mbedtls: P-256 alone is not computed by mbedTLS itself. */
static bool is_slow(const mbedtls_pk_context *key)
{
	return !mbedtls_pk_can_do(key, MBEDTLS_PK_ECDSA) ||
	       mbedtls_ecp_keypair_get_group_id(mbedtls_pk_ec(*key)) != MBEDTLS_ECP_DP_SECP256R1;
}

int http_tls_check(const struct http_tls_pair *pair, int64_t now_s,
		   struct http_tls_facts *ret_facts, struct http_tls_fault *reterr)
{
	struct tls_identity identity;
	int result;

	/* Ends below: children of this process must not share the state of random numbers. */
	if (psa_crypto_init() != PSA_SUCCESS) {
		*reterr = (struct http_tls_fault){.text = "cannot be checked: no random numbers"};
		return -1;
	}
	result = tls_identity_init(&identity, pair, reterr);
	if (result == 0) {
		*ret_facts = (struct http_tls_facts){
		    .ends_at_s = seconds_of(&identity.chain.valid_to),
		    .warning = find_warning(&identity.chain, now_s),
		    .is_slow = is_slow(&identity.key),
		};
		(void)tls_identity_visit_names(&identity, take_name, ret_facts);
	}
	tls_identity_finish(&identity);
	mbedtls_psa_crypto_free();
	return result;
}
