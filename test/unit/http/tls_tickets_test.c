/* Tickets: which keys open them, and for how long. */
#include "../cmocka_test.h"
#include "http/tls_tickets.h"

#include <sodium.h>
#include <string.h>

enum { SESSION_BYTES = 100, TICKET_BYTES = SESSION_BYTES + TLS_TICKET_EXTRA_BYTES, FRONT = 32 };

static struct tls_ticket_key keys[TLS_TICKET_KEYS];
static uint8_t ticket[TICKET_BYTES], opened[TICKET_BYTES];
static size_t opened_size;

static int encrypt(void **state)
{
	(void)state;
	if (sodium_init() < 0)
		return -1;
	memset(keys, 0, sizeof(keys));
	randombytes_buf(&keys[0], sizeof(keys[0]));
	memset(ticket + FRONT, 's', SESSION_BYTES);
	tls_ticket_encrypt(keys, ticket, SESSION_BYTES);
	opened_size = 0;
	return 0;
}

static void assert_opens(const uint8_t *from, uint8_t *to)
{
	assert_true(tls_ticket_decrypt(keys, from, TICKET_BYTES, to, &opened_size));
	assert_int_equal(opened_size, SESSION_BYTES);
	for (size_t i = 0; i < SESSION_BYTES; i++)
		assert_int_equal(to[i], 's');
}

static bool opens(size_t size)
{
	return tls_ticket_decrypt(keys, ticket, size, opened, &opened_size);
}

TEST_IN(what_was_encrypted_opens, encrypt, NULL)
{
	uint8_t other[TICKET_BYTES];

	assert_opens(ticket, opened);
	memset(other + FRONT, 's', SESSION_BYTES);
	tls_ticket_encrypt(keys, other, SESSION_BYTES);
	assert_opens(other, opened);
	/* No two are alike, and they reveal nothing of the session. */
	assert_memory_not_equal(ticket + FRONT, other + FRONT, SESSION_BYTES);
	assert_null(memmem(ticket, TICKET_BYTES, "ssss", 4));
	/* Opening changes no byte of it. */
	memcpy(other, ticket, TICKET_BYTES);
	assert_opens(ticket, opened);
	assert_memory_equal(ticket, other, TICKET_BYTES);
}

TEST_IN(each_byte_counts, encrypt, NULL)
{
	for (size_t at = 0; at < TICKET_BYTES; at++) {
		ticket[at] ^= 1;
		assert_false(opens(TICKET_BYTES));
		ticket[at] ^= 1;
	}
	for (size_t size = 0; size < TICKET_BYTES; size++)
		assert_false(opens(size));
	assert_int_equal(opened_size, 0);
	assert_opens(ticket, opened);
}

TEST_IN(older_keys_decrypt_only, encrypt, NULL)
{
	for (unsigned age = 1; age < TLS_TICKET_KEYS; age++) {
		memmove(keys + 1, keys, (TLS_TICKET_KEYS - 1) * sizeof(*keys));
		randombytes_buf(keys, sizeof(*keys));
		assert_opens(ticket, opened);
	}
	memset(ticket + FRONT, 's', SESSION_BYTES);
	tls_ticket_encrypt(keys, ticket, SESSION_BYTES);
	memset(&keys[1], 0, sizeof(keys[1]) * (TLS_TICKET_KEYS - 1));
	assert_opens(ticket, opened);
	randombytes_buf(keys, sizeof(*keys));
	assert_false(opens(TICKET_BYTES));
}

/* A place without a key has a name and a key of zeroes, which everybody knows. */
TEST_IN(no_key_is_not_a_key_of_zeroes, encrypt, NULL)
{
	static const struct tls_ticket_key none[TLS_TICKET_KEYS];

	memset(ticket + FRONT, 's', SESSION_BYTES);
	tls_ticket_encrypt(none, ticket, SESSION_BYTES);
	assert_false(opens(TICKET_BYTES));
}

RUN_TESTS(NULL, NULL)
