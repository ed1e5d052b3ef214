/* The table of known sessions: bounded, with a share for each account. */
#include "../cmocka_test.h"
#include "web/people/known_sessions.h"

enum { SECOND_US = 1000 * 1000, SESSIONS = 200 * 1000 };

static struct region_map *map;
static struct known_sessions *known;

static int open_table(void **state)
{
	const struct region *const regions[] = {&session_region};

	(void)state;
	map = region_map_create(regions, 1, 1);
	known = map ? region_common(map, &session_region) : NULL;
	return known ? 0 : -1;
}

static int close_table(void **state)
{
	(void)state;
	region_map_destroy(map);
	return 0;
}

struct hash {
	uint8_t bytes[KEY_HASH_BYTES];
};

static struct hash hash_of(uint32_t number)
{
	struct hash hash = {0};

	memcpy(hash.bytes, &number, sizeof(number));
	return hash;
}

static struct id account_of(uint32_t number)
{
	struct id id = {.bytes = {1}};

	memcpy(id.bytes + 1, &number, sizeof(number));
	return id;
}

TEST_IN(what_was_added_is_known_until_it_is_forgotten, open_table, close_table)
{
	assert_false(known_sessions_has(known, hash_of(1).bytes));
	known_sessions_add(known, hash_of(1).bytes, account_of(1), SECOND_US);
	known_sessions_add(known, hash_of(1).bytes, account_of(1), 2 * SECOND_US);
	assert_true(known_sessions_has(known, hash_of(1).bytes));
	assert_false(known_sessions_has(known, hash_of(2).bytes));
	known_sessions_forget(known, hash_of(2).bytes);
	known_sessions_forget(known, hash_of(1).bytes);
	assert_false(known_sessions_has(known, hash_of(1).bytes));
}

/* 1,000 accounts have a session each; then one account begins sessions without end. */
TEST_IN(one_account_pushes_hardly_anybody_out, open_table, close_table)
{
	unsigned left = 0;

	for (uint32_t i = 0; i < 1000; i++)
		known_sessions_add(known, hash_of(i).bytes, account_of(i), SECOND_US + i);
	for (uint32_t i = 1000; i < SESSIONS; i++)
		known_sessions_add(known, hash_of(i).bytes, account_of(5000), 2 * SECOND_US + i);
	for (uint32_t i = 0; i < 1000; i++)
		left += known_sessions_has(known, hash_of(i).bytes);
	assert_in_range(left, 990, 1000);
	/* The account knows its newest sessions. */
	assert_true(known_sessions_has(known, hash_of(SESSIONS - 1).bytes));
}

/* If the table is full, the sessions seen last stay. */
TEST_IN(those_that_were_seen_stay, open_table, close_table)
{
	unsigned left = 0;

	for (uint32_t i = 0; i < SESSIONS; i++) {
		known_sessions_add(known, hash_of(i).bytes, account_of(i), SECOND_US + i);
		if (i % 100 == 0)
			known_sessions_add(known, hash_of(7).bytes, account_of(7), SECOND_US + i);
	}
	assert_true(known_sessions_has(known, hash_of(7).bytes));
	for (uint32_t i = 0; i < SESSIONS; i++)
		left += known_sessions_has(known, hash_of(i).bytes);
	assert_in_range(left, 20 * 1000, 32 * 1024);
}

RUN_TESTS(NULL, NULL)
