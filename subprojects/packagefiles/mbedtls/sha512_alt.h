/* Context of SHA-512 and SHA-384, see sha2.c. */
#pragma once

#include <openssl/sha.h>

typedef struct mbedtls_sha512_context {
	SHA512_CTX state;
} mbedtls_sha512_context;
