/* Region "tls": two slots, one of which is in force; the supervisor fills the other one and then
 * raises the generation. */
#pragma once

#include "http/tls.h"

enum { TLS_TICKET_KEY_BYTES = 32, TLS_TICKET_KEY_NAME_BYTES = 8, TLS_TICKET_KEYS = 3 };

/* Key of tickets: the first one encrypts, all of them decrypt. */
struct tls_ticket_key {
	uint8_t name[TLS_TICKET_KEY_NAME_BYTES]; /* tickets begin with it; all zero: no key */
	uint8_t key[TLS_TICKET_KEY_BYTES];
};

struct tls_contents {
	struct tls_ticket_key ticket_keys[TLS_TICKET_KEYS];
	int64_t rotate_at_s; /* wall clock */
	uint32_t pair_count;
	struct {
		uint32_t certificate_bytes;
		uint32_t key_bytes;
	} lengths[HTTP_TLS_PAIRS_MAX];
	char bytes[HTTP_TLS_BYTES_MAX]; /* certificate, key, certificate, ... */
};

/* Returns the generation in force; 0: nothing was published. */
uint32_t tls_store_generation(struct region_map *shared);

/* Copies the contents in force, of this generation. Returns false if it has changed meanwhile, or
 * nothing was published. Wipe the copy after use. */
__attribute__((warn_unused_result)) bool
tls_store_read(struct region_map *shared, uint32_t *ret_generation, struct tls_contents *ret);

/* Views into the contents. */
struct http_tls_pair tls_contents_pair(const struct tls_contents *contents, unsigned index);
