/* Context of SHA-256 and SHA-224, see sha2.c. */
#pragma once

#include <openssl/sha.h>

typedef struct mbedtls_sha256_context {
	SHA256_CTX state;
} mbedtls_sha256_context;
