/* SHA-2 for mbedTLS, computed by OpenSSL's libcrypto: it uses the instructions that the processor
 * has for it, and takes a fifth of the time. The key schedule of a TLS 1.3 handshake hashes about
 * 200 blocks. */
#define OPENSSL_SUPPRESS_DEPRECATED /* EVP would allocate a context for each hash */

#include <mbedtls/sha256.h>
#include <mbedtls/sha512.h>
#include <openssl/crypto.h>

/* libcrypto returns 1, and cannot fail here. */
static int result_256(int is_done)
{
	return is_done == 1 ? 0 : MBEDTLS_ERR_SHA256_BAD_INPUT_DATA;
}

static int result_512(int is_done)
{
	return is_done == 1 ? 0 : MBEDTLS_ERR_SHA512_BAD_INPUT_DATA;
}

void mbedtls_sha256_init(mbedtls_sha256_context *context)
{
	*context = (mbedtls_sha256_context){0};
}

void mbedtls_sha256_free(mbedtls_sha256_context *context)
{
	if (context)
		OPENSSL_cleanse(context, sizeof(*context));
}

void mbedtls_sha256_clone(mbedtls_sha256_context *to, const mbedtls_sha256_context *from)
{
	*to = *from;
}

int mbedtls_sha256_starts(mbedtls_sha256_context *context, int is224)
{
	return result_256(is224 ? SHA224_Init(&context->state) : SHA256_Init(&context->state));
}

int mbedtls_sha256_update(mbedtls_sha256_context *context, const unsigned char *data, size_t size)
{
	return result_256(SHA256_Update(&context->state, data, size));
}

int mbedtls_sha256_finish(mbedtls_sha256_context *context, unsigned char *ret_hash)
{
	return result_256(SHA256_Final(ret_hash, &context->state));
}

int mbedtls_internal_sha256_process(mbedtls_sha256_context *context, const unsigned char block[64])
{
	SHA256_Transform(&context->state, block);
	return 0;
}

void mbedtls_sha512_init(mbedtls_sha512_context *context)
{
	*context = (mbedtls_sha512_context){0};
}

void mbedtls_sha512_free(mbedtls_sha512_context *context)
{
	if (context)
		OPENSSL_cleanse(context, sizeof(*context));
}

void mbedtls_sha512_clone(mbedtls_sha512_context *to, const mbedtls_sha512_context *from)
{
	*to = *from;
}

int mbedtls_sha512_starts(mbedtls_sha512_context *context, int is384)
{
	return result_512(is384 ? SHA384_Init(&context->state) : SHA512_Init(&context->state));
}

int mbedtls_sha512_update(mbedtls_sha512_context *context, const unsigned char *data, size_t size)
{
	return result_512(SHA512_Update(&context->state, data, size));
}

int mbedtls_sha512_finish(mbedtls_sha512_context *context, unsigned char *ret_hash)
{
	return result_512(SHA512_Final(ret_hash, &context->state));
}

int mbedtls_internal_sha512_process(mbedtls_sha512_context *context, const unsigned char block[128])
{
	SHA512_Transform(&context->state, block);
	return 0;
}
