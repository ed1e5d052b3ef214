#include "hint.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/require.h"

/* Reconciliation makes up for lost hints, but a revoked key must stop working within a second: each
 * answer shows that all hints sent before its query have arrived. The server hands them to a
 * listening session before it ends the session's next statement. */
enum { PING_MS = 250, ANSWER_MS = 1500 };

/* Shortest time between two NOTIFYs. Each costs the server a transaction and wakes all workers of
 * all instances: at thousands of writes a second they would be a fifth of PostgreSQL's work. A hint
 * that comes after a longer pause is sent at once. */
enum { PAUSE_MS = 2 };

enum { WORD_MAX = LIMIT_HINT_WORD_BYTES };

static const unsigned notify_parameters[] = {25 /* text */};
static const unsigned notify_columns[] = {25 /* text */, 2278 /* void */};
static const char *const notify_column_names[] = {"set_config", "pg_notify"};

enum { STATEMENT_NOTIFY, STATEMENT_PING };

/* Both count as writes, so that the pipeline answers them after their sync. */
static const struct statement_entry hint_statements[] = {
    [STATEMENT_NOTIFY] =
	{
	    .name = "notify",
	    /* A hint may be lost, so its commit need not wait for the disk. */
	    .text = "SELECT set_config('synchronous_commit', 'off', true), "
		    "pg_notify('displayd_hint', $1)",
	    .effect = EFFECT_WRITE,
	    .parameter_count = 1,
	    .parameter_types = notify_parameters,
	    .column_count = 2,
	    .column_names = notify_column_names,
	    .column_types = notify_columns,
	},
    [STATEMENT_PING] = {.name = "ping", .text = "SELECT", .effect = EFFECT_WRITE},
};

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

	deadline_set(connection->loop, &hints->ping, PING_MS);
	report(hints, true);
}

static void on_down(struct connection *connection)
{
	struct hints *hints = hints_of(connection);

	deadline_clear(connection->loop, &hints->ping);
	if (hints->up && connection->unavailable == UNAVAILABLE_SILENT && hints->on_silent)
		hints->on_silent(hints->context);
	buffer_clear(&hints->waiting);
	hints->waiting_us = 0;
	report(hints, false);
}

static void tell_heard(struct hints *hints)
{
	list_for_each (node, &hints->subscriptions) {
		struct hint_subscription *subscription = subscription_of(node);

		if (subscription->on_heard)
			subscription->on_heard(subscription, hints->sent_ms);
	}
}

static void on_answer(struct connection *connection, struct db_query *query,
		      const struct db_result *result)
{
	struct hints *hints = hints_of(connection);

	(void)query;
	hints->busy = false;
	if (hints->notified_us && result->outcome == DB_OK)
		metric_observe(METRIC_HINT_DELAY, 0, clock_monotonic_us() - hints->notified_us);
	hints->notified_us = 0;
	/* The pipeline logs a failure, and a hint may be lost. */
	if (result->outcome == DB_OK)
		tell_heard(hints);
}

static void on_return(struct connection *connection, struct db_query *query, bool may_repeat)
{
	(void)query;
	(void)may_repeat;
	hints_of(connection)->busy = false;
	hints_of(connection)->notified_us = 0;
}

static bool is_word(struct str word)
{
	for (size_t i = 0; i < word.length; i++) {
		if (word.data[i] <= ' ' || word.data[i] > '~')
			return false;
	}
	return word.length > 0 && word.length <= WORD_MAX;
}

static unsigned metric_of(struct str kind)
{
	static const char *const kinds[] = {
	    [METRIC_HINT_DEVICE] = "device", [METRIC_HINT_PUSH] = "push",
	    [METRIC_HINT_KEY] = "key",	     [METRIC_HINT_APP] = "app",
	    [METRIC_HINT_RENDER] = "render", [METRIC_HINT_CHANGED] = "changed",
	    [METRIC_HINT_WATCH] = "watch",   [METRIC_HINT_SHOWS] = "shows",
	    [METRIC_HINT_READ] = "read",
	};

	for (unsigned i = 0; i < array_length(kinds); i++)
		if (kinds[i] && str_equal(kind, str_from(kinds[i])))
			return i;
	return METRIC_HINT_OTHER;
}

static void deliver(struct hints *hints, struct str word)
{
	struct str kind = {word.data, str_find(word, ':')};

	metric_add(METRIC_HINTS_RECEIVED, metric_of(kind), 1);

	list_for_each (node, &hints->subscriptions) {
		struct hint_subscription *subscription = subscription_of(node);

		if (!subscription->kind)
			subscription->on_hint(subscription, word);
		else if (kind.length < word.length && str_equal(kind, str_from(subscription->kind)))
			subscription->on_hint(subscription, str_from_offset(word, kind.length + 1));
	}
}

static void on_notify(struct connection *connection, struct str payload)
{
	struct hints *hints = hints_of(connection);
	struct str word;

	/* Every program that may connect to the database can send any text. */
	while (str_next(&payload, ' ', &word)) {
		if (is_word(word))
			deliver(hints, word);
	}
}

static void send_statement(struct hints *hints, unsigned statement)
{
	struct list queries;
	int error;

	hints->busy = true;
	hints->sent_ms = loop_now_ms(hints->connection.loop);
	hints->query.statement = (enum statement)statement;
	hints->query.moves = hints->query.conflicts = 0;
	list_init(&queries);
	list_append(&queries, &hints->query.node);
	error = pipeline_send(&hints->connection.pipeline, &queries, 1);
	connection_flush(&hints->connection, error);
	if (connection_is_up(&hints->connection))
		deadline_set(hints->connection.loop, &hints->ping, PING_MS);
}

static void on_ping(struct deadline *deadline)
{
	struct hints *hints = container_of(deadline, struct hints, ping);

	if (hints->busy || !connection_is_up(&hints->connection)) {
		deadline_set(hints->connection.loop, deadline, PING_MS);
		return;
	}
	hints->query.parameters.count = 0;
	send_statement(hints, STATEMENT_PING);
}

void hints_flush(struct hints *hints)
{
	struct db_parameters *parameters = &hints->query.parameters;
	struct str waiting = buffer_view(&hints->waiting);
	size_t length = waiting.length;

	if (hints->busy || !length || !connection_is_up(&hints->connection) ||
	    deadline_is_set(&hints->pause))
		return;
	deadline_set(hints->connection.loop, &hints->pause, PAUSE_MS);
	/* The payload holds only complete hints, each followed by a space. */
	if (length > sizeof(hints->payload)) {
		length = sizeof(hints->payload);
		while (waiting.data[length - 1] != ' ')
			length--;
	}
	memcpy(hints->payload, waiting.data, length);
	buffer_consume(&hints->waiting, length);
	/* No remaining hint is older than those sent, so keep waiting_us. */
	hints->notified_us = hints->waiting_us;
	if (buffer_length(&hints->waiting) == 0)
		hints->waiting_us = 0;
	parameters->count = 1;
	parameters->values[0] = hints->payload;
	parameters->lengths[0] = (int)length - 1;
	send_statement(hints, STATEMENT_NOTIFY);
}

static void on_pause_over(struct deadline *deadline)
{
	hints_flush(container_of(deadline, struct hints, pause));
}

void hints_add(struct hints *hints, struct str word)
{
	require(is_word(word));
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
	    .statement_count = array_length(hint_statements),
	    .effect = EFFECT_WRITE,
	};
	list_init(&hints->query.node);
	deadline_init(&hints->ping, on_ping);
	deadline_init(&hints->pause, on_pause_over);
	connection_start(&hints->connection);
}

void hints_close(struct hints *hints)
{
	deadline_clear(hints->connection.loop, &hints->ping);
	deadline_clear(hints->connection.loop, &hints->pause);
	connection_close(&hints->connection);
	hints->up = false;
	buffer_finish(&hints->waiting);
}
