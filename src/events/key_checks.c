#include "key_checks.h"
#include "base/clock.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/require.h"
#include "db/statements.h"

enum {
	BATCH = 128,
	TICK_MS = 200,
	/* The hint connection answers every 250 ms; on a busy machine it may miss one. */
	SILENT_MS = 600,
	ALL_MS = 30 * 1000,
};

static struct key_stream *stream_of(struct list *to_check)
{
	return container_of(to_check, struct key_stream, to_check);
}

static const struct keys_alive_row *key_checks_find(const struct keys_alive_row *rows,
						    unsigned count, const uint8_t *hash)
{
	for (unsigned i = 0; i < count; i++) {
		if (rows[i].secret_hash.length == KEY_HASH_BYTES &&
		    memcmp(rows[i].secret_hash.data, hash, KEY_HASH_BYTES) == 0)
			return &rows[i];
	}
	return NULL;
}

static bool is_same(const struct key_stream *stream, const struct keys_alive_row *row)
{
	const struct key_scope *scope = &stream->scope;
	enum key_level level;

	return id_equal(row->account_id, stream->account_id) &&
	       key_level_parse(row->scope, &level) && level == scope->level &&
	       row->ends_at == scope->ends_at_us && str_equal(row->devices, scope->devices);
}

static void on_alive(struct db_query *query, const struct db_result *result)
{
	struct key_checks *checks = container_of(query, struct key_checks, query);
	const struct keys_alive_row *rows = NULL;
	struct list *node;

	checks->is_asking = false;
	if (result->outcome == DB_OK)
		rows = db_read_rows(result, query->record, &checks->arena);
	while ((node = list_take_first(&checks->asked))) {
		struct key_stream *stream = stream_of(node);
		const struct keys_alive_row *row =
		    rows ? key_checks_find(rows, result->row_count, stream->key_hash) : NULL;

		if (result->outcome == DB_OK && (!row || !is_same(stream, row)))
			checks->on_ended(stream);
		else if (result->outcome != DB_OK)
			list_append(&checks->waiting, &stream->to_check); /* at the next tick */
	}
	arena_finish(&checks->arena);
	if (result->outcome != DB_OK)
		return;
	if (list_is_empty(&checks->waiting))
		checks->on_checked(checks);
	else
		loop_later(checks->loop, &checks->ask);
}

static void on_ask(struct later *later)
{
	struct key_checks *checks = container_of(later, struct key_checks, ask);
	uint8_t hashes[BATCH * KEY_HASH_BYTES];
	unsigned count = 0;
	struct list *node;

	if (checks->is_asking || checks->is_draining)
		return;
	while (count < BATCH && (node = list_take_first(&checks->waiting))) {
		list_append(&checks->asked, node);
		memcpy(hashes + (size_t)count++ * KEY_HASH_BYTES, stream_of(node)->key_hash,
		       KEY_HASH_BYTES);
	}
	if (count == 0)
		return;
	checks->is_asking = true;
	db_query_init(&checks->query, &checks->arena);
	statement_keys_alive(&checks->query,
			     &(struct keys_alive_parameters){
				 .secret_hashes = arena_copy(
				     &checks->arena, (struct str){(const char *)hashes,
								  count * (size_t)KEY_HASH_BYTES}),
			     },
			     NULL);
	checks->query.done = on_alive;
	db_submit(checks->db, &checks->query);
}

void key_checks_add(struct key_checks *checks, struct key_stream *stream)
{
	if (stream->has_no_key)
		return;
	/* Also a stream of the query under way: its key may have changed after the database read
	 * it. */
	list_remove(&stream->to_check);
	list_append(&checks->waiting, &stream->to_check);
	loop_later(checks->loop, &checks->ask);
	if (!deadline_is_set(&checks->tick) && !checks->is_draining)
		deadline_set(checks->loop, &checks->tick, TICK_MS);
}

static struct key_stream *of_node(struct list *node)
{
	return container_of(node, struct key_stream, member.node);
}

void key_checks_add_all(struct key_checks *checks)
{
	checks->all_at_ms = loop_now_ms(checks->loop) + ALL_MS;
	list_for_each (node, checks->all)
		key_checks_add(checks, of_node(node));
}

static void on_tick(struct deadline *deadline)
{
	struct key_checks *checks = container_of(deadline, struct key_checks, tick);
	uint64_t now_ms = loop_now_ms(checks->loop);
	int64_t wall_us = clock_common_us();

	list_for_each (node, checks->all) {
		if (key_scope_has_ended(&of_node(node)->scope, wall_us))
			checks->on_ended(of_node(node));
	}
	if (list_is_empty(checks->all))
		return;
	deadline_set(checks->loop, deadline, TICK_MS);
	if (checks->is_asking)
		return;
	if (now_ms - checks->heard_ms > SILENT_MS || now_ms >= checks->all_at_ms)
		key_checks_add_all(checks);
	else if (!list_is_empty(&checks->waiting))
		loop_later(checks->loop, &checks->ask);
}

static void on_hint(struct hint_subscription *hints, struct str hash_hex)
{
	struct key_checks *checks = container_of(hints, struct key_checks, hints);
	uint8_t hash[KEY_HASH_BYTES];

	if (!hex_decode(hash_hex, hash, sizeof(hash)))
		return;
	list_for_each (node, checks->all) {
		if (memcmp(of_node(node)->key_hash, hash, KEY_HASH_BYTES) == 0)
			key_checks_add(checks, of_node(node));
	}
}

static void on_heard(struct hint_subscription *hints, uint64_t before_ms)
{
	container_of(hints, struct key_checks, hints)->heard_ms = before_ms;
}

void key_checks_init(struct key_checks *checks)
{
	list_init(&checks->waiting);
	list_init(&checks->asked);
	loop_later_init(&checks->ask, on_ask);
	deadline_init(&checks->tick, on_tick);
	checks->hints = (struct hint_subscription){
	    .kind = STR("key"), .on_hint = on_hint, .on_heard = on_heard};
	db_subscribe(checks->db, &checks->hints);
}

void key_checks_drain(struct key_checks *checks)
{
	checks->is_draining = true;
	loop_later_cancel(&checks->ask);
	deadline_clear(checks->loop, &checks->tick);
}

void key_checks_finish(struct key_checks *checks)
{
	require(!checks->is_asking);
	key_checks_drain(checks);
	db_unsubscribe(&checks->hints);
}
