#include "../cmocka_test.h"
#include "storage_common.h"

/* Largest room that counts as short, and largest that counts as none. */
enum { SHORT_BYTES = 64 * 1024 * 1024 - 1, NONE_BYTES = 1024 * 1024 - 1 };

/* Sets the free room of a disk that is far larger. */
static void set_room(struct storage *storage, uint64_t left_bytes)
{
	storage_set_room(storage, &(struct disk_room){left_bytes, UINT64_C(1) << 50});
}

static bool takes_pictures(uint64_t left_bytes, uint64_t all_bytes)
{
	struct storage storage = {0};

	storage_set_room(&storage, &(struct disk_room){left_bytes, all_bytes});
	return storage_takes_pictures(&storage);
}

TEST(the_last_part_takes_no_pictures)
{
	const uint64_t mib = 1024 * 1024, gib = 1024 * mib;
	struct storage unknown = {0};

	assert_true(storage_takes_pictures(&unknown));
	assert_true(takes_pictures(UINT64_MAX, 0)); /* the room is unknown */
	assert_true(takes_pictures(8 * mib, 160 * mib));
	assert_false(takes_pictures(8 * mib - 1, 160 * mib));
	assert_true(takes_pictures(gib, 20 * gib));
	assert_false(takes_pictures(gib - 1, 20 * gib));
	assert_true(takes_pictures(gib, 1000 * gib));
	assert_false(takes_pictures(gib - 1, 1000 * gib));
}

TEST(probes_are_rare_while_some_room_is_left)
{
	struct storage storage = {0};
	uint64_t mark;

	set_room(&storage, SHORT_BYTES);
	assert_true(storage_is_short(&storage));
	assert_false(storage_is_full(&storage));
	assert_true(storage_wants_probe(&storage, 5000, &mark));
	assert_false(storage_wants_probe(&storage, 64999, &mark)); /* each takes some room */
	set_room(&storage, NONE_BYTES + 1);
	assert_false(storage_wants_probe(&storage, 64999, &mark));
	assert_true(storage_wants_probe(&storage, 65000, &mark));
}

TEST(probes_come_at_once_when_none_is_left)
{
	struct storage storage = {0};
	uint64_t mark;

	set_room(&storage, SHORT_BYTES);
	assert_true(storage_wants_probe(&storage, 5000, &mark));
	set_room(&storage, NONE_BYTES);
	assert_true(storage_is_short(&storage));
	assert_false(storage_wants_probe(&storage, 5999, &mark));
	assert_true(storage_wants_probe(&storage, 6000, &mark));
}

TEST(nobody_asks_where_there_is_enough)
{
	struct storage storage = {0};

	set_room(&storage, NONE_BYTES);
	set_room(&storage, SHORT_BYTES + 1);
	assert_false(storage_is_short(&storage));
}

RUN_TESTS(NULL, NULL)
