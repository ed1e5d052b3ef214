/* Tests which answers a worker caches, for how long, and which are dropped at the memory limit,
 * on the test's own clock. Two caches on one table of stamps are two workers of an instance. */
#include "../cmocka_test.h"
#include "../leap.h"
#include "base/limits.h"
#include "task/read_cache.h"

#include <pthread.h>
#include <stdio.h>

enum { BYTES_MAX = 64 * 1024, BODY_BYTES = 1000 };

static struct loop loop;
static struct region_map *shared;
static struct read_stamps *stamps;
static struct read_cache *cache, *other;

static void hints_up(struct read_cache *worker, bool up)
{
	read_cache_subscription(worker)->on_up(read_cache_subscription(worker), up);
}

static void heard(struct read_cache *worker)
{
	read_cache_subscription(worker)->on_heard(read_cache_subscription(worker),
						  loop_now_ms(&loop));
}

static void hint(struct read_cache *worker, struct str text)
{
	assert_int_equal(read_cache_subscription(worker)->kind.length, 0);
	read_cache_subscription(worker)->on_hint(read_cache_subscription(worker), text);
}

static int open_caches(void **state)
{
	static const struct region *const regions[] = {&read_region};

	(void)state;
	if (loop_init(&loop))
		return -1;
	shared = region_map_create(regions, 1, 1);
	if (!shared)
		return -1;
	stamps = region_common(shared, &read_region);
	cache = read_cache_create(&loop, NULL, stamps, BYTES_MAX);
	other = read_cache_create(&loop, NULL, stamps, BYTES_MAX);
	hints_up(cache, true);
	hints_up(other, true);
	heard(cache);
	heard(other);
	return 0;
}

static int close_caches(void **state)
{
	(void)state;
	read_cache_destroy(cache);
	read_cache_destroy(other);
	region_map_destroy(shared);
	loop_finish(&loop);
	return 0;
}

/* Lets time pass while hints are received. */
static void pass_ms(uint64_t ms)
{
	loop.uv.time += ms;
	heard(cache);
	heard(other);
}

static struct id id_of(uint32_t number)
{
	struct id id = {0};

	memcpy(id.bytes, &number, sizeof(number));
	id.bytes[ID_BYTES - 1] = 1;
	return id;
}

static struct read_key key_of(uint32_t account, uint32_t device)
{
	return (struct read_key){
	    .account_id = id_of(account), .id = id_of(device), .kind = READ_DEVICE};
}

static void keep_made_of(struct read_cache *worker, uint32_t account, uint32_t device,
			 struct read_sources *sources, struct read_moment asked)
{
	struct read_key key = key_of(account, device);
	static char body[BODY_BYTES];
	struct read_answer answer = {STR("\"1-a\""), {body, sizeof(body)}};

	snprintf(body, sizeof(body), "%u of %u", device, account);
	if (sources->fresh_ms == 0)
		sources->fresh_ms = READ_FRESH_MS;
	read_cache_keep(worker, &key, &answer, sources, asked);
}

static void keep(uint32_t account, uint32_t device)
{
	struct read_sources sources = {.ids = {id_of(device)}, .count = 1};

	keep_made_of(cache, account, device, &sources, read_cache_now(cache));
}

static bool has_in(struct read_cache *worker, uint32_t account, uint32_t device)
{
	struct read_key key = key_of(account, device);
	const struct read_answer *answer = read_cache_find(worker, &key);
	char body[64];

	if (!answer)
		return false;
	snprintf(body, sizeof(body), "%u of %u", device, account);
	assert_string_equal(answer->body.data, body);
	assert_true(str_equal(answer->tag, STR("\"1-a\"")));
	return true;
}

static bool has(uint32_t account, uint32_t device)
{
	return has_in(cache, account, device);
}

static void change(uint32_t number)
{
	read_cache_on_change(other, id_of(number), true);
}

#define SCENE(name) TEST_IN(name, open_caches, close_caches)

SCENE(an_answer_is_found_by_its_account_kind_and_id)
{
	struct read_key key = key_of(1, 2);

	assert_false(has(1, 2));
	keep(1, 2);
	assert_true(has(1, 2));
	assert_false(has(2, 2) || has(1, 1) || has_in(other, 1, 2));
	key.kind = READ_INSTALLATIONS;
	assert_null(read_cache_find(cache, &key));
}

SCENE(a_change_at_another_worker_ends_it)
{
	keep(1, 2);
	keep(1, 3);
	change(2);
	assert_true(!has(1, 2) && has(1, 3));
	keep(1, 2);
	assert_true(has(1, 2));
	hint(cache, STR("read:00000000-0000-0000-0000-000000000000"));
	hint(cache, STR("read:nonsense"));
	hint(cache, STR("read:"));
	hint(cache, STR(""));
	hint(cache, STR("push:02000000-0000-0000-0000-000000000001:7"));
	assert_true(has(1, 2));
	hint(cache, STR("read:02000000-0000-0000-0000-000000000001"));
	assert_true(!has(1, 2) && has(1, 3));
	hint(cache, STR("read:all"));
	assert_false(has(1, 3));
}

SCENE(hints_of_programs_before_this_one_end_it)
{
	keep(1, 2);
	hint(cache, STR("device:02000000-0000-0000-0000-000000000001:7"));
	assert_false(has(1, 2));
	keep(1, 2);
	hint(cache, STR("changed:02000000-0000-0000-0000-000000000001:devices"));
	assert_false(has(1, 2));
}

/* Its query may have run before or after the commit of the change. */
SCENE(a_read_that_meets_a_change_is_not_kept)
{
	struct read_sources sources = {.ids = {id_of(2)}, .count = 1};
	struct read_moment asked = read_cache_now(cache);

	change(2);
	keep_made_of(cache, 1, 2, &sources, asked);
	assert_false(has(1, 2));
	/* It does not replace an answer to a later query either. */
	keep(1, 2);
	keep_made_of(cache, 1, 2, &sources, asked);
	assert_true(has(1, 2));
}

/* A list depends on rows that were unknown before it was read. */
SCENE(a_change_of_any_row_ends_a_list)
{
	struct read_sources sources = {.count = READ_SOURCES_MAX};

	for (unsigned i = 0; i < READ_SOURCES_MAX; i++)
		sources.ids[i] = id_of(1000 + i);
	for (unsigned i = 0; i < READ_SOURCES_MAX; i++) {
		keep_made_of(cache, 1, 2, &sources, read_cache_now(cache));
		assert_true(has(1, 2));
		change(1000 + i);
		assert_false(has(1, 2));
	}
}

SCENE(a_new_worker_ends_all)
{
	keep(1, 2);
	read_cache_destroy(other);
	assert_true(has(1, 2));
	other = read_cache_create(&loop, NULL, stamps, BYTES_MAX);
	assert_false(has(1, 2));
}

SCENE(an_answer_is_kept_for_a_minute)
{
	struct read_sources short_lived = {.ids = {id_of(3)}, .count = 1, .fresh_ms = 100};

	keep(1, 2);
	keep_made_of(cache, 1, 3, &short_lived, read_cache_now(cache));
	pass_ms(99);
	assert_true(has(1, 3));
	pass_ms(1);
	assert_true(!has(1, 3) && has(1, 2));
	pass_ms(READ_FRESH_MS - 101);
	assert_true(has(1, 2));
	pass_ms(1);
	assert_false(has(1, 2));
}

SCENE(without_hints_nothing_old_is_found)
{
	keep(1, 2);
	loop.uv.time += 749;
	assert_true(has(1, 2));
	heard(cache);
	loop.uv.time += 749;
	assert_true(has(1, 2));
	loop.uv.time += 1;
	assert_false(has(1, 2));
}

/* It has all changes that were answered before it was asked for. */
SCENE(without_hints_a_new_answer_counts)
{
	loop.uv.time += 60 * 1000;
	keep(1, 2);
	assert_true(has(1, 2));
	change(2);
	assert_false(has(1, 2));
	keep(1, 2);
	loop.uv.time += 749;
	assert_true(has(1, 2));
	loop.uv.time += 1;
	assert_false(has(1, 2));
}

SCENE(while_a_row_is_in_doubt_it_is_not_found)
{
	keep(1, 2);
	keep(1, 3);
	read_cache_on_doubt(other, id_of(2), true);
	assert_true(!has(1, 2) && has(1, 3));
	keep(1, 2);
	assert_false(has(1, 2));
	read_cache_on_doubt(cache, id_of(2), true);
	change(2);
	read_cache_on_doubt(other, id_of(2), false);
	keep(1, 2);
	assert_false(has(1, 2));
	change(2);
	read_cache_on_doubt(cache, id_of(2), false);
	assert_false(has(1, 2));
	keep(1, 2);
	assert_true(has(1, 2));
	change(2);
	assert_false(has(1, 2));
}

SCENE(when_any_row_may_have_changed_all_is_read_again)
{
	keep(1, 2);
	keep(1, 3);
	read_cache_on_all(other);
	assert_false(has(1, 2) || has(1, 3));
	keep(1, 2);
	assert_true(has(1, 2));
}

SCENE(when_hints_are_back_all_is_read_again)
{
	struct read_sources sources = {.ids = {id_of(3)}, .count = 1};
	struct read_moment asked = read_cache_now(cache);

	keep(1, 2);
	hints_up(cache, false);
	assert_true(has(1, 2));
	hints_up(cache, true);
	assert_false(has(1, 2));
	keep_made_of(cache, 1, 3, &sources, asked);
	assert_false(has(1, 3));
}

SCENE(what_is_not_read_again_takes_no_memory)
{
	struct read_key key = key_of(1, 0);

	for (uint32_t i = 0; i < 20; i++)
		keep(i % 3, i);
	assert_true(read_cache_bytes(cache) > 20 * BODY_BYTES);
	leap_s += READ_FRESH_MS / 1000 + 1;
	/* No other handle keeps the loop alive. */
	uv_ref((uv_handle_t *)&loop.timer);
	while (read_cache_bytes(cache))
		uv_run(&loop.uv, UV_RUN_NOWAIT);
	assert_null(read_cache_find(cache, &key));
}

static unsigned count_kept(uint32_t account, uint32_t count)
{
	unsigned kept = 0;

	for (uint32_t i = 0; i < count; i++)
		kept += has(account, i);
	return kept;
}

SCENE(at_the_limit_the_oldest_go)
{
	for (uint32_t i = 0; i < 200; i++) {
		keep(1, i);
		assert_true(read_cache_bytes(cache) <= BYTES_MAX);
	}
	assert_true(has(1, 199) && !has(1, 0));
	assert_in_range(count_kept(1, 200), BYTES_MAX / BODY_BYTES * 3 / 4, BYTES_MAX / BODY_BYTES);
}

SCENE(each_account_keeps_its_share)
{
	unsigned all;

	for (uint32_t i = 0; i < 200; i++)
		keep(1, i);
	all = count_kept(1, 200);
	for (uint32_t i = 0; i < 5; i++)
		keep(2, i);
	/* The third account reads more than there is room for. */
	for (uint32_t i = 0; i < 1000; i++)
		keep(3, i);
	assert_int_equal(count_kept(2, 5), 5);
	assert_in_range(count_kept(1, 200), all / 3 - 1, all);
	assert_in_range(count_kept(3, 1000), all / 3 - 1, all);
	/* Small answers of many accounts are dropped by age alone. */
	for (uint32_t i = 10; i < 300; i++)
		keep(i, i);
	assert_true(has(299, 299) && !has(10, 10));
	assert_true(read_cache_bytes(cache) <= BYTES_MAX);
}

SCENE(a_large_answer_is_not_kept)
{
	struct read_key key = key_of(1, 2);
	struct read_sources sources = {.ids = {id_of(2)}, .count = 1, .fresh_ms = READ_FRESH_MS};
	static char body[LIMIT_LOOP_TEXT_BYTES + 1];

	read_cache_keep(cache, &key, &(struct read_answer){STR("\"\""), {body, sizeof(body)}},
			&sources, read_cache_now(cache));
	assert_null(read_cache_find(cache, &key));
	assert_int_equal(read_cache_bytes(cache), 0);
}

SCENE(a_worker_that_drains_keeps_nothing_more)
{
	keep(1, 2);
	read_cache_drain(cache);
	keep(1, 3);
	assert_true(has(1, 2) && !has(1, 3));
}

SCENE(rows_of_panels_are_read_when_their_time_was_written)
{
	const int64_t second = 1000 * 1000, now = 1000 * second;

	assert_int_equal(read_cache_device_ms(now, now), 58 * 1000);
	assert_int_equal(read_cache_device_ms(now - 50 * second, now), 8 * 1000);
	assert_int_equal(read_cache_device_ms(now - 58 * second, now), 1000);
	assert_int_equal(read_cache_device_ms(now - 80 * second, now), 1000);
	assert_int_equal(read_cache_device_ms(now - 90 * second, now), READ_FRESH_MS);
	assert_int_equal(read_cache_device_ms(0, now), READ_FRESH_MS);
	assert_int_equal(read_cache_device_ms(now + second, now), 0);
}

/* ---- workers at once ---- */

enum { WRITES = 20000, ROWS = 7 };

static _Atomic uint32_t committed[ROWS]; /* the database */
static _Atomic uint32_t answered[ROWS];

static void *write_rows(void *unused)
{
	(void)unused;
	for (uint32_t i = 1; i <= WRITES; i++) {
		uint32_t row = i % ROWS;

		committed[row] = i;
		read_stamps_note(stamps, id_of(row));
		answered[row] = i;
	}
	return NULL;
}

/* A read includes every write that was answered before it began. */
SCENE(no_read_is_older_than_an_answered_write)
{
	uint32_t known[ROWS] = {0};
	uint64_t since[ROWS] = {0};
	pthread_t writer;

	assert_int_equal(pthread_create(&writer, NULL, write_rows, NULL), 0);
	for (uint32_t row = 0; answered[WRITES % ROWS] < WRITES; row = (row + 1) % ROWS) {
		uint32_t slot = read_stamps_slot(stamps, id_of(row));
		uint32_t before = answered[row];

		if (read_stamps_last(stamps, slot) > since[row] || since[row] == 0) {
			uint64_t asked = read_stamps_now(stamps);

			known[row] = committed[row];
			since[row] = asked;
		}
		assert_true(known[row] >= before);
	}
	pthread_join(writer, NULL);
}

RUN_TESTS(NULL, NULL)
