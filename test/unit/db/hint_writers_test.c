/* Tests the words that workers leave to the carrier: with writers on other threads, and with
 * carriers that end at any point. */
#include "../cmocka_test.h"
#include "db/hints.h"
#include "hint_writers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 3, WORDS = 20000, PAYLOAD = 8000 };

static struct region_map *map;
static struct hint_gathering gathering;
static char payload[PAYLOAD];
static unsigned next[WORKERS];

static int set_up(void **state)
{
	static const struct region *const regions[] = {&hint_region};

	(void)state;
	map = region_map_create(regions, 1, WORKERS);
	assert_non_null(map);
	hint_gathering_init(&gathering, map, WORKERS);
	hint_gathering_begin(&gathering);
	memset(next, 0, sizeof(next));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	hint_gathering_finish(&gathering);
	region_map_destroy(map);
	return 0;
}

#define SCENE(function) TEST_IN(function, set_up, tear_down)

static struct hint_slot *slot_of(unsigned worker)
{
	return region_slot(map, &hint_region, worker);
}

static void add(unsigned worker, unsigned number)
{
	char word[64];
	int length = snprintf(word, sizeof(word), "%u:%u:%.*s", worker, number, (int)(number % 40),
			      "........................................");

	while (!hint_writers_add(slot_of(worker), (struct str){word, (size_t)length}, 1))
		;
}

/* A word comes after those of its worker before it; it may come again. */
static void take_word(struct str word)
{
	char *end;
	unsigned long worker = strtoul(word.data, &end, 10), number;

	assert_int_equal(*end, ':');
	number = strtoul(end + 1, &end, 10);
	assert_int_equal(*end, ':');
	assert_in_range(worker, 0, WORKERS - 1);
	assert_true(number <= next[worker]);
	if (number == next[worker])
		next[worker]++;
}

static size_t take(uint64_t now_ms)
{
	size_t length = hint_gathering_take(&gathering, payload, sizeof(payload), now_ms);
	struct str words = {payload, length}, word;

	while (str_next(&words, ' ', &word))
		if (word.length > 0)
			take_word(word);
	return length;
}

static void *write_all(void *context)
{
	unsigned worker = (unsigned)(uintptr_t)context;

	for (unsigned i = 0; i < WORDS; i++)
		add(worker, i);
	return NULL;
}

static bool has_all(void)
{
	for (unsigned i = 0; i < WORKERS; i++)
		if (next[i] < WORDS)
			return false;
	return true;
}

SCENE(no_word_is_lost_when_carriers_end)
{
	pthread_t threads[WORKERS];

	for (uintptr_t i = 0; i < WORKERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_all, (void *)i), 0);
	for (unsigned i = 0; !has_all(); i++) {
		take(1);
		/* Some end between the commit and their note of it. */
		if (i % 7 == 0)
			hint_gathering_begin(&gathering);
		else
			hint_gathering_note_sent(&gathering);
	}
	for (unsigned i = 0; i < WORKERS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	while (take(1) > 0)
		hint_gathering_note_sent(&gathering);
	assert_false(hint_gathering_has_words(&gathering));
}

/* A beat claims no more than was sent. */
SCENE(what_a_beat_may_claim)
{
	assert_int_equal(hint_gathering_through_ms(&gathering, 100), 100);
	add(0, 0);
	assert_int_equal(hint_gathering_through_ms(&gathering, 200), 0);
	take(210);
	assert_int_equal(hint_gathering_through_ms(&gathering, 220), 0);
	add(1, 0);
	hint_gathering_note_sent(&gathering);
	assert_int_equal(hint_gathering_through_ms(&gathering, 230), 210);
	assert_false(hint_writers_are_sent(slot_of(1)));
	take(240);
	hint_gathering_note_sent(&gathering);
	assert_int_equal(hint_gathering_through_ms(&gathering, 250), 250);
	assert_true(hint_writers_are_sent(slot_of(1)));
}

/* The next carrier sends what was not, and one that hung before it takes nothing back. */
SCENE(a_former_carrier_takes_nothing_back)
{
	struct hint_gathering former;

	hint_gathering_init(&former, map, WORKERS);
	add(0, 0);
	hint_gathering_begin(&former);
	hint_gathering_take(&former, payload, sizeof(payload), 1);
	add(0, 1);
	take(1);
	hint_gathering_note_sent(&gathering);
	hint_gathering_note_sent(&former);
	assert_true(hint_writers_are_sent(slot_of(0)));
	assert_int_equal(next[0], 2);
	hint_gathering_finish(&former);
}

static unsigned fill(unsigned worker)
{
	unsigned number = 0;
	char word[32];

	for (;; number++) {
		int length = snprintf(word, sizeof(word), "%u:%u:", worker, number);

		if (!hint_writers_add(slot_of(worker), (struct str){word, (size_t)length}, 50))
			return number;
	}
}

/* Words beyond are lost, and beats say so until the worker has made up for them. The others' words
 * are sent as before. */
SCENE(a_log_that_is_full)
{
	unsigned added = fill(0);

	assert_int_equal(hint_writers_room(slot_of(0)), 0);
	assert_int_equal(atomic_load(&slot_of(0)->lost_ms), 50);
	add(1, 0);
	while (take(90) > 0)
		hint_gathering_note_sent(&gathering);
	assert_int_equal(next[0], added);
	assert_int_equal(next[1], 1);
	assert_true(hint_writers_room(slot_of(0)) > 0);
	assert_int_equal(hint_gathering_through_ms(&gathering, 100), 50);
	atomic_store(&slot_of(0)->lost_ms, 0);
	assert_int_equal(hint_gathering_through_ms(&gathering, 100), 100);
}

/* A worker whose log is always full takes no room from the others. */
SCENE(workers_take_turns)
{
	fill(0);
	add(1, 0);
	for (unsigned i = 0; next[1] == 0; i++) {
		assert_in_range(i, 0, WORKERS);
		take(1);
		hint_gathering_note_sent(&gathering);
	}
}

SCENE(the_last_one_leaves)
{
	for (unsigned i = 0; i < WORKERS; i++) {
		atomic_store(&slot_of(i)->is_open, 1);
		atomic_store(&slot_of(i)->ran_ms, 1000);
	}
	assert_false(hint_writers_leave(map, WORKERS, slot_of(0), 1000));
	assert_false(hint_writers_leave(map, WORKERS, slot_of(1), 1000));
	assert_true(hint_writers_leave(map, WORKERS, slot_of(2), 1000));
}

RUN_TESTS(NULL, NULL)
