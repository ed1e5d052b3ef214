/* Settings of mbedTLS beside its defaults. */

/* Several threads compute handshakes. Debian's library has these, too. */
#define MBEDTLS_THREADING_C
#define MBEDTLS_THREADING_PTHREAD

/* P-256 by the functions of p256.c. Only PSA asks drivers. */
#define MBEDTLS_USE_PSA_CRYPTO
#define MBEDTLS_PSA_P256M_DRIVER_ENABLED

/* SHA-2 by the functions of sha2.c. */
#define MBEDTLS_SHA256_ALT
#define MBEDTLS_SHA512_ALT

/* PSA need not copy each record: nobody else changes the buffers meanwhile. */
#define MBEDTLS_PSA_ASSUME_EXCLUSIVE_BUFFERS

/* The driver signs with random nonces; with deterministic ones, mbedTLS would sign by itself. */
#undef MBEDTLS_ECDSA_DETERMINISTIC

/* Nobody sets a function that takes its messages, but each one was prepared. */
#undef MBEDTLS_DEBUG_C
