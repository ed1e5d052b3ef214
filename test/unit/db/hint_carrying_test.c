/* Tests that one of several workers listens to hints for all. */
#include "base/limits.h"
#include "db_private.h"
#include "hint_carrying.h"
#include "hint_holding.h"
#include "hint_writers.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 3 };

static const char beat_table[] =
    "CREATE TABLE hint_beat (instance uuid, worker int4, through_at timestamptz,"
    " seen_at timestamptz, has_left bool DEFAULT false, PRIMARY KEY (instance, worker))";

struct worker {
	struct db *db;
	struct hint_subscription all, once;
	char words[64 * 1024];
	unsigned ups, downs, once_count;
	uint64_t heard_ms;
};

static struct worker workers[WORKERS];
static struct region_map *memory;

static void on_word(struct hint_subscription *subscription, struct str word)
{
	struct worker *worker = container_of(subscription, struct worker, all);
	size_t length = strlen(worker->words);

	snprintf(worker->words + length, sizeof(worker->words) - length, "%.*s ", STR_ARG(word));
}

static void on_once(struct hint_subscription *subscription, struct str word)
{
	(void)word;
	container_of(subscription, struct worker, once)->once_count++;
}

static void on_up(struct hint_subscription *subscription, bool up)
{
	struct worker *worker = container_of(subscription, struct worker, all);

	worker->ups += up;
	worker->downs += !up;
}

static void on_heard(struct hint_subscription *subscription, uint64_t before_ms)
{
	container_of(subscription, struct worker, all)->heard_ms = before_ms;
}

static void open_worker(unsigned number)
{
	struct db_settings settings = usual_settings();
	struct worker *worker = &workers[number];

	settings.instance = (struct id){{1}};
	settings.worker = number;
	settings.worker_slots = WORKERS;
	settings.hint_memory = memory;
	*worker = (struct worker){
	    .all = {.on_hint = on_word, .on_up = on_up, .on_heard = on_heard},
	    .once = {.kind = STR("read"), .is_once = true, .on_hint = on_once},
	};
	worker->db = db_create(&world.loop, &settings);
	worker->db->hints.on_unseen = NULL; /* its statement is not one of those of tests */
	db_subscribe(worker->db, &worker->all);
	db_subscribe(worker->db, &worker->once);
	turn_until(db_hints_are_up(worker->db));
}

static void on_closed(void *context)
{
	*(bool *)context = true;
}

static void close_worker(unsigned number)
{
	bool closed = false;

	db_close(workers[number].db, 60000, on_closed, &closed);
	turn_until(closed);
	db_destroy(workers[number].db);
	workers[number].db = NULL;
}

static int open_all(void **state)
{
	static const struct region *const regions[] = {&hint_region};

	(void)state;
	run_sql(beat_table);
	open_world(NULL);
	memory = region_map_create(regions, 1, WORKERS);
	assert_non_null(memory);
	for (unsigned i = 0; i < WORKERS; i++)
		open_worker(i);
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WORKERS; i++)
		if (workers[i].db)
			close_worker(i);
	close_world();
	region_map_destroy(memory);
	run_sql("DROP TABLE hint_beat");
	return 0;
}

#define SCENE(function) TEST_IN(function, open_all, close_all)

static bool carries(unsigned number)
{
	return workers[number].db && hint_carrying_is_carrier(&workers[number].db->hints);
}

static unsigned carrier(void)
{
	for (unsigned i = 0; i < WORKERS; i++)
		if (carries(i))
			return i;
	return WORKERS;
}

static bool all_have(const char *word)
{
	for (unsigned i = 0; i < WORKERS; i++)
		if (workers[i].db && !strstr(workers[i].words, word))
			return false;
	return true;
}

static void forget_words(void)
{
	for (unsigned i = 0; i < WORKERS; i++)
		workers[i].words[0] = '\0';
}

SCENE(one_listens_for_all)
{
	unsigned once_count = 0;

	assert_int_equal(carrier(), 0);
	for (unsigned i = 0; i < WORKERS; i++) {
		assert_int_equal(workers[i].db->hints.carrying.is_listening, i == 0);
		db_hint(workers[i].db, STR("newer:kind"));
		turn_until(all_have("newer:kind "));
		forget_words();
	}
	db_hint(workers[1].db, STR("read:1"));
	turn_until(all_have("read:1 "));
	for (unsigned i = 0; i < WORKERS; i++)
		once_count += workers[i].once_count;
	assert_int_equal(once_count, 1);
}

SCENE(hints_are_heard_by_all)
{
	uint64_t now_ms = loop_now_ms(&world.loop);

	for (unsigned i = 0; i < WORKERS; i++)
		turn_until(workers[i].heard_ms > now_ms);
}

SCENE(the_next_takes_over)
{
	close_worker(0);
	turn_until(carrier() != WORKERS && db_hints_are_up(workers[1].db) &&
		   db_hints_are_up(workers[2].db));
	for (unsigned i = 1; i < WORKERS; i++)
		turn_until(workers[i].ups == 2 && workers[i].downs == 1);
	db_hint(workers[1].db, STR("device:1:2"));
	turn_until(all_have("device:1:2 "));
	open_worker(0);
	assert_int_not_equal(carrier(), 0);
	db_hint(workers[0].db, STR("device:1:3"));
	turn_until(all_have("device:1:3 "));
}

/* Its hint connection is lost: another one takes over, and it reads what that one gets. */
SCENE(a_carrier_without_a_connection_is_replaced)
{
	char sql[100];

	snprintf(sql, sizeof(sql), "SELECT pg_terminate_backend(%d)",
		 PQbackendPID(workers[0].db->hints.connection.pg));
	run_sql(sql);
	turn_until(carrier() != 0 && carrier() != WORKERS);
	for (unsigned i = 0; i < WORKERS; i++)
		turn_until(db_hints_are_up(workers[i].db));
	db_hint(workers[0].db, STR("device:1:2"));
	turn_until(all_have("device:1:2 "));
}

/* Acts as if its process were stopped: it does nothing, and says nothing to the others. */
SCENE(a_carrier_that_hangs_is_replaced)
{
	struct hints *hung = &workers[0].db->hints;
	struct connection *connection = &hung->connection;

	deadline_clear(&world.loop, &hung->ping);
	deadline_clear(&world.loop, &hung->pause);
	hung->is_leaving = true;
	connection_pause(connection);
	turn_until(carrier() == 1 || carrier() == 2);
	for (unsigned i = 1; i < WORKERS; i++)
		turn_until(db_hints_are_up(workers[i].db) && workers[i].ups == 2);
	db_hint(workers[1].db, STR("device:1:2"));
	turn_until(strstr(workers[2].words, "device:1:2 "));
	/* It goes on: it is not the carrier any more. */
	hung->is_leaving = false;
	connection_resume(connection);
	deadline_set(&world.loop, &hung->ping, 0);
	turn_until(workers[0].ups == 2 && !hung->carrying.is_listening);
	forget_words();
	db_hint(workers[1].db, STR("device:1:3"));
	turn_until(all_have("device:1:3 "));
}

/* More words than the log holds come before a worker reads: it begins anew. */
SCENE(a_worker_that_falls_behind_begins_anew)
{
	struct hint_slot *slot = region_slot(memory, &hint_region, 0);
	char word[LIMIT_HINT_WORD_BYTES];

	memset(word, 'w', sizeof(word));
	for (unsigned i = 0; i < 2 * HINT_LOG_BYTES / sizeof(word); i++)
		hint_log_add(&slot->in, (struct str){word, sizeof(word)});
	db_hint(workers[1].db, STR("device:1:2"));
	for (unsigned i = 0; i < WORKERS; i++)
		turn_until(workers[i].ups == 2 && workers[i].downs == 1);
	forget_words();
	db_hint(workers[1].db, STR("device:1:3"));
	turn_until(all_have("device:1:3 "));
}

static uint64_t holders(const char *word)
{
	return hint_holders(region_common(memory, &hint_region), str_from(word));
}

/* A word wakes those that hold its device, and all if its kind is of no device, or newer. */
SCENE(words_wake_holders)
{
	struct id id = {{0x01, 0x90}}, other = {{0x01, 0x91}};
	char device[sizeof("device:") + ID_TEXT_LENGTH] = "device:";
	char watch[sizeof("watch:") + ID_TEXT_LENGTH] = "watch:";

	id_format(id, device + strlen("device:"));
	id_format(other, watch + strlen("watch:"));
	assert_int_equal(holders(device), 0);
	db_hint_hold(workers[1].db, id);
	db_hint_hold(workers[1].db, id);
	db_hint_hold(workers[2].db, other);
	assert_int_equal(holders(device), hint_worker_bit(2));
	assert_int_equal(holders(watch), hint_worker_bit(3));
	db_hint_release(workers[1].db, id);
	assert_int_equal(holders(device), hint_worker_bit(2));
	db_hint_release(workers[1].db, id);
	db_hint_release(workers[2].db, other);
	assert_int_equal(holders(device), 0);
	db_hint_hold_all(workers[0].db);
	assert_int_equal(holders(watch), hint_worker_bit(1));
	db_hint_release_all(workers[0].db);
	assert_int_equal(holders("read:all"), 0);
	assert_true(holders("key:00") == HINT_ALL_WORKERS);
	assert_true(holders("device:") == HINT_ALL_WORKERS);
	assert_true(holders("device:x:1") == HINT_ALL_WORKERS);
	assert_true(holders("newer:kind") == HINT_ALL_WORKERS);
	assert_true(holders("newer") == HINT_ALL_WORKERS);
}

/* The supervisor has seen the carrier's end before others notice it. */
SCENE(a_carrier_that_has_ended_is_replaced_at_once)
{
	hint_worker_ended(memory, WORKERS, 1);
	assert_int_equal(carrier(), 0);
	hint_worker_ended(memory, WORKERS, 0);
	turn_until(carrier() != WORKERS);
	for (unsigned i = 0; i < WORKERS; i++)
		turn_until(db_hints_are_up(workers[i].db) && workers[i].ups == 2);
}

/* Words that a worker leaves in its log when it dies are sent. */
SCENE(words_of_a_dead_worker_are_sent)
{
	struct hint_slot *slot = region_slot(memory, &hint_region, 2);

	hint_log_add(&slot->out, STR("device:1:2"));
	turn_until(all_have("device:1:2 "));
	turn_until(hint_writers_are_sent(slot));
}

/* The log of a worker is full: it goes on once the carrier has sent what is there. */
SCENE(a_log_of_words_to_send_is_full)
{
	struct hint_slot *slot = region_slot(memory, &hint_region, 2);
	char word[LIMIT_HINT_WORD_BYTES];

	memset(word, 'w', sizeof(word));
	while (db_hint_room(workers[2].db) > 0)
		db_hint(workers[2].db, (struct str){word, sizeof(word)});
	assert_true(atomic_load(&slot->lost_ms) != 0);
	turn_until(atomic_load(&slot->lost_ms) == 0);
	forget_words();
	db_hint(workers[2].db, STR("device:1:2"));
	turn_until(all_have("device:1:2 "));
}

SCENE(the_server_is_started_again)
{
	control("restart");
	for (unsigned i = 0; i < WORKERS; i++)
		turn_until(workers[i].ups >= 2 && db_hints_are_up(workers[i].db));
	db_hint(workers[2].db, STR("device:1:2"));
	turn_until(all_have("device:1:2 "));
}

RUN_TESTS(make_tables, NULL)
