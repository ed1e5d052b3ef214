/* Tests that stills are found by account and bytes, and that memory has a bound and a share. */
#include "../cmocka_test.h"
#include "api/still_cache.h"
#include "base/limits.h"
#include "base/memory.h"

static const struct id account = {{1}}, other_account = {{2}};
static uint8_t webp[8 * 1024];
static char text[128 * 1024];

static struct panelimage_result result_of(size_t size)
{
	return (struct panelimage_result){
	    .data = webp,
	    .size = size,
	    .info = {.format = PANELIMAGE_FORMAT_PNG, .frame_count = 1}};
}

/* Returns a different text for each number. */
static struct str text_of(unsigned number)
{
	memset(text, 'A', sizeof(text));
	memcpy(text, &number, sizeof(number));
	return (struct str){text, 4096};
}

static void keep(struct still_cache *cache, struct id owner, unsigned number)
{
	struct panelimage_result result = result_of(sizeof(webp));

	webp[0] = (uint8_t)number;
	still_cache_keep(cache, owner, text_of(number), &result, false);
}

static bool has(struct still_cache *cache, struct id owner, unsigned number)
{
	const struct panelimage_result *found =
	    still_cache_find(cache, owner, text_of(number), false);

	if (found)
		assert_int_equal(found->data[0], (uint8_t)number);
	return found != NULL;
}

TEST(it_is_found_by_its_account_and_bytes)
{
	struct still_cache *cache = still_cache_create();
	const struct panelimage_result *found;

	assert_false(has(cache, account, 1));
	keep(cache, account, 1);
	assert_true(has(cache, account, 1));
	assert_false(has(cache, account, 2));
	assert_false(has(cache, other_account, 1));
	found = still_cache_find(cache, account, text_of(1), false);
	assert_int_equal(found->size, sizeof(webp));
	assert_int_equal(found->info.format, PANELIMAGE_FORMAT_PNG);
	assert_ptr_not_equal(found->data, webp);
	still_cache_destroy(cache);
}

/* A still made with little effort is not used for callers with time, and theirs replaces it. */
TEST(a_quick_one_is_replaced)
{
	struct still_cache *cache = still_cache_create();
	struct panelimage_result quick = result_of(20), whole = result_of(10);

	still_cache_keep(cache, account, text_of(1), &quick, true);
	assert_null(still_cache_find(cache, account, text_of(1), false));
	assert_int_equal(still_cache_find(cache, account, text_of(1), true)->size, 20);
	still_cache_keep(cache, account, text_of(1), &whole, false);
	assert_int_equal(still_cache_find(cache, account, text_of(1), false)->size, 10);
	assert_int_equal(still_cache_find(cache, account, text_of(1), true)->size, 10);
	still_cache_destroy(cache);
}

TEST(animations_and_long_texts_are_not_kept)
{
	struct still_cache *cache = still_cache_create();
	struct panelimage_result animation = result_of(10), still = result_of(10);
	struct str longest = {text, 64 * 1024}, longer = {text, 64 * 1024 + 1};

	memset(text, 'A', sizeof(text));
	animation.info.animated = true;
	still_cache_keep(cache, account, longest, &animation, false);
	assert_null(still_cache_find(cache, account, longest, true));
	still_cache_keep(cache, account, longer, &still, false);
	assert_null(still_cache_find(cache, account, longer, true));
	still_cache_keep(cache, account, longest, &still, false);
	assert_non_null(still_cache_find(cache, account, longest, true));
	still_cache_destroy(cache);
}

TEST(the_oldest_of_an_account_goes)
{
	enum { MANY = LIMIT_ACCOUNT_STILLS_BYTES / (4096 + 8 * 1024) + 10 };
	struct still_cache *cache = still_cache_create();

	keep(cache, other_account, 7);
	for (unsigned number = 0; number < MANY; number++) {
		keep(cache, account, number);
		assert_true(has(cache, account, 0)); /* it is in use, so it stays */
	}
	assert_false(has(cache, account, 1));
	assert_true(has(cache, account, MANY - 1));
	assert_true(has(cache, other_account, 7));
	still_cache_destroy(cache);
}

TEST(the_account_that_is_idle_for_longest_goes)
{
	enum { STILLS = 50, ACCOUNTS = LIMIT_STILLS_BYTES / (STILLS * (4096 + 8 * 1024)) + 2 };
	struct still_cache *cache = still_cache_create();

	for (unsigned owner = 0; owner < ACCOUNTS; owner++) {
		for (unsigned number = 0; number < STILLS; number++)
			keep(cache, (struct id){{(uint8_t)(owner + 1)}}, number);
		assert_true(has(cache, (struct id){{1}}, 0));
	}
	assert_false(has(cache, (struct id){{2}}, 0));
	assert_true(has(cache, (struct id){{ACCOUNTS}}, 0));
	still_cache_destroy(cache);
}

RUN_TESTS(NULL, NULL)
