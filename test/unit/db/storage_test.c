#include "../cmocka_test.h"
#include "storage_common.h"

/* The most that is short, and the most that is none. */
enum { SHORT_BYTES = 64 * 1024 * 1024 - 1, NONE_BYTES = 1024 * 1024 - 1 };

static void probes_are_rare_while_some_room_is_left(void **state)
{
	struct storage storage = {0};
	uint64_t mark;

	(void)state;
	storage_set_room(&storage, SHORT_BYTES);
	assert_true(storage_is_short(&storage));
	assert_false(storage_is_full(&storage));
	assert_true(storage_wants_probe(&storage, 5000, &mark));
	assert_false(storage_wants_probe(&storage, 64999, &mark)); /* each takes some room */
	storage_set_room(&storage, NONE_BYTES + 1);
	assert_false(storage_wants_probe(&storage, 64999, &mark));
	assert_true(storage_wants_probe(&storage, 65000, &mark));
}

static void probes_come_at_once_when_none_is_left(void **state)
{
	struct storage storage = {0};
	uint64_t mark;

	(void)state;
	storage_set_room(&storage, SHORT_BYTES);
	assert_true(storage_wants_probe(&storage, 5000, &mark));
	storage_set_room(&storage, NONE_BYTES);
	assert_true(storage_is_short(&storage));
	assert_false(storage_wants_probe(&storage, 5999, &mark));
	assert_true(storage_wants_probe(&storage, 6000, &mark));
}

static void nobody_asks_where_there_is_enough(void **state)
{
	struct storage storage = {0};

	(void)state;
	storage_set_room(&storage, NONE_BYTES);
	storage_set_room(&storage, SHORT_BYTES + 1);
	assert_false(storage_is_short(&storage));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(probes_are_rare_while_some_room_is_left),
	    cmocka_unit_test(probes_come_at_once_when_none_is_left),
	    cmocka_unit_test(nobody_asks_where_there_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
