/* Tests the log of words between processes: with readers on other threads, and with a writer that
 * is killed after each of its steps. */
#include "../cmocka_test.h"
#include "hint_log.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Steps after which this process kills itself; 0: it does not. */
static unsigned steps_left;

/* All that others see of a writer are its stores. */
static void store(_Atomic uint64_t *at, uint64_t value, memory_order order)
{
	atomic_store_explicit(at, value, order);
	if (steps_left && --steps_left == 0)
		kill(getpid(), SIGKILL);
}

#undef atomic_store_explicit
#define atomic_store_explicit(at, value, order) store(at, value, order)
#include "hint_log.c" /* NOLINT(bugprone-suspicious-include): with these stores */

static struct hint_log *shared;

static int set_up(void **state)
{
	(void)state;
	shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(shared, MAP_FAILED);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(munmap(shared, sizeof(*shared)), 0);
	return 0;
}

#define SCENE(function) TEST_IN(function, set_up, tear_down)

static char room[HINT_LOG_ROOM];

/* Words of all lengths: each names its number, which its filling depends on. */
static struct str word_of(unsigned number, char text[static LIMIT_HINT_WORD_BYTES])
{
	int start = snprintf(text, LIMIT_HINT_WORD_BYTES, "%u:", number);
	size_t length = (size_t)start + number % 97 * (number % 53 == 0 ? 20 : 1);

	memset(text + start, 'a' + number % 26, length - (size_t)start);
	return (struct str){text, length};
}

/* Returns its number. Fails unless the word is complete. */
static unsigned check_word(struct str word)
{
	char text[LIMIT_HINT_WORD_BYTES];
	unsigned number = 0;

	for (size_t i = 0; i < word.length && word.data[i] != ':'; i++)
		number = number * 10 + (unsigned)(word.data[i] - '0');
	assert_true(str_equal(word, word_of(number, text)));
	return number;
}

SCENE(words_come_in_order)
{
	char text[LIMIT_HINT_WORD_BYTES];
	uint64_t position = 0;
	struct str word;

	assert_int_equal(hint_log_read(shared, &position, room, &word), HINT_LOG_END);
	for (unsigned i = 0; i < 10000; i++) {
		hint_log_add(shared, word_of(i, text));
		assert_int_equal(hint_log_read(shared, &position, room, &word), HINT_LOG_WORD);
		assert_int_equal(check_word(word), i);
		assert_int_equal(hint_log_read(shared, &position, room, &word), HINT_LOG_END);
	}
}

SCENE(a_reader_that_falls_behind_is_told)
{
	char text[LIMIT_HINT_WORD_BYTES];
	uint64_t position = 0;
	struct str word;

	for (unsigned i = 0; hint_log_head(shared) <= HINT_LOG_BYTES; i++)
		hint_log_add(shared, word_of(i, text));
	assert_int_equal(hint_log_read(shared, &position, room, &word), HINT_LOG_LOST);
	position = hint_log_head(shared);
	assert_int_equal(hint_log_read(shared, &position, room, &word), HINT_LOG_END);
	hint_log_add(shared, word_of(7, text));
	assert_int_equal(hint_log_read(shared, &position, room, &word), HINT_LOG_WORD);
	assert_int_equal(check_word(word), 7);
}

enum { WORDS = 200000, READERS = 2 };

static void *read_all(void *seen)
{
	char own_room[sizeof(room)];
	uint64_t position = 0;
	unsigned next = 0;
	struct str word;

	while (next < WORDS) {
		enum hint_log_read read = hint_log_read(shared, &position, own_room, &word);
		unsigned number;

		if (read == HINT_LOG_LOST)
			position = hint_log_head(shared);
		if (read != HINT_LOG_WORD)
			continue;
		number = check_word(word);
		assert_true(number >= next);
		next = number + 1;
		++*(unsigned *)seen;
	}
	return NULL;
}

/* The last word is added until all readers have it. */
SCENE(readers_beside_a_writer_get_complete_words)
{
	pthread_t threads[READERS];
	unsigned seen[READERS] = {0};
	char text[LIMIT_HINT_WORD_BYTES];

	for (unsigned i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_all, &seen[i]), 0);
	for (unsigned i = 0; i < WORDS; i++)
		hint_log_add(shared, word_of(i, text));
	for (unsigned i = 0; i < READERS; i++) {
		while (pthread_tryjoin_np(threads[i], NULL) != 0)
			hint_log_add(shared, word_of(WORDS - 1, text));
		assert_in_range(seen[i], 1, WORDS);
	}
}

static unsigned read_to_end(uint64_t *position, unsigned next)
{
	struct str word;
	enum hint_log_read read;

	while ((read = hint_log_read(shared, position, room, &word)) != HINT_LOG_END) {
		if (read == HINT_LOG_LOST)
			*position = hint_log_head(shared);
		else
			next = check_word(word) + 1;
	}
	return next;
}

/* Returns whether a writer that is killed after this many steps has added both words before. */
static bool add_until_killed(unsigned steps, unsigned number)
{
	pid_t writer = fork();
	char text[LIMIT_HINT_WORD_BYTES];
	int status;

	if (writer == 0) {
		steps_left = steps;
		hint_log_add(shared, word_of(number, text));
		hint_log_add(shared, word_of(number + 1, text));
		_exit(0);
	}
	assert_true(writer > 0);
	assert_int_equal(waitpid(writer, &status, 0), writer);
	return WIFEXITED(status);
}

static void kill_at_each_step(unsigned first)
{
	uint64_t position = hint_log_head(shared);
	unsigned next = first;
	char text[LIMIT_HINT_WORD_BYTES];
	bool is_over = false;

	for (unsigned steps = 1; !is_over; steps++) {
		is_over = add_until_killed(steps, first);
		next = read_to_end(&position, 0);
		/* None, one or both; the word that the next writer adds follows. */
		assert_true(next == 0 || next == first + 1 || next == first + 2);
		assert_true(!is_over || next == first + 2);
		hint_log_add(shared, word_of(7, text));
		assert_int_equal(read_to_end(&position, 0), 8);
	}
}

SCENE(a_writer_may_be_killed_after_any_step)
{
	kill_at_each_step(1);
	kill_at_each_step(53); /* a long word */
}

/* Bytes that a writer reserved before it died count as overwritten: readers are told. */
SCENE(a_writer_may_be_killed_while_it_overwrites)
{
	char text[LIMIT_HINT_WORD_BYTES];
	uint64_t oldest;

	for (unsigned i = 0; hint_log_head(shared) < 2 * HINT_LOG_BYTES; i++)
		hint_log_add(shared, word_of(i, text));
	oldest = hint_log_head(shared) - HINT_LOG_BYTES;
	kill_at_each_step(53);
	assert_int_equal(hint_log_read(shared, &oldest, room, &(struct str){0}), HINT_LOG_LOST);
}

RUN_TESTS(NULL, NULL)
