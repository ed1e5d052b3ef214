/* Tests which events are kept, and which readers have missed some. */
#include "base/limits.h"
#include "ring.h"

#include "../cmocka_test.h"

static const uint8_t *id_of(unsigned number)
{
	static uint8_t id[EVENT_ID_BYTES];

	memcpy(id, &number, sizeof(number));
	return id;
}

static bool append(struct ring *ring, unsigned number, uint64_t now_ms)
{
	return ring_append(ring, now_ms, id_of(number), (struct id){0}, "pushed", STR("{}"));
}

TEST(test_order)
{
	struct ring ring = {0};
	uint64_t number;

	assert_null(ring_at(&ring, 0));
	for (unsigned i = 0; i < 1000; i++)
		assert_true(append(&ring, i, i));
	assert_int_equal(ring_next(&ring), 1000);
	for (unsigned i = 0; i < 1000; i++) {
		assert_memory_equal(ring_at(&ring, i)->id, id_of(i), EVENT_ID_BYTES);
		assert_true(ring_find(&ring, id_of(i), &number));
		assert_int_equal(number, i);
	}
	assert_null(ring_at(&ring, 1000));
	assert_false(ring_find(&ring, id_of(1000), &number));
	ring_finish(&ring);
}

/* A repeated hint is a single event. */
TEST(test_twice)
{
	struct ring ring = {0};

	assert_true(append(&ring, 1, 0));
	assert_true(append(&ring, 2, 0));
	assert_false(append(&ring, 1, 0));
	assert_int_equal(ring_next(&ring), 2);
	ring_finish(&ring);
}

TEST(test_ten_minutes)
{
	struct ring ring = {0};
	uint64_t number;

	for (unsigned i = 0; i < 100; i++)
		append(&ring, i, i * 1000);
	ring_expire(&ring, 50 * 1000);
	assert_int_equal(ring.first, 50);
	assert_null(ring_at(&ring, 49));
	assert_non_null(ring_at(&ring, 50));
	assert_false(ring_find(&ring, id_of(49), &number));
	assert_true(ring_find(&ring, id_of(50), &number));
	/* The ring wraps around. */
	for (unsigned i = 100; i < 300; i++)
		append(&ring, i, i * 1000);
	for (unsigned i = 50; i < 300; i++)
		assert_memory_equal(ring_at(&ring, i)->id, id_of(i), EVENT_ID_BYTES);
	ring_expire(&ring, UINT64_MAX);
	assert_int_equal(ring.bytes, 0);
	assert_int_equal(ring.count, 0);
	ring_finish(&ring);
}

/* A reader that has read everything has also missed some. */
TEST(test_loss)
{
	struct ring ring = {0};
	uint64_t next;

	append(&ring, 1, 0);
	next = ring_next(&ring);
	ring_lose(&ring);
	assert_true(next < ring.first);
	assert_int_equal(ring_next(&ring), ring.first);
	append(&ring, 2, 0);
	assert_memory_equal(ring_at(&ring, ring.first)->id, id_of(2), EVENT_ID_BYTES);
	ring_finish(&ring);
}

RUN_TESTS(NULL, NULL)
