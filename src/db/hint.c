#include "hint.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/require.h"
#include "db/hint_text.h"
#include "hint_carrying.h"
#include "hint_due.h"
#include "hint_statements.h"
#include "hint_subscribers.h"

enum {
	ANSWER_MS = 1500,
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

static void on_up(struct connection *connection)
{
	struct hints *hints = hints_of(connection);

	hints->asked_ms = 0;
	hints->has_clock = hints->has_beaten = false;
	hints->is_connected = true;
	if (hint_carrying_is_shared(hints))
		hint_carrying_on_up(hints);
	else
		hint_set_up(hints, true);
}

static void on_down(struct connection *connection)
{
	struct hints *hints = hints_of(connection);

	if (hints->is_connected && connection->unavailable == UNAVAILABLE_SILENT &&
	    hints->on_silent)
		hints->on_silent(hints->context);
	hints->is_connected = false;
	hints->has_failed = false;
	buffer_clear(&hints->waiting);
	hints->waiting_us = 0;
	if (hint_carrying_is_shared(hints))
		hint_carrying_on_down(hints);
	hint_set_up(hints, false);
}

static bool is_look(const struct hints *hints)
{
	return hints->under_way == HINT_LOOK || hints->under_way == HINT_BEAT;
}

static void take_look(struct hints *hints, const struct db_result *result)
{
	uint64_t now_ms = loop_now_ms(hints->connection.loop);

	beats_take(&hints->beats, result, hints->sent_ms, now_ms);
	clock_note_ahead(beats_clock_ahead_us(&hints->beats, clock_wall_us(), now_ms));
	hints->has_clock = true;
	if (hint_carrying_hears(hints))
		hints->heard_ms = beats_through_ms(&hints->beats);
	if (hints->under_way == HINT_BEAT) {
		hints->has_beaten = true;
		hints_note_seen(hints, hints->sent_ms);
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
		if (hint_carrying_is_shared(hints))
			hint_carrying_on_answer(hints, false);
		return;
	}
	if (hints->under_way == HINT_END)
		doubts_answer(hints->doubts, &hints->ended, result->row_count == 0);
	else if (is_look(hints))
		take_look(hints, result);
	else if (!hint_has_beats(hints))
		hints->heard_ms = hints->sent_ms;
	if (hint_carrying_is_shared(hints))
		hint_carrying_on_answer(hints, true);
	hint_tell_heard(&hints->subscriptions, hints->heard_ms);
}

static void on_return(struct connection *connection, struct db_query *query, bool may_repeat)
{
	(void)query;
	(void)may_repeat;
	end_statement(hints_of(connection));
	hints_of(connection)->notified_us = 0;
}

static void on_notify(struct connection *connection, struct str payload)
{
	struct hints *hints = hints_of(connection);
	struct str word;

	if (hint_carrying_is_shared(hints)) {
		hint_carrying_take(hints, payload);
		return;
	}
	/* Every program that may connect to the database can send any text. */
	while (str_next(&payload, ' ', &word)) {
		if (hint_is_word(word))
			hint_deliver(&hints->subscriptions, word, true);
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

	if (hint_carrying_is_shared(hints))
		through_ms = hint_carrying_through_ms(hints);
	else if (hints->waiting_us && hints->waiting_us / 1000 < through_ms)
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

static void ask(struct hints *hints)
{
	hints->asked_ms = loop_now_ms(hints->connection.loop);
	if (!hint_has_beats(hints) || hint_carrying_follows(hints)) {
		db_parameters_init(&hints->query.parameters, &hints->arena);
		send_statement(hints, HINT_PING);
	} else {
		send_of_row(hints, hint_wants_beat(hints) ? HINT_BEAT : HINT_LOOK);
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

/* Sends what the carrier of hints needs, or has to stop. Returns false if there is nothing. */
static bool carry(struct hints *hints)
{
	enum hint_statement statement;

	if (!hint_carrying_is_shared(hints) || !hint_carrying_next(hints, &statement))
		return false;
	db_parameters_init(&hints->query.parameters, &hints->arena);
	send_statement(hints, statement);
	return true;
}

static void on_ping(struct deadline *deadline)
{
	struct hints *hints = container_of(deadline, struct hints, ping);
	uint64_t now_ms = loop_now_ms(hints->connection.loop);

	deadline_set(hints->connection.loop, deadline, hint_interval_ms(hints));
	if (hint_carrying_is_shared(hints))
		hint_carrying_tick(hints);
	doubts_repeat(hints->doubts);
	hints_flush(hints);
	if (hint_has_beats(hints) && !hints->is_leaving &&
	    now_ms - hint_seen_ms(hints) >= HINT_SEEN_MS && hints->on_unseen)
		hints->on_unseen(hints->context);
}

static bool has_words(struct hints *hints)
{
	return hint_carrying_is_shared(hints) ? hint_carrying_has_words(hints)
					      : buffer_length(&hints->waiting) > 0;
}

/* Takes words for a payload. Returns their length; each is followed by a space. */
static size_t take_waiting(struct hints *hints)
{
	struct str waiting = buffer_view(&hints->waiting);
	size_t length = waiting.length;

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
	return length;
}

static void notify(struct hints *hints)
{
	size_t length;

	deadline_set(hints->connection.loop, &hints->pause, PAUSE_MS);
	length = hint_carrying_is_shared(hints)
		     ? hint_carrying_gather(hints, hints->payload, sizeof(hints->payload))
		     : take_waiting(hints);
	db_parameters_init(&hints->query.parameters, &hints->arena);
	db_add_text(&hints->query.parameters,
		    (struct str){hints->payload, length > 0 ? length - 1 : 0});
	send_statement(hints, HINT_NOTIFY);
}

/* Sends what its turn is for. Returns false if there is nothing. */
static bool take_turn(struct hints *hints, unsigned turn)
{
	if (turn == TURN_END && has_to_end(hints))
		end_backend(hints, doubts_next(hints->doubts));
	else if (turn == TURN_ASK && hint_is_due(hints))
		ask(hints);
	else if (turn == TURN_NOTIFY && has_words(hints) && !deadline_is_set(&hints->pause))
		notify(hints);
	else
		return false;
	hints->turn = turn;
	return true;
}

void hints_flush(struct hints *hints)
{
	if (hint_carrying_is_shared(hints))
		hint_carrying_ask(hints);
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
	if (carry(hints))
		return;
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
	if (hint_carrying_is_shared(hints)) {
		if (hint_carrying_add(hints, word))
			metric_add(METRIC_HINTS_SENT, 0, 1);
		else
			metric_add(METRIC_HINTS_DROPPED, 0, 1);
		return;
	}
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
	if (hint_carrying_is_shared(hints))
		return hint_carrying_room(hints);
	if (!connection_is_up(&hints->connection))
		return 0;
	return LIMIT_HINT_BYTES - buffer_length(&hints->waiting);
}

bool hints_are_idle(const struct hints *hints)
{
	if (hints->busy || buffer_length(&hints->waiting) > 0)
		return false;
	return !hint_carrying_is_shared(hints) || !connection_is_up(&hints->connection) ||
	       hint_carrying_is_sent(hints);
}

bool hints_leave(struct hints *hints)
{
	bool is_last = true;

	if (!hints_are_idle(hints))
		return false;
	if (hint_carrying_is_shared(hints))
		is_last = hint_carrying_leave(hints);
	if (!hint_has_beats(hints) || !is_last || hints->has_left ||
	    !connection_is_up(&hints->connection) || hint_is_read_only(hints))
		return true;
	if (hints->is_leaving)
		return false;
	hints->is_leaving = true;
	send_of_row(hints, HINT_LEAVE);
	return false;
}

void hints_note_seen(struct hints *hints, uint64_t ms)
{
	if (hint_carrying_is_shared(hints))
		hint_carrying_note_seen(hints, ms);
	else if (ms > hints->seen_ms)
		hints->seen_ms = ms;
}

bool hints_are_forgotten(const struct hints *hints)
{
	return hint_carrying_others_since_ms(hints) > 0 &&
	       loop_now_ms(hints->connection.loop) - hint_seen_ms(hints) >= FORGOTTEN_MS &&
	       !(connection_is_up(&hints->connection) && hint_is_read_only(hints));
}

void hints_start(struct hints *hints, const struct connection *connection)
{
	static const struct connection_role role = {
	    .name = "hint",
	    .metric = METRIC_DATABASE_HINT,
	    .answer_ms = ANSWER_MS,
	    .on_answer = on_answer,
	    .on_return = on_return,
	    .on_up = on_up,
	    .on_down = on_down,
	    .on_notify = on_notify,
	};

	static struct connection_role alone;

	alone = role;
	alone.first = "LISTEN displayd_hint";
	list_init(&hints->subscriptions);
	hints->connection = (struct connection){
	    .loop = connection->loop,
	    .role = hint_carrying_is_shared(hints) ? &role : &alone,
	    .owner = hints,
	    .hosts = connection->hosts,
	    .survey = connection->survey,
	    .session_pooler = connection->session_pooler,
	    .statements = hint_statements,
	    .statement_count =
		hint_has_beats(hints) ? HINT_STATEMENTS : HINT_STATEMENTS_WITHOUT_BEATS,
	    .effect = EFFECT_WRITE,
	};
	list_init(&hints->query.node);
	hints->flush = hints_flush;
	deadline_init(&hints->ping, on_ping);
	deadline_init(&hints->pause, on_pause_over);
	deadline_set(connection->loop, &hints->ping, hint_interval_ms(hints));
	if (hint_carrying_is_shared(hints))
		hint_carrying_start(hints);
	connection_start(&hints->connection);
}

void hints_close(struct hints *hints)
{
	deadline_clear(hints->connection.loop, &hints->ping);
	deadline_clear(hints->connection.loop, &hints->pause);
	connection_close(&hints->connection);
	if (hint_carrying_is_shared(hints))
		hint_carrying_close(hints);
	hints->up = false;
	buffer_finish(&hints->waiting);
	beats_finish(&hints->beats);
	arena_finish(&hints->arena);
}
