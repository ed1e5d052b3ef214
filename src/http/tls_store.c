#include "http/tls_store.h"
#include "base/memory.h"
#include "base/require.h"
#include "metric/metric.h"

#include <sodium.h>
#include <stdatomic.h>
#include <string.h>

struct store {
	_Atomic uint32_t generation; /* its lowest bit is the index of the slot in force */
	struct tls_contents contents[2];
};

const struct region http_tls_region = {
    .name = "tls",
    .version = 1,
    .size = sizeof(struct store),
};

static struct store *store_of(struct region_map *shared)
{
	return region_common(shared, &http_tls_region);
}

uint32_t tls_store_generation(struct region_map *shared)
{
	return atomic_load_explicit(&store_of(shared)->generation, memory_order_acquire);
}

/* Whether they can be used: a compromised worker can write here. */
static bool is_sound(const struct tls_contents *contents)
{
	size_t size = 0;

	for (unsigned i = 0; i < contents->pair_count && i < HTTP_TLS_PAIRS_MAX; i++)
		size +=
		    (size_t)contents->lengths[i].certificate_bytes + contents->lengths[i].key_bytes;
	return contents->pair_count > 0 && contents->pair_count <= HTTP_TLS_PAIRS_MAX &&
	       size <= sizeof(contents->bytes);
}

/* Length of the contents in use; most of the rest may never have been touched. */
static size_t used_bytes(const struct tls_contents *contents)
{
	size_t size = offsetof(struct tls_contents, bytes);

	for (unsigned i = 0; i < contents->pair_count && i < HTTP_TLS_PAIRS_MAX; i++)
		size +=
		    (size_t)contents->lengths[i].certificate_bytes + contents->lengths[i].key_bytes;
	return size < sizeof(*contents) ? size : sizeof(*contents);
}

bool tls_store_read(struct region_map *shared, uint32_t *ret_generation, struct tls_contents *ret)
{
	struct store *store = store_of(shared);
	uint32_t generation = tls_store_generation(shared);
	const struct tls_contents *now = &store->contents[generation & 1];

	memcpy(ret, now, used_bytes(now));
	*ret_generation = generation;
	/* A read-modify-write with release keeps the copy before it, on any processor. */
	return atomic_fetch_add_explicit(&store->generation, 0, memory_order_acq_rel) ==
		   generation &&
	       is_sound(ret);
}

struct http_tls_pair tls_contents_pair(const struct tls_contents *contents, unsigned index)
{
	const char *at = contents->bytes;

	require(index < contents->pair_count);
	for (unsigned i = 0; i < index; i++)
		at += contents->lengths[i].certificate_bytes + contents->lengths[i].key_bytes;
	return (struct http_tls_pair){
	    .certificate = {at, contents->lengths[index].certificate_bytes},
	    .key = {at + contents->lengths[index].certificate_bytes,
		    contents->lengths[index].key_bytes},
	};
}

/* A worker that reads the old slot sees that the generation has changed. */
static void put_in_force(struct store *store, uint32_t generation)
{
	struct tls_contents *old = &store->contents[(generation + 1) & 1];

	atomic_store_explicit(&store->generation, generation, memory_order_release);
	sodium_memzero(old, used_bytes(old));
}

static void make_ticket_key(struct tls_contents *contents, int64_t now_s)
{
	struct tls_ticket_key *keys = contents->ticket_keys;

	memmove(keys + 1, keys, (TLS_TICKET_KEYS - 1) * sizeof(*keys));
	do
		randombytes_buf(keys, sizeof(*keys));
	while (sodium_is_zero(keys->name, sizeof(keys->name)));
	contents->rotate_at_s = now_s + HTTP_TLS_TICKET_KEY_S;
	metric_add(METRIC_TLS_TICKET_KEYS, 0, 1);
}

/* Also true if the clock was set back by more than that. */
static bool is_rotation_due(int64_t rotate_at_s, int64_t now_s)
{
	return now_s >= rotate_at_s || rotate_at_s - now_s > HTTP_TLS_TICKET_KEY_S;
}

bool http_tls_publish(struct region_map *shared, const struct http_tls_pair *pairs, unsigned count,
		      int64_t now_s)
{
	struct store *store = store_of(shared);
	uint32_t generation = tls_store_generation(shared);
	const struct tls_contents *now = &store->contents[generation & 1];
	struct tls_contents *next = &store->contents[(generation + 1) & 1];
	size_t size = 0;

	require(count > 0 && count <= HTTP_TLS_PAIRS_MAX);
	for (unsigned i = 0; i < count; i++)
		size += pairs[i].certificate.length + pairs[i].key.length;
	if (size > sizeof(next->bytes))
		return false;
	memcpy(next->ticket_keys, now->ticket_keys, sizeof(next->ticket_keys));
	next->rotate_at_s = now->rotate_at_s;
	if (is_rotation_due(next->rotate_at_s, now_s))
		make_ticket_key(next, now_s);
	next->pair_count = count;
	size = 0;
	for (unsigned i = 0; i < count; i++) {
		const struct http_tls_pair *pair = &pairs[i];

		memcpy(next->bytes + size, pair->certificate.data, pair->certificate.length);
		size += pair->certificate.length;
		memcpy(next->bytes + size, pair->key.data, pair->key.length);
		size += pair->key.length;
		next->lengths[i].certificate_bytes = (uint32_t)pair->certificate.length;
		next->lengths[i].key_bytes = (uint32_t)pair->key.length;
	}
	/* 0 means empty; its slot is that of even numbers. */
	put_in_force(store, generation + 1 ? generation + 1 : 2);
	return true;
}

bool http_tls_has(struct region_map *shared, const struct http_tls_pair *pairs, unsigned count)
{
	const struct tls_contents *now =
	    &store_of(shared)->contents[tls_store_generation(shared) & 1];

	if (!is_sound(now) || now->pair_count != count)
		return false;
	for (unsigned i = 0; i < count; i++) {
		struct http_tls_pair pair = tls_contents_pair(now, i);

		if (!str_equal(pair.certificate, pairs[i].certificate) ||
		    !str_equal(pair.key, pairs[i].key))
			return false;
	}
	return true;
}

int64_t http_tls_rotate_tickets(struct region_map *shared, int64_t now_s)
{
	struct store *store = store_of(shared);
	uint32_t generation = tls_store_generation(shared);
	const struct tls_contents *now = &store->contents[generation & 1];
	struct tls_contents *next = &store->contents[(generation + 1) & 1];
	int64_t rotate_at_s = now->rotate_at_s;

	/* A compromised worker can write here; it must not end the server. */
	if (generation == 0)
		return now_s + HTTP_TLS_TICKET_KEY_S;
	if (!is_rotation_due(rotate_at_s, now_s))
		return rotate_at_s;
	memcpy(next, now, used_bytes(now));
	make_ticket_key(next, now_s);
	put_in_force(store, generation + 1 ? generation + 1 : 2);
	return now_s + HTTP_TLS_TICKET_KEY_S;
}

void http_tls_forget(struct region_map *shared)
{
	struct store *store = store_of(shared);
	uint32_t generation = tls_store_generation(shared);
	struct tls_contents *now = &store->contents[generation & 1];

	/* The other slot is wiped already. */
	atomic_store_explicit(&store->generation, 0, memory_order_release);
	sodium_memzero(now, used_bytes(now));
}
