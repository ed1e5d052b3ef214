#include "../cmocka_test.h"
#include "delivery/cursor_table.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct cursor_table *memory;
static struct cursors cursors;
static const struct cursors *const table = &cursors;

static int set_up(void **state)
{
	(void)state;
	/* Shared with processes that a test forks. */
	memory = mmap(NULL, cursor_region.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	cursor_region.init(memory);
	cursors = cursors_join(memory, 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(munmap(memory, cursor_region.size), 0);
	return 0;
}

static struct id id_of(unsigned number)
{
	struct id id = {0};

	memcpy(id.bytes, &number, sizeof(number));
	return id;
}

static void set(const struct cursors *worker, struct id id, const struct poll_cursor *cursor,
		int64_t wall_us)
{
	cursor_set(worker, id, cursor, &(struct cursor_moment){.wall_us = wall_us});
}

#define SCENE(function) TEST_IN(function, set_up, tear_down)

SCENE(an_unknown_device_starts_anew)
{
	struct poll_cursor cursor = cursor_get(table, id_of(1));

	assert_int_equal(cursor.position, -1);
	assert_int_equal(cursor.push_seen, 0);
	assert_int_equal(cursor.remaining_s, 0);
	assert_int_equal(cursor.turns_seen, -1);
	assert_int_equal(cursor_shown_us(table, id_of(1), 0), 0);
}

SCENE(workers_know_those_of_their_instance)
{
	const struct cursors other = cursors_join(memory, 1);
	struct id one = cursors_name_worker(table), second = cursors_name_worker(&other);

	assert_false(id_equal(one, second));
	assert_true(cursors_have_worker(table, one) && cursors_have_worker(table, second));
	assert_true(cursors_have_worker(&other, one));
	assert_false(cursors_have_worker(table, id_new()));
}

SCENE(what_is_set_is_there)
{
	struct poll_cursor cursor = {.position = 7,
				     .push_seen = 9,
				     .remaining_s = 86400,
				     .remains_of_push = true,
				     .turns_seen = 11};
	struct poll_cursor found;

	set(table, id_of(1), &cursor, 5);
	found = cursor_get(table, id_of(1));
	assert_int_equal(found.position, 7);
	assert_int_equal(found.push_seen, 9);
	assert_int_equal(found.remaining_s, 86400);
	assert_true(found.remains_of_push);
	assert_int_equal(found.turns_seen, 11);
	assert_int_equal(cursor_get(table, id_of(2)).position, -1);
}

SCENE(the_last_worker_has_set_it)
{
	const struct cursors other = cursors_join(memory, 1);
	const struct poll_cursor cursor = {.position = 7};

	set(table, id_of(1), &cursor, 5);
	assert_true(cursor_was_set_here(table, id_of(1)));
	assert_false(cursor_was_set_here(&other, id_of(1)));
	assert_int_equal(cursor_set_elsewhere_us(table, id_of(1)), 0);
	assert_int_equal(cursor_set_elsewhere_us(&other, id_of(1)), 5);
	set(&other, id_of(1), &cursor, 6);
	assert_false(cursor_was_set_here(table, id_of(1)));
	assert_true(cursor_was_set_here(&other, id_of(1)));
	assert_int_equal(cursor_set_elsewhere_us(table, id_of(1)), 6);
	assert_int_equal(cursor_set_elsewhere_us(table, id_of(2)), 0);
	assert_true(cursor_link(table, id_of(1)));
	assert_int_equal(cursor_set_elsewhere_us(&other, id_of(1)), 0);
	assert_false(cursor_was_set_here(table, id_of(1)));
	assert_false(cursor_was_set_here(&other, id_of(1)));
	assert_int_equal(cursor_get(table, id_of(1)).position, 7);
}

SCENE(the_last_contact_is_known)
{
	const struct cursors other = cursors_join(memory, 1);
	const struct poll_cursor cursor = {.position = 7};
	struct cursor_contact contact = cursor_contact(table, id_of(1));

	assert_false(contact.is_linked || contact.polled_us || contact.left_us);
	set(table, id_of(1), &cursor, 5);
	assert_int_equal(cursor_contact(&other, id_of(1)).polled_us, 5);
	assert_true(cursor_link(&other, id_of(1)));
	contact = cursor_contact(table, id_of(1));
	assert_true(contact.is_linked && !contact.polled_us && !contact.left_us);
	/* The end of an older WebSocket changes nothing. */
	assert_true(cursor_unlink(table, id_of(1), 8));
	assert_true(cursor_contact(table, id_of(1)).is_linked);
	assert_true(cursor_unlink(&other, id_of(1), 9));
	contact = cursor_contact(table, id_of(1));
	assert_true(!contact.is_linked && contact.left_us == 9);
	/* WebSockets end with their worker. */
	assert_true(cursor_link(&other, id_of(1)));
	assert_true(cursor_link(table, id_of(2)));
	cursors_join(memory, 1);
	assert_false(cursor_contact(table, id_of(1)).is_linked);
	assert_true(cursor_contact(table, id_of(2)).is_linked);
}

/* A poll that another instance tells of. */
static void take(const struct cursors *worker, struct id id, uint32_t number, int64_t position,
		 uint64_t loop_ms)
{
	const struct cursor_travel travel = {.cursor = {.position = position, .turns_seen = -1},
					     .number = number};

	cursor_take(worker, id, &travel, &(struct cursor_moment){.loop_ms = loop_ms});
}

static void poll_at(uint64_t loop_ms, int64_t position)
{
	cursor_set(table, id_of(1), &(struct poll_cursor){.position = position},
		   &(struct cursor_moment){.loop_ms = loop_ms});
}

SCENE(a_poll_elsewhere_goes_on_here)
{
	const struct cursors other = cursors_join(memory, 1);

	poll_at(1000, 3);
	take(table, id_of(1), 2, 4, 3000);
	assert_int_equal(cursor_get(table, id_of(1)).position, 4);
	assert_false(cursor_was_set_here(table, id_of(1)));
	assert_int_equal(cursor_set_elsewhere_us(table, id_of(1)), 0);
	poll_at(5000, 5);
	/* Another worker of this instance hears it late. */
	take(&other, id_of(1), 2, 4, 9000);
	assert_int_equal(cursor_get(table, id_of(1)).position, 5);
	take(table, id_of(1), 4, 6, 9000);
	assert_int_equal(cursor_get(table, id_of(1)).position, 6);
}

SCENE(of_two_polls_at_once_the_larger_number_counts)
{
	struct cursor_travel travel;

	poll_at(1000, 3);
	poll_at(2000, 4);
	assert_true(cursor_tell(table, id_of(1), 1, 1, 2000, &travel));
	take(table, id_of(1), 2, 7, 2100);
	assert_int_equal(cursor_get(table, id_of(1)).position, 4);
	take(table, id_of(1), 3, 8, 2200);
	assert_int_equal(cursor_get(table, id_of(1)).position, 8);
}

/* An instance that has begun anew counts from 1, one that was alone has counted far. */
SCENE(numbers_of_instances_may_differ_widely)
{
	for (unsigned i = 1; i <= 500; i++)
		poll_at(i * 1000, 3);
	take(table, id_of(1), 2, 4, 600 * 1000);
	assert_int_equal(cursor_get(table, id_of(1)).position, 4);
	take(table, id_of(1), 900, 5, 602 * 1000);
	take(table, id_of(1), 1, 6, 604 * 1000);
	assert_int_equal(cursor_get(table, id_of(1)).position, 6);
}

SCENE(a_websocket_here_outweighs_polls_elsewhere)
{
	assert_true(cursor_link(table, id_of(1)));
	cursor_move(table, id_of(1), 3);
	take(table, id_of(1), 2, 4, 3000);
	assert_int_equal(cursor_get(table, id_of(1)).position, 3);
	assert_true(cursor_contact(table, id_of(1)).is_linked);
}

SCENE(only_what_others_must_know_is_told)
{
	struct cursor_travel travel;

	poll_at(1000, 3);
	assert_true(cursor_tell(table, id_of(1), 500, 1, 1000, &travel));
	assert_int_equal(travel.number, 1);
	assert_int_equal(travel.cursor.position, 3);
	poll_at(2000, 4);
	assert_false(cursor_tell(table, id_of(1), 500, 1, 2000, &travel));
	/* Another instance has come. */
	assert_true(cursor_tell(table, id_of(1), 1500, 1, 2000, &travel));
	assert_int_equal(travel.number, 2);
	/* It roams until it was nowhere else for long. */
	take(table, id_of(1), 3, 5, 3000);
	poll_at(4000, 6);
	assert_true(cursor_tell(table, id_of(1), 1500, 2500, 4000, &travel));
	assert_int_equal(travel.number, 4);
	assert_true(cursor_tell(table, id_of(1), 1500, 2500, 5000, &travel));
	assert_false(cursor_tell(table, id_of(1), 1500, 3500, 6000, &travel));
}

SCENE(devices_of_elsewhere_displace_none_of_here)
{
	enum { HERE = 20 * 1000, ELSEWHERE = 200 * 1000 };
	unsigned known = 0, before = 0;

	for (unsigned i = 0; i < HERE; i++)
		set(table, id_of(i), &(struct poll_cursor){.position = i}, 5);
	for (unsigned i = 0; i < HERE; i++)
		before += cursor_get(table, id_of(i)).position == i;
	for (unsigned i = HERE; i < ELSEWHERE; i++)
		take(table, id_of(i), 1, i, 1000);
	for (unsigned i = 0; i < HERE; i++)
		known += cursor_get(table, id_of(i)).position == i;
	assert_int_equal(known, before);
}

/* The WebSocket has used up turns that earlier polls had not seen. */
SCENE(a_websocket_forgets_the_turns)
{
	const struct poll_cursor cursor = {.position = 7, .turns_seen = 11};

	set(table, id_of(1), &cursor, 5);
	assert_true(cursor_link(table, id_of(1)));
	assert_true(cursor_unlink(table, id_of(1), 6));
	assert_int_equal(cursor_get(table, id_of(1)).turns_seen, -1);
	set(table, id_of(1), &cursor, 7);
	cursor_move(table, id_of(1), 8);
	assert_int_equal(cursor_get(table, id_of(1)).turns_seen, -1);
	cursor_set_shown(table, id_of(2), 5, 123456);
	assert_int_equal(cursor_get(table, id_of(2)).turns_seen, -1);
}

SCENE(a_move_ends_what_remains)
{
	struct poll_cursor cursor = {.position = 7, .push_seen = 9, .remaining_s = 100};

	set(table, id_of(1), &cursor, 5);
	cursor_move(table, id_of(1), 8);
	assert_int_equal(cursor_get(table, id_of(1)).position, 8);
	assert_int_equal(cursor_get(table, id_of(1)).push_seen, 9);
	assert_int_equal(cursor_get(table, id_of(1)).remaining_s, 0);
}

/* The panel left a worker without closing, and has a WebSocket to another one. */
SCENE(a_dead_link_moves_nothing)
{
	const struct cursors other = cursors_join(memory, 1);

	assert_true(cursor_link(table, id_of(1)));
	cursor_move(table, id_of(1), 7);
	assert_true(cursor_link(&other, id_of(1)));
	cursor_move(table, id_of(1), 8);
	assert_int_equal(cursor_get(&other, id_of(1)).position, 7);
	cursor_move(&other, id_of(1), 9);
	assert_true(cursor_unlink(table, id_of(1), 5));
	assert_true(cursor_contact(&other, id_of(1)).is_linked);
	assert_int_equal(cursor_get(table, id_of(1)).position, 9);
	/* The remaining one of several panel connections continues. */
	assert_true(cursor_unlink(&other, id_of(1), 6));
	assert_false(cursor_contact(table, id_of(1)).is_linked);
	cursor_move(table, id_of(1), 10);
	assert_true(cursor_contact(table, id_of(1)).is_linked);
	assert_int_equal(cursor_get(table, id_of(1)).position, 10);
}

SCENE(a_push_is_shown_from_when_it_was)
{
	cursor_set_shown(table, id_of(1), 5, 123456);
	assert_int_equal(cursor_shown_us(table, id_of(1), 5), 123456);
	assert_int_equal(cursor_shown_us(table, id_of(1), 4), 0);
	assert_int_equal(cursor_shown_us(table, id_of(2), 5), 0);
	assert_int_equal(cursor_get(table, id_of(1)).position, -1);
}

SCENE(what_was_used_last_stays)
{
	enum { DEVICES = 200 * 1000 };
	unsigned known = 0;

	for (unsigned i = 0; i < DEVICES; i++)
		cursor_move(table, id_of(i), i);
	for (unsigned i = DEVICES - 100; i < DEVICES; i++)
		known += cursor_get(table, id_of(i)).position == i;
	assert_int_equal(known, 100);
	for (unsigned i = 0; i < DEVICES; i++) {
		int64_t position = cursor_get(table, id_of(i)).position;

		assert_true(position == -1 || position == i);
	}
}

/* Writes all values that one worker writes at a time. */
static void write_number(const struct cursors *writer, int64_t number)
{
	const struct poll_cursor cursor = {.position = number,
					   .push_seen = number,
					   .remaining_s = number % 1000,
					   .remains_of_push = number % 2 != 0};

	set(writer, id_of(1), &cursor, 5);
}

static void assert_one_writers(const struct cursors *reader)
{
	struct poll_cursor cursor = cursor_get(reader, id_of(1));
	int64_t number = cursor.position;

	if (number == -1) /* not yet */
		return;
	assert_int_equal(cursor.push_seen, number);
	assert_int_equal(cursor.remaining_s, number % 1000);
	assert_int_equal(cursor.remains_of_push, number % 2);
}

enum { WRITERS = 3, WRITES = 100 * 1000 };
static _Atomic unsigned writers_left;

static void *write_numbers(void *argument)
{
	unsigned worker = *(const unsigned *)argument;
	struct cursors writer = cursors_join(memory, worker);

	for (int64_t i = 0; i < WRITES; i++)
		write_number(&writer, (int64_t)worker * WRITES + i);
	writers_left--;
	return NULL;
}

SCENE(what_two_workers_write_is_never_mixed)
{
	static const unsigned workers[WRITERS] = {1, 2, 3};
	pthread_t threads[WRITERS];

	writers_left = WRITERS;
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, write_numbers, (void *)&workers[i]), 0);
	while (writers_left)
		assert_one_writers(table);
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_one_writers(table);
}

/* Writes until it is killed, perhaps in the middle of a write. */
static pid_t begin_writer(unsigned worker)
{
	pid_t pid = fork();
	struct cursors writer;

	if (pid)
		return pid;
	writer = cursors_join(memory, worker);
	for (int64_t i = 0;; i++)
		write_number(&writer, i);
}

SCENE(a_worker_that_dies_leaves_what_was_there)
{
	enum { ROUNDS = 100 };
	const struct poll_cursor mine = {.position = INT64_MAX};

	for (unsigned i = 0; i < ROUNDS; i++) {
		pid_t pid;

		set(table, id_of(1), &mine, 5);
		pid = begin_writer(1);
		while (cursor_get(table, id_of(1)).position == mine.position)
			;
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_one_writers(table);
		/* Its replacement has started. */
		cursors_join(memory, 1);
		set(table, id_of(1), &mine, 5);
		assert_int_equal(cursor_get(table, id_of(1)).position, mine.position);
	}
}

RUN_TESTS(NULL, NULL)
