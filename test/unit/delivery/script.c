#include "script.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/limits.h"
#include "db/storage_common.h"
#include "delivery/balance_region.h"
#include "delivery/watch_region.h"
#include "task/rate.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEADLINES_MAX = 64, VALUES_MAX = 8192 };

/* 2026-11-20T12:00:00Z */
static const int64_t start_us = INT64_C(1795176000) * 1000000;
static const uint64_t start_ms = 1000 * 1000;

struct loop script_loop;
static int database; /* its address stands for the database */
struct db *const script_db = (struct db *)(void *)&database;
struct region_map *script_shared;
static struct cursors cursors;
const struct cursors *const script_cursors = &cursors;
struct change_table *script_changes;

static uint64_t now_ms;
static struct list due_later;
static struct deadline *deadlines[DEADLINES_MAX];
static unsigned deadline_count;
static bool is_up, hints_are_up;
static struct list subscriptions;
static char words[16 * 1024];
static size_t hint_room;
static uint64_t others_since_ms;
static struct list queries;
static struct arena values_arena;
static struct record_value values[VALUES_MAX];
static unsigned value_count, column_count;

int script_begin(void **state)
{
	static const struct region *const regions[] = {
	    &cursor_region, &change_region,  &rate_region,    &storage_region,
	    &watch_region,  &balance_region, &instance_region};

	(void)state;
	now_ms = start_ms;
	list_init(&due_later);
	list_init(&subscriptions);
	list_init(&queries);
	deadline_count = 0;
	is_up = hints_are_up = true;
	words[0] = '\0';
	hint_room = LIMIT_HINT_BYTES;
	others_since_ms = 0;
	script_shared = region_map_create(regions, array_length(regions), 1);
	assert_non_null(script_shared);
	cursors = cursors_join(region_common(script_shared, &cursor_region), 0);
	script_changes = region_common(script_shared, &change_region);
	return 0;
}

int script_end(void **state)
{
	(void)state;
	assert_true(list_is_empty(&due_later));
	assert_true(list_is_empty(&subscriptions));
	assert_true(list_is_empty(&queries));
	assert_int_equal(deadline_count, 0);
	arena_finish(&values_arena);
	region_map_destroy(script_shared);
	return 0;
}

/* ---- loop ---- */

uint64_t loop_now_ms(const struct loop *loop)
{
	assert_ptr_equal(loop, &script_loop);
	return now_ms;
}

void loop_later_init(struct later *later, void (*run)(struct later *later))
{
	list_init(&later->node);
	later->run = run;
}

void loop_later(struct loop *loop, struct later *later)
{
	assert_ptr_equal(loop, &script_loop);
	if (!list_is_linked(&later->node))
		list_append(&due_later, &later->node);
}

void loop_later_cancel(struct later *later)
{
	list_remove(&later->node);
}

void run_turns(void)
{
	struct list *node;

	while ((node = list_take_first(&due_later))) {
		struct later *later = container_of(node, struct later, node);

		later->run(later);
	}
}

void deadline_init(struct deadline *deadline, void (*run)(struct deadline *deadline))
{
	*deadline = (struct deadline){.run = run};
}

void deadline_clear(struct loop *loop, struct deadline *deadline)
{
	assert_ptr_equal(loop, &script_loop);
	if (!deadline->position)
		return;
	deadlines[deadline->position - 1] = deadlines[--deadline_count];
	deadlines[deadline->position - 1]->position = deadline->position;
	deadline->position = 0;
}

void deadline_set_at(struct loop *loop, struct deadline *deadline, uint64_t at_ms)
{
	assert_ptr_equal(loop, &script_loop);
	deadline->at_ms = at_ms;
	if (deadline->position)
		return;
	assert_true(deadline_count < DEADLINES_MAX);
	deadlines[deadline_count++] = deadline;
	deadline->position = deadline_count;
}

void deadline_set(struct loop *loop, struct deadline *deadline, uint64_t in_ms)
{
	deadline_set_at(loop, deadline, now_ms + in_ms);
}

bool deadline_is_set(const struct deadline *deadline)
{
	return deadline->position != 0;
}

static struct deadline *first_deadline(void)
{
	struct deadline *first = NULL;

	for (unsigned i = 0; i < deadline_count; i++) {
		if (!first || deadlines[i]->at_ms < first->at_ms)
			first = deadlines[i];
	}
	return first;
}

uint64_t next_deadline_ms(void)
{
	const struct deadline *first = first_deadline();

	if (!first)
		return UINT64_MAX;
	return first->at_ms > now_ms ? first->at_ms - now_ms : 0;
}

void pass_ms(uint64_t ms)
{
	uint64_t end_ms = now_ms + ms;
	unsigned rounds = 0;

	run_turns();
	while (next_deadline_ms() <= end_ms - now_ms) {
		struct deadline *first = first_deadline();

		assert_true(++rounds < 10000);
		if (first->at_ms > now_ms)
			now_ms = first->at_ms;
		deadline_clear(&script_loop, first);
		first->run(first);
		run_turns();
	}
	now_ms = end_ms;
}

int64_t script_wall_us(void)
{
	return start_us + (int64_t)(now_ms - start_ms) * 1000;
}

int64_t __wrap_clock_wall_us(void);
int64_t __wrap_clock_wall_us(void)
{
	return script_wall_us();
}

/* ---- database ---- */

bool db_is_up(const struct db *db)
{
	assert_ptr_equal(db, script_db);
	return is_up;
}

struct storage *db_storage(struct db *db)
{
	assert_ptr_equal(db, script_db);
	return region_common(script_shared, &storage_region);
}

bool db_keeps_order_of_reads(const struct db *db)
{
	assert_ptr_equal(db, script_db);
	return true;
}

size_t db_hint_room(const struct db *db)
{
	assert_ptr_equal(db, script_db);
	return hint_room;
}

uint64_t db_others_since_ms(const struct db *db)
{
	assert_ptr_equal(db, script_db);
	return others_since_ms;
}

bool db_hints_are_up(const struct db *db)
{
	assert_ptr_equal(db, script_db);
	return hints_are_up;
}

bool entries_expire;

void db_subscribe(struct db *db, struct hint_subscription *subscription)
{
	assert_ptr_equal(db, script_db);
	list_append(&subscriptions, &subscription->node);
}

void db_unsubscribe(struct hint_subscription *subscription)
{
	list_remove(&subscription->node);
}

void db_hint(struct db *db, struct str word)
{
	size_t length = strlen(words);

	assert_ptr_equal(db, script_db);
	assert_true(length + word.length + 2 < sizeof(words));
	snprintf(words + length, sizeof(words) - length, "%.*s ", STR_ARG(word));
}

void db_hint_hold(struct db *db, struct id device_id)
{
	(void)device_id;
	assert_ptr_equal(db, script_db);
}

void db_hint_release(struct db *db, struct id device_id)
{
	(void)device_id;
	assert_ptr_equal(db, script_db);
}

void db_hint_hold_all(struct db *db)
{
	assert_ptr_equal(db, script_db);
}

void db_hint_release_all(struct db *db)
{
	assert_ptr_equal(db, script_db);
}

void db_hint_look(struct db *db)
{
	assert_ptr_equal(db, script_db);
}

void set_hint_room(size_t bytes)
{
	hint_room = bytes;
}

const char *hints_sent(void)
{
	static char sent[sizeof(words)];

	memcpy(sent, words, sizeof(sent));
	words[0] = '\0';
	return sent;
}

void set_database_up(bool up)
{
	is_up = up;
}

void set_hints_up(bool up)
{
	hints_are_up = up;
	list_for_each (node, &subscriptions) {
		struct hint_subscription *subscription =
		    container_of(node, struct hint_subscription, node);

		if (subscription->on_up)
			subscription->on_up(subscription, up);
	}
}

void hint(const char *format, ...)
{
	struct str word, kind;
	va_list args;

	va_start(args, format);
	word = arena_vprintf(&values_arena, format, args);
	va_end(args);
	kind = (struct str){word.data, str_find(word, ':')};
	list_for_each (node, &subscriptions) {
		struct hint_subscription *subscription =
		    container_of(node, struct hint_subscription, node);

		if (str_equal(kind, subscription->kind))
			subscription->on_hint(subscription, str_from_offset(word, kind.length + 1));
	}
}

void db_submit(struct db *db, struct db_query *query)
{
	assert_ptr_equal(db, script_db);
	list_init(&query->node);
	list_append(&queries, &query->node);
	if (query->statement == STATEMENT_DEVICES_EXPIRE && !entries_expire)
		answer_nothing(query, DB_OK); /* nothing has expired */
	if (query->statement == STATEMENT_PRESENCE_BEAT)
		answer_nothing(query, DB_OK);
}

struct record_value db_value(const struct db_result *result, unsigned row, unsigned column)
{
	assert_true(row < result->row_count && column < result->column_count);
	return values[row * result->column_count + column];
}

unsigned asked_count(enum statement statement)
{
	unsigned count = 0;

	list_for_each (node, &queries)
		count += container_of(node, struct db_query, node)->statement == statement;
	return count;
}

struct db_query *asked(enum statement statement)
{
	list_for_each (node, &queries) {
		struct db_query *query = container_of(node, struct db_query, node);

		if (query->statement == statement)
			return query;
	}
	fail_msg("statement %d was not asked", (int)statement);
	return NULL;
}

/* PostgreSQL's binary format of an array: dimensions, flags, type, count, lower bound; then a
 * length before each element. */
static unsigned read_array(const struct db_query *query, unsigned parameter, size_t size,
			   uint8_t *ret_elements)
{
	const uint8_t *at = (const uint8_t *)query->parameters.values[parameter];
	uint32_t count;

	assert_true(parameter < query->parameters.count);
	memcpy(&count, at + 12, sizeof(count));
	count = be32toh(count);
	for (unsigned i = 0; i < count; i++)
		memcpy(ret_elements + i * size, at + 20 + i * (4 + size) + 4, size);
	return count;
}

unsigned id_array(const struct db_query *query, unsigned parameter, struct id *ret_ids)
{
	return read_array(query, parameter, ID_BYTES, (uint8_t *)ret_ids);
}

unsigned int8_array(const struct db_query *query, unsigned parameter, int64_t *ret_values)
{
	unsigned count = read_array(query, parameter, 8, (uint8_t *)ret_values);

	for (unsigned i = 0; i < count; i++)
		ret_values[i] = (int64_t)be64toh((uint64_t)ret_values[i]);
	return count;
}

void answer_nothing(struct db_query *query, enum db_outcome outcome)
{
	struct db_result result = {.outcome = outcome};

	list_remove(&query->node);
	query->done(query, &result);
}

void answer_all(enum statement statement, enum db_outcome outcome)
{
	while (asked_count(statement))
		answer_nothing(asked(statement), outcome);
}

void begin_rows(unsigned columns)
{
	column_count = columns;
	value_count = 0;
}

static void add_value(struct record_value value)
{
	assert_true(value_count < VALUES_MAX);
	values[value_count++] = value;
}

void add_null(void)
{
	add_value((struct record_value){.is_null = true});
}

void add_bytes(const void *data, size_t length)
{
	struct str copy = arena_copy(&values_arena, (struct str){data, length});

	add_value(
	    (struct record_value){.data = (const uint8_t *)copy.data, .length = (uint32_t)length});
}

void add_integer(int64_t value)
{
	uint64_t bits = htobe64((uint64_t)value);

	add_bytes(&bits, sizeof(bits));
}

void add_bool(bool value)
{
	add_bytes(value ? "\1" : "\0", 1);
}

void add_value_text(const char *text)
{
	if (text)
		add_bytes(text, strlen(text));
	else
		add_null();
}

void answer(struct db_query *query)
{
	struct db_result result = {.outcome = DB_OK, .column_count = column_count};

	if (column_count)
		result.row_count = value_count / column_count;
	list_remove(&query->node);
	query->done(query, &result);
}
