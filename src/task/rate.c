#include "task/rate.h"
#include "base/require.h"

#include <sodium.h>
#include <stdatomic.h>

enum {
	BUCKETS = 1 << 16, /* 1 MiB */
	NEIGHBOURHOOD = 8, /* buckets in which an ID may lie */
	UNUSED_STEP_US = 1000000,
	NAME_MAX_BYTES = 32, /* of a policy */
	/* A shorter name is hashed with zeros up to this length, as in earlier programs, whose
	 * table an upgrade takes over. */
	NAME_MIN_BYTES = 8,
};

struct bucket {
	_Atomic uint64_t tag;	  /* hash of policy and ID; 0: free */
	_Atomic uint64_t full_us; /* when it will be full again */
};

struct rate_table {
	uint8_t secret[crypto_shorthash_KEYBYTES];
	_Atomic uint64_t
	    unused_us; /* when all buckets will be full, rounded up, so rarely written */
	struct bucket buckets[BUCKETS];
};

static void init(void *common)
{
	struct rate_table *table = common;

	crypto_shorthash_keygen(table->secret);
}

const struct region rate_region = {
    .name = "rates",
    .version = 2,
    .size = sizeof(struct rate_table),
    .init = init,
};

const struct region failed_attempt_region = {
    .name = "guesses",
    .version = 2,
    .size = sizeof(struct rate_table),
    .init = init,
};

const struct region visitor_region = {
    .name = "visitors",
    .version = 2,
    .size = sizeof(struct rate_table),
    .init = init,
};

static uint64_t tag_of(const struct rate_table *table, const struct rate_policy *policy,
		       struct id id)
{
	uint8_t input[ID_BYTES + NAME_MAX_BYTES] = {0};
	size_t length = strlen(policy->name);
	uint64_t tag;

	require(length <= NAME_MAX_BYTES);
	memcpy(input, id.bytes, ID_BYTES);
	memcpy(input + ID_BYTES, policy->name, length);
	length = length > NAME_MIN_BYTES ? length : NAME_MIN_BYTES;
	crypto_shorthash((uint8_t *)&tag, input, ID_BYTES + length, table->secret);
	return tag ? tag : 1;
}

/* Returns the bucket of a tag; NULL: none. */
static struct bucket *rate_find(struct rate_table *table, uint64_t tag)
{
	for (unsigned i = 0; i < NEIGHBOURHOOD; i++) {
		struct bucket *bucket = &table->buckets[(tag + i) % BUCKETS];

		if (atomic_load_explicit(&bucket->tag, memory_order_relaxed) == tag)
			return bucket;
	}
	return NULL;
}

/* Returns the bucket of a tag. If there is none, takes over a free one, or the one that will be
 * full first. If two processes race for a bucket, both may get it: one then counts once in the
 * other's. */
static struct bucket *bucket_find(struct rate_table *table, uint64_t tag)
{
	struct bucket *oldest = NULL;
	uint64_t oldest_us = UINT64_MAX;
	uint64_t expected;

	for (unsigned i = 0; i < NEIGHBOURHOOD; i++) {
		struct bucket *bucket = &table->buckets[(tag + i) % BUCKETS];
		uint64_t full_us;

		if (atomic_load_explicit(&bucket->tag, memory_order_relaxed) == tag)
			return bucket;
		full_us = atomic_load_explicit(&bucket->full_us, memory_order_relaxed);
		if (full_us < oldest_us) {
			oldest_us = full_us;
			oldest = bucket;
		}
	}
	expected = atomic_load_explicit(&oldest->tag, memory_order_relaxed);
	if (atomic_compare_exchange_strong(&oldest->tag, &expected, tag))
		atomic_store(&oldest->full_us, 0);
	return oldest;
}

/* Times of a policy: until one token, and until a whole bucket, has grown. */
struct times {
	uint64_t token_us;
	uint64_t bucket_us;
};

static struct times times_of(const struct rate_policy *policy)
{
	uint64_t token_us;

	require(policy->per_second > 0 || policy->seconds_each > 0);
	token_us = policy->per_second ? 1000000 / policy->per_second
				      : policy->seconds_each * UINT64_C(1000000);
	return (struct times){token_us, token_us * policy->burst};
}

/* Result for a bucket that will be full again after used_us. */
static struct rate_result result_of(const struct times *times, uint64_t used_us, bool is_allowed)
{
	struct rate_result result = {.is_allowed = is_allowed};

	result.reset_s = (unsigned)((used_us + 999999) / 1000000);
	if (is_allowed) {
		result.remaining = (unsigned)((times->bucket_us - used_us) / times->token_us);
	} else {
		uint64_t wait_us = used_us + times->token_us - times->bucket_us;

		result.retry_after_s = (unsigned)((wait_us + 999999) / 1000000);
	}
	return result;
}

bool rate_is_unused(const struct rate_table *table, uint64_t now_us)
{
	return atomic_load_explicit(&table->unused_us, memory_order_relaxed) <= now_us;
}

/* Call it before the token is taken: a process that sees the bucket used must not see the table
 * unused. */
static void use_until(struct rate_table *table, uint64_t full_us)
{
	uint64_t unused_us = atomic_load_explicit(&table->unused_us, memory_order_relaxed);
	uint64_t until_us = (full_us / UNUSED_STEP_US + 1) * UNUSED_STEP_US;

	while (unused_us < full_us &&
	       !atomic_compare_exchange_weak(&table->unused_us, &unused_us, until_us))
		;
}

struct rate_result rate_look(const struct rate_table *table, const struct rate_policy *policy,
			     struct id id, uint64_t now_us)
{
	uint64_t tag = tag_of(table, policy, id), used_us = 0;
	struct times times = times_of(policy);

	for (unsigned i = 0; i < NEIGHBOURHOOD; i++) {
		const struct bucket *bucket = &table->buckets[(tag + i) % BUCKETS];
		uint64_t full_us = atomic_load(&bucket->full_us);

		if (atomic_load(&bucket->tag) == tag && full_us > now_us)
			used_us = full_us - now_us;
	}
	return result_of(&times, used_us, used_us + times.token_us <= times.bucket_us);
}

/* Takes up to count tokens. *ret_used_us: time until the bucket is full afterwards. */
static unsigned take(struct rate_table *table, const struct rate_policy *policy,
		     const struct times *times, struct id id, unsigned count, uint64_t now_us,
		     uint64_t *ret_used_us)
{
	struct bucket *bucket = bucket_find(table, tag_of(table, policy, id));
	uint64_t full_us = atomic_load(&bucket->full_us);

	for (;;) {
		uint64_t from_us = full_us > now_us ? full_us : now_us;
		uint64_t used_us = from_us - now_us, taken_us;
		uint64_t left =
		    used_us < times->bucket_us ? (times->bucket_us - used_us) / times->token_us : 0;

		count = left < count ? (unsigned)left : count;
		taken_us = count * times->token_us;
		*ret_used_us = used_us + taken_us;
		if (count == 0)
			return 0;
		use_until(table, from_us + taken_us);
		if (atomic_compare_exchange_weak(&bucket->full_us, &full_us, from_us + taken_us))
			return count;
	}
}

struct rate_result rate_take(struct rate_table *table, const struct rate_policy *policy,
			     struct id id, uint64_t now_us)
{
	struct times times = times_of(policy);
	uint64_t used_us;
	bool is_allowed = take(table, policy, &times, id, 1, now_us, &used_us) > 0;

	return result_of(&times, used_us, is_allowed);
}

unsigned rate_take_some(struct rate_table *table, const struct rate_policy *policy, struct id id,
			unsigned count, uint64_t now_us)
{
	struct times times = times_of(policy);
	uint64_t used_us;

	return take(table, policy, &times, id, count, now_us, &used_us);
}

void rate_give_back(struct rate_table *table, const struct rate_policy *policy, struct id id,
		    uint64_t now_us)
{
	uint64_t token_us = times_of(policy).token_us, full_us;
	struct bucket *bucket = rate_find(table, tag_of(table, policy, id));

	if (!bucket)
		return;
	full_us = atomic_load(&bucket->full_us);
	while (full_us > now_us &&
	       !atomic_compare_exchange_weak(&bucket->full_us, &full_us, full_us - token_us))
		;
}
