/* Tests which keys a worker caches, and when it drops them, on the test's own clock. */
#include "../cmocka_test.h"
#include "base/hex.h"
#include "task/key_cache.h"

#include <stdio.h>

static struct loop loop;
static struct key_cache *cache;

static int open_cache(void **state)
{
	(void)state;
	if (loop_init(&loop))
		return -1;
	cache = key_cache_create(&loop);
	return 0;
}

static int close_cache(void **state)
{
	(void)state;
	key_cache_destroy(cache);
	loop_finish(&loop);
	return 0;
}

static void pass_ms(uint64_t ms)
{
	loop.uv.time += ms;
}

static const uint8_t *hash_of(uint32_t number)
{
	static uint8_t hash[KEY_HASH_BYTES];

	memcpy(hash, &number, sizeof(number));
	return hash;
}

static struct id account_of(uint32_t number)
{
	struct id id = {0};

	memcpy(id.bytes, &number, sizeof(number));
	return id;
}

static bool knows(uint32_t number)
{
	const struct key_known *known = key_cache_find(cache, hash_of(number), 0);

	if (!known)
		return false;
	assert_true(id_equal(known->account_id, account_of(number)));
	return true;
}

static void insert(uint32_t number, struct key_moment asked)
{
	const struct key_known known = {.account_id = account_of(number)};

	key_cache_insert(cache, hash_of(number), &known, asked);
}

static void learn(uint32_t number)
{
	insert(number, key_cache_now(cache));
}

static void hints_up(bool up)
{
	struct hint_subscription *hints = key_cache_subscription(cache);

	hints->on_up(hints, up);
}

/* Marks every hint older than this time as received. */
static void heard_before(uint64_t ms)
{
	struct hint_subscription *hints = key_cache_subscription(cache);

	hints->on_heard(hints, loop_now_ms(&loop) - ms);
}

static void hint_text(struct str text)
{
	struct hint_subscription *hints = key_cache_subscription(cache);

	assert_true(str_equal(hints->kind, STR("key")));
	hints->on_hint(hints, text);
}

static void hint(uint32_t number)
{
	char text[2 * KEY_HASH_BYTES + 1];

	hex_encode(hash_of(number), KEY_HASH_BYTES, text);
	hint_text(str_from(text));
}

TEST_IN(known_keys_are_found, open_cache, close_cache)
{
	hints_up(true);
	assert_false(knows(1));
	learn(1);
	learn(2);
	learn(2);
	assert_true(knows(1) && knows(2));
	assert_false(knows(3));
}

/* An expired key need not be looked up like an unknown one. */
TEST_IN(a_key_that_is_no_longer_fresh_is_still_known, open_cache, close_cache)
{
	hints_up(true);
	assert_false(key_cache_knows(cache, hash_of(1)));
	learn(1);
	learn(2);
	pass_ms(6 * 60 * 1000);
	assert_false(knows(1));
	assert_true(key_cache_knows(cache, hash_of(1)));
	learn(1);
	assert_true(knows(1));
	assert_false(knows(2));
	key_cache_forget(cache, hash_of(2));
	key_cache_forget(cache, hash_of(3));
	assert_false(key_cache_knows(cache, hash_of(2)));
	hint(1);
	assert_false(key_cache_knows(cache, hash_of(1)));
}

TEST_IN(hint_forgets_its_key_only, open_cache, close_cache)
{
	hints_up(true);
	learn(1);
	learn(2);
	hint(1);
	assert_false(knows(1));
	assert_true(knows(2));
	hint(7);
	assert_true(knows(2));
}

TEST_IN(hints_that_mean_nothing, open_cache, close_cache)
{
	static const char *const texts[] = {"", "x", "00", "zz", ":"};

	hints_up(true);
	learn(1);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		hint_text(str_from(texts[i]));
	assert_true(knows(1));
}

/* The database was queried, the key revoked, and the hint received before the answer. */
TEST_IN(answer_that_is_older_than_a_hint_is_not_kept, open_cache, close_cache)
{
	struct key_moment asked;

	hints_up(true);
	asked = key_cache_now(cache);
	hint(1);
	insert(1, asked);
	assert_false(knows(1));
	/* An answer older than the loss or the return of the hint connection is not kept either. */
	for (int up = 0; up <= 1; up++) {
		asked = key_cache_now(cache);
		hints_up(up);
		insert(1, asked);
		assert_false(knows(1));
	}
	learn(1);
	assert_true(knows(1));
}

/* The cache copies the bytes that it gets. */
TEST_IN(the_scope_is_kept, open_cache, close_cache)
{
	char devices[] = "0123456789abcdefABCDEFGHIJKLMNOP";
	struct key_known given = {
	    .account_id = account_of(1),
	    .scope = {KEY_LEVEL_DEVICES, {devices, 2 * ID_BYTES}, .ends_at_us = 1000},
	};
	const struct key_known *known;

	hints_up(true);
	key_cache_insert(cache, hash_of(1), &given, key_cache_now(cache));
	memset(devices, 0, sizeof(devices));
	known = key_cache_find(cache, hash_of(1), 999);
	assert_non_null(known);
	assert_int_equal(known->scope.level, KEY_LEVEL_DEVICES);
	assert_memory_equal(known->scope.devices.data, "0123456789abcdefABCDEFGHIJKLMNOP", 32);
	/* A key ends at its own time. Then the database is queried, since the time may have
	 * changed. */
	assert_null(key_cache_find(cache, hash_of(1), 1000));
	assert_true(key_cache_knows(cache, hash_of(1)));
}

TEST_IN(without_hints_entries_live_750_ms, open_cache, close_cache)
{
	learn(1);
	pass_ms(749);
	assert_true(knows(1));
	pass_ms(1);
	assert_false(knows(1));
}

/* The connection counts as up, but its server process hangs, or the network loses everything. */
TEST_IN(silent_hints_are_no_hints, open_cache, close_cache)
{
	hints_up(true);
	learn(1);
	pass_ms(60 * 1000);
	heard_before(0);
	assert_true(knows(1));
	learn(2);
	pass_ms(749);
	assert_true(knows(1) && knows(2));
	pass_ms(1);
	assert_false(knows(1) || knows(2));
	/* Time counts from the query, not from its answer. */
	heard_before(0);
	learn(1);
	pass_ms(700);
	heard_before(100);
	pass_ms(649);
	assert_true(knows(1));
	pass_ms(1);
	assert_false(knows(1));
}

/* A slow answer of the database is as old as its query. */
TEST_IN(answer_is_as_old_as_its_question, open_cache, close_cache)
{
	struct key_moment asked;

	asked = key_cache_now(cache);
	pass_ms(700);
	insert(1, asked);
	pass_ms(49);
	assert_true(knows(1));
	pass_ms(1);
	assert_false(knows(1));
}

TEST_IN(with_hints_entries_live_longer_but_not_for_ever, open_cache, close_cache)
{
	hints_up(true);
	learn(1);
	pass_ms(5 * 60 * 1000 - 1);
	heard_before(0);
	assert_true(knows(1));
	pass_ms(1);
	heard_before(0);
	assert_false(knows(1));
}

/* Revocations are unknown while hints were lost. */
TEST_IN(return_of_hints_forgets_all, open_cache, close_cache)
{
	learn(1);
	hints_up(true);
	assert_false(knows(1));
	learn(1);
	hints_up(false);
	learn(2);
	hints_up(true);
	assert_false(knows(1));
	assert_false(knows(2));
}

TEST_IN(memory_is_bounded, open_cache, close_cache)
{
	enum { MANY = 10000 };

	hints_up(true);
	for (uint32_t i = 0; i < MANY + 10; i++)
		learn(i);
	/* The oldest keys were dropped. */
	for (uint32_t i = 0; i < 10; i++)
		assert_false(knows(i));
	for (uint32_t i = 10; i < MANY + 10; i++)
		assert_true(knows(i));
}

RUN_TESTS(NULL, NULL)
