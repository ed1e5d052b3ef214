/* Tests the TLS state that supervisor and workers share. */
#include "../cmocka_test.h"
#include "base/memory.h"
#include "http/tls_store.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { NOW_S = 1000000, KEY_S = HTTP_TLS_TICKET_KEY_S };

static struct region_map *shared;
static struct tls_contents *contents;
static uint32_t generation;

static const struct http_tls_pair pairs[] = {
    {.certificate = {"first certificate", 17}, .key = {"first key", 9}},
    {.certificate = {"second", 6}, .key = {"the second's key", 16}},
};

static int set_up(void **state)
{
	static const struct region *const regions[] = {&http_tls_region};

	(void)state;
	shared = region_map_create(regions, 1, 1);
	contents = memory_zalloc(sizeof(*contents));
	return shared && sodium_init() >= 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	region_map_destroy(shared);
	free(contents);
	return 0;
}

static void publish(unsigned count, int64_t now_s)
{
	assert_true(http_tls_publish(shared, pairs, count, now_s));
	assert_true(tls_store_read(shared, &generation, contents));
}

static bool holds(const void *memory, size_t size, const char *text)
{
	return memmem(memory, size, text, strlen(text)) != NULL;
}

static bool is_anywhere(const char *text)
{
	return holds(region_common(shared, &http_tls_region), http_tls_region.size, text);
}

#define STORE_TEST(name) TEST_IN(name, set_up, tear_down)

STORE_TEST(nothing_is_there_at_first)
{
	assert_int_equal(tls_store_generation(shared), 0);
	assert_false(tls_store_read(shared, &generation, contents));
}

STORE_TEST(what_was_published_is_read)
{
	struct http_tls_pair pair;

	publish(2, NOW_S);
	assert_int_equal(generation, tls_store_generation(shared));
	assert_int_not_equal(generation, 0);
	assert_int_equal(contents->pair_count, 2);
	for (unsigned i = 0; i < 2; i++) {
		pair = tls_contents_pair(contents, i);
		assert_true(str_equal(pair.certificate, pairs[i].certificate));
		assert_true(str_equal(pair.key, pairs[i].key));
	}
	assert_false(sodium_is_zero(contents->ticket_keys[0].name, TLS_TICKET_KEY_NAME_BYTES));
	assert_true(sodium_is_zero(contents->ticket_keys[1].name, TLS_TICKET_KEY_NAME_BYTES));
}

STORE_TEST(the_place_before_is_wiped)
{
	publish(2, NOW_S);
	assert_true(is_anywhere("first key"));
	assert_true(http_tls_publish(shared, &pairs[1], 1, NOW_S));
	assert_false(is_anywhere("first key"));
	assert_true(is_anywhere("the second's key"));
	http_tls_forget(shared);
	assert_false(is_anywhere("key"));
	assert_false(is_anywhere("certificate"));
	assert_int_equal(tls_store_generation(shared), 0);
	assert_false(tls_store_read(shared, &generation, contents));
	publish(1, NOW_S);
}

/* Ticket keys also stay the same with another certificate. */
STORE_TEST(keys_of_tickets_stay_with_another_certificate)
{
	struct tls_ticket_key before[TLS_TICKET_KEYS];
	uint32_t first;

	publish(1, NOW_S);
	memcpy(before, contents->ticket_keys, sizeof(before));
	first = generation;
	publish(2, NOW_S + KEY_S - 1);
	assert_int_not_equal(generation, first);
	assert_memory_equal(contents->ticket_keys, before, sizeof(before));
	publish(2, NOW_S + KEY_S);
	assert_memory_equal(&contents->ticket_keys[1], before, sizeof(before[0]));
}

STORE_TEST(keys_are_rotated_in_time)
{
	struct tls_ticket_key first;
	uint32_t before;

	publish(1, NOW_S);
	first = contents->ticket_keys[0];
	before = generation;
	assert_int_equal(http_tls_rotate_tickets(shared, NOW_S + KEY_S - 1), NOW_S + KEY_S);
	assert_int_equal(tls_store_generation(shared), before);
	for (int64_t times = 1; times < TLS_TICKET_KEYS; times++) {
		assert_int_equal(http_tls_rotate_tickets(shared, NOW_S + times * KEY_S),
				 NOW_S + (times + 1) * KEY_S);
		assert_true(tls_store_read(shared, &generation, contents));
		assert_memory_equal(&contents->ticket_keys[times], &first, sizeof(first));
		assert_true(str_equal(tls_contents_pair(contents, 0).key, pairs[0].key));
	}
	/* Tickets of the first key cannot be opened any more, and the key is gone. */
	http_tls_rotate_tickets(shared, NOW_S + TLS_TICKET_KEYS * KEY_S);
	assert_null(memmem(region_common(shared, &http_tls_region), http_tls_region.size, first.key,
			   sizeof(first.key)));
}

STORE_TEST(a_clock_that_is_set_back_stops_no_rotation)
{
	publish(1, NOW_S);
	assert_int_equal(http_tls_rotate_tickets(shared, NOW_S - 10), NOW_S - 10 + KEY_S);
}

STORE_TEST(what_has_no_room_changes_nothing)
{
	static char text[HTTP_TLS_BYTES_MAX];
	const struct http_tls_pair large = {.certificate = {text, sizeof(text)}, .key = {"k", 1}};
	const struct http_tls_pair largest = {.certificate = {text, sizeof(text) - 1},
					      .key = {"k", 1}};

	publish(1, NOW_S);
	assert_false(http_tls_publish(shared, &large, 1, NOW_S));
	assert_int_equal(tls_store_generation(shared), generation);
	assert_true(http_tls_publish(shared, &largest, 1, NOW_S));
	assert_true(tls_store_read(shared, &generation, contents));
	assert_int_equal(tls_contents_pair(contents, 0).certificate.length, sizeof(text) - 1);
}

STORE_TEST(each_pair_that_may_be_has_a_place)
{
	struct http_tls_pair many[HTTP_TLS_PAIRS_MAX];

	for (unsigned i = 0; i < HTTP_TLS_PAIRS_MAX; i++)
		many[i] = pairs[i % 2];
	assert_true(http_tls_publish(shared, many, HTTP_TLS_PAIRS_MAX, NOW_S));
	assert_true(tls_store_read(shared, &generation, contents));
	for (unsigned i = 0; i < HTTP_TLS_PAIRS_MAX; i++)
		assert_true(str_equal(tls_contents_pair(contents, i).key, many[i].key));
}

/* A compromised worker may write anything, which must harm neither the supervisor nor the other
 * workers. */
STORE_TEST(nonsense_is_not_used)
{
	uint32_t *words = region_common(shared, &http_tls_region);
	size_t count = http_tls_region.size / sizeof(*words);

	publish(2, NOW_S);
	words[0] = 0;
	assert_int_equal(http_tls_rotate_tickets(shared, NOW_S), NOW_S + KEY_S);
	for (size_t i = 0; i < count; i++)
		words[i] = UINT32_MAX;
	assert_false(tls_store_read(shared, &generation, contents));
	(void)http_tls_rotate_tickets(shared, NOW_S);
	assert_false(tls_store_read(shared, &generation, contents));
	publish(1, NOW_S);
	assert_true(str_equal(tls_contents_pair(contents, 0).key, pairs[0].key));
}

RUN_TESTS(NULL, NULL)
