/* Tests the places for streams of a key in all workers. */
#include "base/limits.h"
#include "base/memory.h"
#include "events/events.h"
#include "key_slots.h"

#include "../cmocka_test.h"

static const struct region *const regions[] = {&event_region};

static const uint8_t *hash_of(unsigned key)
{
	static uint8_t hash[KEY_HASH_BYTES];

	memcpy(hash, &key, sizeof(key));
	return hash;
}

TEST(test_places)
{
	struct region_map *shared = region_map_create(regions, array_length(regions), 2);
	struct key_slots workers[2];
	int places[LIMIT_EVENT_STREAMS_OF_KEY];

	for (unsigned i = 0; i < 2; i++)
		key_slots_init(&workers[i], shared, i, 2);
	for (unsigned i = 0; i < LIMIT_EVENT_STREAMS_OF_KEY; i++) {
		places[i] = key_slots_take(&workers[i % 2], hash_of(7));
		assert_int_not_equal(places[i], KEY_SLOT_NONE);
	}
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(key_slots_take(&workers[i], hash_of(7)), KEY_SLOT_NONE);
		assert_int_not_equal(key_slots_take(&workers[i], hash_of(8)), KEY_SLOT_NONE);
	}
	key_slots_give_back(&workers[1], places[1]);
	places[1] = key_slots_take(&workers[0], hash_of(7));
	assert_int_not_equal(places[1], KEY_SLOT_NONE);
	assert_int_equal(key_slots_take(&workers[1], hash_of(7)), KEY_SLOT_NONE);
	/* A worker died, and its replacement starts: four of its five places are freed. */
	key_slots_init(&workers[0], shared, 0, 2);
	for (unsigned i = 0; i < 5; i++)
		assert_int_not_equal(key_slots_take(&workers[0], hash_of(7)), KEY_SLOT_NONE);
	assert_int_equal(key_slots_take(&workers[1], hash_of(7)), KEY_SLOT_NONE);
	region_map_destroy(shared);
}

RUN_TESTS(NULL, NULL)
