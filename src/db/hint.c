#include "hint.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/require.h"
#include "db/hint_text.h"
#include "hint_statements.h"

/* Reconciliation makes up for lost hints, but a revoked key must stop working within a second: each
 * answer shows that all hints sent before its query have arrived. The server hands them to a
 * listening session before it ends the session's next statement. */
enum {
	PING_MS = 250,
	/* A reader sees a beat at its next look: both intervals together leave some of the 750 ms
	 * for which answers from memory count (task/read_cache.h). */
	PING_AMONG_OTHERS_MS = 200,
	ANSWER_MS = 1500,
	/* Interval of beats of an instance that knows no other: it becomes known by them. */
	SEEN_MS = 20 * 1000,
	/* Others forget a writer after BEAT_FORGET_MS. */
	FORGOTTEN_MS = 50 * 1000,
	/* Pause after a beat that failed. */
	BEAT_AGAIN_MS = 1000,
	TIDY_MS = 60 * 1000,
	/* Pause before a server's process is ended once more. */
	END_AGAIN_MS = 100,
	/* Added to the number of a row that a hung session holds. */
	ROW_STEP = 1 << 16,
};

/* Kinds of statements, which take turns: each is sent in time, however slowly the server answers.
 */
enum { TURN_END, TURN_ASK, TURN_NOTIFY, TURNS };

/* Shortest time between two NOTIFYs. Each costs the server a transaction and wakes all workers of
 * all instances: at thousands of writes a second they would be a fifth of PostgreSQL's work. A hint
 * that comes after a longer pause is sent at once. */
enum { PAUSE_MS = 2 };

static struct hints *hints_of(struct connection *connection)
{
	return connection->owner;
}

static struct hint_subscription *subscription_of(struct list *node)
{
	return container_of(node, struct hint_subscription, node);
}

static void report(struct hints *hints, bool up)
{
	if (hints->up == up)
		return;
	hints->up = up;
	list_for_each (node, &hints->subscriptions) {
		struct hint_subscription *subscription = subscription_of(node);

		if (subscription->on_up)
			subscription->on_up(subscription, up);
	}
}

static void on_up(struct connection *connection)
{
	struct hints *hints = hints_of(connection);

	hints->asked_ms = 0;
	hints->has_clock = hints->has_beaten = false;
	report(hints, true);
	hints->first_bytes = buffer_length(&hints->waiting);
}

static void on_down(struct connection *connection)
{
	struct hints *hints = hints_of(connection);

	if (hints->up && connection->unavailable == UNAVAILABLE_SILENT && hints->on_silent)
		hints->on_silent(hints->context);
	hints->has_failed = false;
	buffer_clear(&hints->waiting);
	hints->waiting_us = 0;
	report(hints, false);
}

static bool has_beats(const struct hints *hints)
{
	return !id_is_none(hints->instance);
}

static void tell_heard(struct hints *hints)
{
	list_for_each (node, &hints->subscriptions) {
		struct hint_subscription *subscription = subscription_of(node);

		if (subscription->on_heard)
			subscription->on_heard(subscription, hints->heard_ms);
	}
}

static bool is_look(const struct hints *hints)
{
	return hints->under_way == HINT_LOOK || hints->under_way == HINT_BEAT;
}

static void take_look(struct hints *hints, const struct db_result *result)
{
	uint64_t now_ms = loop_now_ms(hints->connection.loop);

	beats_take(&hints->beats, result, hints->sent_ms, now_ms);
	hints->has_clock = true;
	hints->heard_ms = beats_through_ms(&hints->beats);
	if (hints->under_way == HINT_BEAT) {
		hints->has_beaten = true;
		hints->seen_ms = hints->sent_ms;
	}
}

static void note_failure(struct hints *hints)
{
	/* The pipeline has logged it. */
	if (hints->under_way == HINT_NOTIFY)
		hints->has_failed = true;
	if (hints->under_way != HINT_BEAT)
		return;
	hints->number = (hints->number + (int64_t)ROW_STEP) & INT32_MAX;
	hints->beat_again_ms = loop_now_ms(hints->connection.loop) + BEAT_AGAIN_MS;
}

static void end_statement(struct hints *hints)
{
	hints->busy = false;
	arena_finish(&hints->arena);
	hints->has_left |= hints->under_way == HINT_LEAVE;
}

static void on_answer(struct connection *connection, struct db_query *query,
		      const struct db_result *result)
{
	struct hints *hints = hints_of(connection);

	(void)query;
	end_statement(hints);
	if (hints->notified_us && result->outcome == DB_OK)
		metric_observe(METRIC_HINT_DELAY, 0, clock_monotonic_us() - hints->notified_us);
	hints->notified_us = 0;
	if (result->outcome != DB_OK) {
		note_failure(hints);
		return;
	}
	if (hints->under_way == HINT_END)
		doubts_answer(hints->doubts, &hints->ended, result->row_count == 0);
	else if (is_look(hints))
		take_look(hints, result);
	else if (!has_beats(hints))
		hints->heard_ms = hints->sent_ms;
	tell_heard(hints);
}

static void on_return(struct connection *connection, struct db_query *query, bool may_repeat)
{
	(void)query;
	(void)may_repeat;
	end_statement(hints_of(connection));
	hints_of(connection)->notified_us = 0;
}

static unsigned metric_of(struct str kind)
{
	static const struct str kinds[] = {
	    [METRIC_HINT_DEVICE] = STR("device"), [METRIC_HINT_PUSH] = STR("push"),
	    [METRIC_HINT_KEY] = STR("key"),	  [METRIC_HINT_APP] = STR("app"),
	    [METRIC_HINT_RENDER] = STR("render"), [METRIC_HINT_CHANGED] = STR("changed"),
	    [METRIC_HINT_WATCH] = STR("watch"),	  [METRIC_HINT_SHOWS] = STR("shows"),
	    [METRIC_HINT_READ] = STR("read"),
	};

	for (unsigned i = 0; i < array_length(kinds); i++)
		if (kinds[i].length > 0 && str_equal(kind, kinds[i]))
			return i;
	return METRIC_HINT_OTHER;
}

static void deliver(struct hints *hints, struct str word)
{
	struct str kind = {word.data, str_find(word, ':')};

	metric_add(METRIC_HINTS_RECEIVED, metric_of(kind), 1);

	list_for_each (node, &hints->subscriptions) {
		struct hint_subscription *subscription = subscription_of(node);

		if (subscription->kind.length == 0)
			subscription->on_hint(subscription, word);
		else if (kind.length < word.length && str_equal(kind, subscription->kind))
			subscription->on_hint(subscription, str_from_offset(word, kind.length + 1));
	}
}

static void on_notify(struct connection *connection, struct str payload)
{
	struct hints *hints = hints_of(connection);
	struct str word;

	/* Every program that may connect to the database can send any text. */
	while (str_next(&payload, ' ', &word)) {
		if (hint_is_word(word))
			deliver(hints, word);
	}
}

static void send_statement(struct hints *hints, enum hint_statement statement)
{
	struct list queries;
	int error;

	hints->busy = true;
	hints->under_way = statement;
	hints->sent_ms = loop_now_ms(hints->connection.loop);
	hints->query.statement = (enum statement)statement;
	hints->query.moves = hints->query.conflicts = 0;
	list_init(&queries);
	list_append(&queries, &hints->query.node);
	error = pipeline_send(&hints->connection.pipeline, &queries, 1);
	connection_flush(&hints->connection, error);
}

/* Sends a statement about this worker's row. */
static void send_of_row(struct hints *hints, enum hint_statement statement)
{
	struct db_parameters *parameters = &hints->query.parameters;
	uint64_t through_ms = loop_now_ms(hints->connection.loop);

	if (hints->waiting_us && hints->waiting_us / 1000 < through_ms)
		through_ms = hints->waiting_us / 1000;
	db_parameters_init(parameters, &hints->arena);
	if (hint_statements[statement].parameter_count > 0)
		db_add_id(parameters, hints->instance);
	if (hint_statements[statement].parameter_count > 1)
		db_add_int4(parameters, hints->number);
	if (hint_statements[statement].parameter_count > 2)
		db_add_int8(parameters, beats_clock_us(&hints->beats, through_ms));
	send_statement(hints, statement);
}

/* Whether the server refuses to write: then no change needs a hint either. */
static bool is_read_only(const struct hints *hints)
{
	const char *value =
	    PQparameterStatus(hints->connection.pg, "default_transaction_read_only");

	return value && strcmp(value, "on") == 0;
}

/* The first beat waits for the hints of other modules that came up: they make up for those that
 * were lost. */
static bool wants_beat(const struct hints *hints)
{
	uint64_t now_ms = loop_now_ms(hints->connection.loop);

	if (!hints->has_clock || hints->first_bytes || now_ms < hints->beat_again_ms ||
	    is_read_only(hints))
		return false;
	return !hints->has_beaten || beats_know_others(&hints->beats) ||
	       now_ms - hints->seen_ms >= SEEN_MS;
}

/* The first beat does not wait for its interval. */
static bool is_due(const struct hints *hints)
{
	uint64_t ago_ms = loop_now_ms(hints->connection.loop) - hints->asked_ms;

	if (hints->asked_ms == 0 || ago_ms >= PING_MS)
		return true;
	if (beats_know_others(&hints->beats) && ago_ms >= PING_AMONG_OTHERS_MS)
		return true;
	return has_beats(hints) && !hints->has_beaten && wants_beat(hints);
}

static void ask(struct hints *hints)
{
	hints->asked_ms = loop_now_ms(hints->connection.loop);
	if (!has_beats(hints)) {
		db_parameters_init(&hints->query.parameters, &hints->arena);
		send_statement(hints, HINT_PING);
	} else {
		send_of_row(hints, wants_beat(hints) ? HINT_BEAT : HINT_LOOK);
	}
}

/* Ends the process of a lost connection, and looks whether it is gone. */
static void end_backend(struct hints *hints, const struct backend *backend)
{
	struct db_parameters *parameters = &hints->query.parameters;

	hints->ended_ms = loop_now_ms(hints->connection.loop);
	hints->ended = *backend;
	db_parameters_init(parameters, &hints->arena);
	db_add_int4(parameters, backend->pid);
	db_add_int8(parameters, backend->start_us);
	send_statement(hints, HINT_END);
}

static bool has_to_end(const struct hints *hints)
{
	return doubts_next(hints->doubts) &&
	       loop_now_ms(hints->connection.loop) - hints->ended_ms >= END_AGAIN_MS;
}

static void on_ping(struct deadline *deadline)
{
	struct hints *hints = container_of(deadline, struct hints, ping);
	uint64_t now_ms = loop_now_ms(hints->connection.loop);

	deadline_set(hints->connection.loop, deadline,
		     beats_know_others(&hints->beats) ? PING_AMONG_OTHERS_MS : PING_MS);
	doubts_repeat(hints->doubts);
	hints_flush(hints);
	if (has_beats(hints) && !hints->is_leaving && now_ms - hints->seen_ms >= SEEN_MS &&
	    hints->on_unseen)
		hints->on_unseen(hints->context);
}

static void notify(struct hints *hints)
{
	struct str waiting = buffer_view(&hints->waiting);
	size_t length = waiting.length;

	deadline_set(hints->connection.loop, &hints->pause, PAUSE_MS);
	/* The payload holds only complete hints, each followed by a space. */
	if (length > sizeof(hints->payload)) {
		length = sizeof(hints->payload);
		while (waiting.data[length - 1] != ' ')
			length--;
	}
	memcpy(hints->payload, waiting.data, length);
	buffer_consume(&hints->waiting, length);
	hints->first_bytes -= length < hints->first_bytes ? length : hints->first_bytes;
	/* No remaining hint is older than those sent, so keep waiting_us. */
	hints->notified_us = hints->waiting_us;
	if (buffer_length(&hints->waiting) == 0)
		hints->waiting_us = 0;
	db_parameters_init(&hints->query.parameters, &hints->arena);
	db_add_text(&hints->query.parameters, (struct str){hints->payload, length - 1});
	send_statement(hints, HINT_NOTIFY);
}

/* Sends what its turn is for. Returns false if there is nothing. */
static bool take_turn(struct hints *hints, unsigned turn)
{
	if (turn == TURN_END && has_to_end(hints))
		end_backend(hints, doubts_next(hints->doubts));
	else if (turn == TURN_ASK && is_due(hints))
		ask(hints);
	else if (turn == TURN_NOTIFY && buffer_length(&hints->waiting) > 0 &&
		 !deadline_is_set(&hints->pause))
		notify(hints);
	else
		return false;
	hints->turn = turn;
	return true;
}

void hints_flush(struct hints *hints)
{
	if (hints->busy || !connection_is_up(&hints->connection) || hints->is_leaving)
		return;
	if (hints->has_failed) {
		/* Its hints are lost: subscribers learn it by the new connection. */
		connection_cut(&hints->connection, STR("hints could not be sent"));
		return;
	}
	/* First, since looks at a table that is large are always due. */
	if (hints->has_beaten &&
	    loop_now_ms(hints->connection.loop) - hints->tidied_ms >= TIDY_MS) {
		hints->tidied_ms = loop_now_ms(hints->connection.loop);
		send_of_row(hints, HINT_TIDY);
		return;
	}
	for (unsigned i = 1; i <= TURNS; i++)
		if (take_turn(hints, (hints->turn + i) % TURNS))
			return;
}

static void on_pause_over(struct deadline *deadline)
{
	hints_flush(container_of(deadline, struct hints, pause));
}

void hints_add(struct hints *hints, struct str word)
{
	require(hint_is_word(word));
	if (!connection_is_up(&hints->connection) ||
	    buffer_length(&hints->waiting) + word.length + 1 > LIMIT_HINT_BYTES) {
		metric_add(METRIC_HINTS_DROPPED, 0, 1);
		return;
	}
	metric_add(METRIC_HINTS_SENT, 0, 1);
	if (hints->waiting_us == 0)
		hints->waiting_us = clock_monotonic_us();
	buffer_append_str(&hints->waiting, word);
	buffer_append_char(&hints->waiting, ' ');
}

size_t hints_room(const struct hints *hints)
{
	if (!connection_is_up(&hints->connection))
		return 0;
	return LIMIT_HINT_BYTES - buffer_length(&hints->waiting);
}

bool hints_are_idle(const struct hints *hints)
{
	return !hints->busy && buffer_length(&hints->waiting) == 0;
}

bool hints_leave(struct hints *hints)
{
	if (!hints_are_idle(hints))
		return false;
	if (!has_beats(hints) || hints->has_left || !connection_is_up(&hints->connection) ||
	    is_read_only(hints))
		return true;
	if (hints->is_leaving)
		return false;
	hints->is_leaving = true;
	send_of_row(hints, HINT_LEAVE);
	return false;
}

void hints_note_seen(struct hints *hints, uint64_t ms)
{
	if (ms > hints->seen_ms)
		hints->seen_ms = ms;
}

bool hints_are_forgotten(const struct hints *hints)
{
	return beats_know_others(&hints->beats) &&
	       loop_now_ms(hints->connection.loop) - hints->seen_ms >= FORGOTTEN_MS &&
	       !(connection_is_up(&hints->connection) && is_read_only(hints));
}

void hints_start(struct hints *hints, const struct connection *connection)
{
	static const struct connection_role role = {
	    .name = "hint",
	    .metric = METRIC_DATABASE_HINT,
	    .first = "LISTEN displayd_hint",
	    .answer_ms = ANSWER_MS,
	    .on_answer = on_answer,
	    .on_return = on_return,
	    .on_up = on_up,
	    .on_down = on_down,
	    .on_notify = on_notify,
	};

	list_init(&hints->subscriptions);
	hints->connection = (struct connection){
	    .loop = connection->loop,
	    .role = &role,
	    .owner = hints,
	    .hosts = connection->hosts,
	    .survey = connection->survey,
	    .session_pooler = connection->session_pooler,
	    .statements = hint_statements,
	    .statement_count = has_beats(hints) ? HINT_STATEMENTS : HINT_STATEMENTS_WITHOUT_BEATS,
	    .effect = EFFECT_WRITE,
	};
	list_init(&hints->query.node);
	deadline_init(&hints->ping, on_ping);
	deadline_init(&hints->pause, on_pause_over);
	deadline_set(connection->loop, &hints->ping, PING_MS);
	connection_start(&hints->connection);
}

void hints_close(struct hints *hints)
{
	deadline_clear(hints->connection.loop, &hints->ping);
	deadline_clear(hints->connection.loop, &hints->pause);
	connection_close(&hints->connection);
	hints->up = false;
	buffer_finish(&hints->waiting);
	beats_finish(&hints->beats);
	arena_finish(&hints->arena);
}
