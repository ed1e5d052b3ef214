#include "http/tls_identity.h"
#include "base/memory.h"

#include <mbedtls/ecp.h>
#include <mbedtls/error.h>
#include <mbedtls/oid.h>
#include <mbedtls/rsa.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RSA_BITS_MIN = 2048, RSA_BITS_MAX = 4096 };

#define KINDS "RSA keys of 2048 to 4096 bits, and ECDSA keys on the curves P-256, P-384 and P-521"

int tls_random(void *context, unsigned char *data, size_t size)
{
	(void)context;
	randombytes_buf(data, size);
	return 0;
}

__attribute__((format(printf, 3, 4))) static int
tls_identity_fail(struct http_tls_fault *reterr, bool is_of_key, const char *format, ...)
{
	va_list list;

	reterr->is_of_key = is_of_key;
	va_start(list, format);
	vsnprintf(reterr->text, sizeof(reterr->text), format, list);
	va_end(list);
	return -1;
}

/* mbedTLS requires a NUL at the end of texts. */
static char *copy_text(struct str text)
{
	char *copy = memory_alloc(text.length + 1);

	memcpy(copy, text.data, text.length);
	copy[text.length] = 0;
	return copy;
}

static void wipe_text(char *copy, struct str text)
{
	sodium_memzero(copy, text.length);
	free(copy);
}

static bool is_unknown_kind(int error)
{
	/* The low half is the cause, the high half the module that met it. */
	const int high = -(-error & 0xff80), low = -(-error & 0x7f);

	return high == MBEDTLS_ERR_PK_UNKNOWN_PK_ALG ||
	       high == MBEDTLS_ERR_PK_UNKNOWN_NAMED_CURVE ||
	       high == MBEDTLS_ERR_ECP_FEATURE_UNAVAILABLE ||
	       high == MBEDTLS_ERR_PK_FEATURE_UNAVAILABLE || low == MBEDTLS_ERR_OID_NOT_FOUND;
}

static int fail_to_read(struct http_tls_fault *reterr, bool is_of_key, int error)
{
	const char *why = mbedtls_high_level_strerr(error);

	if (!why)
		why = mbedtls_low_level_strerr(error);
	if (is_unknown_kind(error))
		return tls_identity_fail(reterr, is_of_key, "has an unsupported type: use " KINDS);
	return tls_identity_fail(reterr, is_of_key, "is damaged: %s",
				 why ? why : "it cannot be read");
}

static int read_chain(mbedtls_x509_crt *chain, const char *text, size_t size,
		      struct http_tls_fault *reterr)
{
	int result;

	if (strlen(text) != size || !strstr(text, "-----BEGIN CERTIFICATE-----"))
		return tls_identity_fail(
		    reterr, false,
		    strstr(text, "PRIVATE KEY-----")
			? "contains a key and no certificate: are the two files mixed up?"
			: "contains no certificate in PEM form (-----BEGIN CERTIFICATE-----)");
	result = mbedtls_x509_crt_parse(chain, (const unsigned char *)text, size + 1);
	if (result > 0)
		return tls_identity_fail(reterr, false,
					 "contains %d certificates that cannot be read", result);
	return result < 0 ? fail_to_read(reterr, false, result) : 0;
}

static int read_key(mbedtls_pk_context *key, const char *text, size_t size,
		    struct http_tls_fault *reterr)
{
	int result;

	if (strlen(text) != size || !strstr(text, "PRIVATE KEY-----"))
		return tls_identity_fail(
		    reterr, true,
		    strstr(text, "-----BEGIN CERTIFICATE-----")
			? "contains a certificate and no key: are the two files mixed up?"
			: "contains no key in PEM form (-----BEGIN PRIVATE KEY-----)");
	result = mbedtls_pk_parse_key(key, (const unsigned char *)text, size + 1, NULL, 0,
				      tls_random, NULL);
	if (result == MBEDTLS_ERR_PK_PASSWORD_REQUIRED)
		return tls_identity_fail(
		    reterr, true,
		    "is encrypted, and displayd cannot ask for its password: decrypt it "
		    "with \"openssl pkey -in FILE -out FILE\"");
	return result ? fail_to_read(reterr, true, result) : 0;
}

static int check_kind(const mbedtls_pk_context *key, struct http_tls_fault *reterr)
{
	size_t bits = mbedtls_pk_get_bitlen(key);
	mbedtls_ecp_group_id curve;

	if (mbedtls_pk_get_type(key) == MBEDTLS_PK_RSA)
		return bits >= RSA_BITS_MIN && bits <= RSA_BITS_MAX
			   ? 0
			   : tls_identity_fail(reterr, true,
					       "is an RSA key of %zu bits: use " KINDS, bits);
	if (!mbedtls_pk_can_do(key, MBEDTLS_PK_ECDSA))
		return tls_identity_fail(reterr, true, "has an unsupported type: use " KINDS);
	curve = mbedtls_ecp_keypair_get_group_id(mbedtls_pk_ec(*key));
	if (curve != MBEDTLS_ECP_DP_SECP256R1 && curve != MBEDTLS_ECP_DP_SECP384R1 &&
	    curve != MBEDTLS_ECP_DP_SECP521R1)
		return tls_identity_fail(reterr, true,
					 "is on a curve that clients do not support: use " KINDS);
	return 0;
}

static bool belong_together(const mbedtls_x509_crt *certificate, const mbedtls_pk_context *key)
{
	return mbedtls_pk_check_pair(&certificate->pk, key, tls_random, NULL) == 0;
}

static int check_pair(const struct tls_identity *identity, struct http_tls_fault *reterr)
{
	const mbedtls_x509_crt *own = &identity->chain;

	if (check_kind(&identity->key, reterr) < 0)
		return -1;
	if (!belong_together(own, &identity->key)) {
		for (const mbedtls_x509_crt *one = own->next; one; one = one->next)
			if (belong_together(one, &identity->key))
				return tls_identity_fail(
				    reterr, false,
				    "is in the wrong order: the server's own certificate, "
				    "to which the key belongs, must come first");
		return tls_identity_fail(reterr, true, "does not belong to the certificate");
	}
	if (mbedtls_x509_crt_check_key_usage(own, MBEDTLS_X509_KU_DIGITAL_SIGNATURE) != 0)
		return tls_identity_fail(reterr, false, "is not for signatures (its key usage)");
	if (mbedtls_x509_crt_check_extended_key_usage(own, MBEDTLS_OID_SERVER_AUTH,
						      MBEDTLS_OID_SIZE(MBEDTLS_OID_SERVER_AUTH)))
		return tls_identity_fail(reterr, false,
					 "is not for servers (its extended key usage)");
	return 0;
}

int tls_identity_init(struct tls_identity *identity, const struct http_tls_pair *pair,
		      struct http_tls_fault *reterr)
{
	char *text = copy_text(pair->certificate);
	int result;

	mbedtls_x509_crt_init(&identity->chain);
	mbedtls_pk_init(&identity->key);
	result = read_chain(&identity->chain, text, pair->certificate.length, reterr);
	wipe_text(text, pair->certificate);
	if (result < 0)
		return -1;
	text = copy_text(pair->key);
	result = read_key(&identity->key, text, pair->key.length, reterr);
	wipe_text(text, pair->key);
	return result < 0 ? -1 : check_pair(identity, reterr);
}

void tls_identity_finish(struct tls_identity *identity)
{
	mbedtls_x509_crt_free(&identity->chain);
	mbedtls_pk_free(&identity->key);
}

static struct str as_str(const mbedtls_asn1_buf *bytes)
{
	return (struct str){(const char *)bytes->p, bytes->len};
}

bool tls_identity_visit_names(const struct tls_identity *identity,
			      bool (*visit)(struct str name, void *context), void *context)
{
	const mbedtls_x509_crt *own = &identity->chain;
	const int tag = MBEDTLS_ASN1_CONTEXT_SPECIFIC | MBEDTLS_X509_SAN_DNS_NAME;

	if (own->subject_alt_names.buf.p) {
		for (const mbedtls_x509_sequence *one = &own->subject_alt_names; one;
		     one = one->next)
			if (one->buf.tag == tag && visit(as_str(&one->buf), context))
				return true;
		return false;
	}
	for (const mbedtls_x509_name *one = &own->subject; one; one = one->next)
		if (MBEDTLS_OID_CMP(MBEDTLS_OID_AT_CN, &one->oid) == 0 &&
		    visit(as_str(&one->val), context))
			return true;
	return false;
}

static bool is_name(struct str pattern, void *context)
{
	struct str name = *(struct str *)context;
	const char *dot;

	if (!str_starts_with(pattern, STR("*.")))
		return str_equal_ignore_case(pattern, name);
	dot = memchr(name.data, '.', name.length);
	return dot && dot > name.data &&
	       str_equal_ignore_case(str_from_offset(pattern, 1),
				     str_from_offset(name, (size_t)(dot - name.data)));
}

bool tls_identity_has_name(const struct tls_identity *identity, struct str name)
{
	return name.length > 0 && tls_identity_visit_names(identity, is_name, &name);
}
