#include "base/log.h"
#include "base/memory.h"
#include "bridge_parts.h"
#include "metric/metric.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	/* Pause after a failed start of the process. */
	PAUSE_MS = 30 * 1000,
	WORD_MAX = 16 * 1024,
	/* A socket takes some hundred lines at a time, and a takeover opens a thousand connections.
	 */
	AGAIN_MS = 5,
	STUCK_MS = 10 * 1000,
};

struct bridge_line {
	struct list node;
	struct buffer text;
	int descriptor; /* -1: none */
};

void bridge_tick_soon(struct bridge *bridge, uint64_t ms)
{
	if (!bridge->is_draining)
		deadline_set(bridge->with.loop, &bridge->tick, ms);
}

/* ---- the socket ---- */

static void free_line(struct bridge_line *line)
{
	buffer_finish(&line->text);
	if (line->descriptor >= 0)
		close(line->descriptor);
	free(line);
}

/* Forgets the connections of the process; with the next lease it gets all of them again. */
static void forget_link(struct bridge *bridge)
{
	bridge->link = NULL;
	bridge->is_ready = false;
	bridge->stuck_ms = 0;
	deadline_clear(bridge->with.loop, &bridge->again);
	for (struct list *node; (node = list_take_first(&bridge->waiting));)
		free_line(container_of(node, struct bridge_line, node));
	list_for_each (node, &bridge->brokers.all)
		brokers_forget(container_of(node, struct broker, node));
}

void bridge_drop_link(struct bridge *bridge)
{
	if (!bridge->link)
		return;
	sandboxed_end(bridge->link);
	forget_link(bridge);
}

/* Sends what waits, as far as the process takes it. */
static void send_waiting(struct bridge *bridge)
{
	uint64_t now_ms = loop_now_ms(bridge->with.loop);

	while (!list_is_empty(&bridge->waiting)) {
		struct bridge_line *line =
		    container_of(bridge->waiting.next, struct bridge_line, node);

		if (!sandboxed_send(bridge->link, buffer_view(&line->text), line->descriptor))
			break;
		bridge->stuck_ms = 0;
		list_remove(&line->node);
		free_line(line);
	}
	if (list_is_empty(&bridge->waiting))
		return;
	if (!bridge->stuck_ms)
		bridge->stuck_ms = now_ms;
	deadline_set(bridge->with.loop, &bridge->again, AGAIN_MS);
	if (now_ms - bridge->stuck_ms < STUCK_MS)
		return;
	log_error("mqtt", "MQTT bridge stopped reading, ended it");
	bridge_drop_link(bridge);
	bridge_tick_soon(bridge, BRIDGE_TICK_MS);
}

static void on_again(struct deadline *deadline)
{
	send_waiting(container_of(deadline, struct bridge, again));
}

void bridge_init_link(struct bridge *bridge)
{
	list_init(&bridge->waiting);
	deadline_init(&bridge->again, on_again);
}

void bridge_say(struct bridge *bridge, struct buffer *text, int descriptor)
{
	struct bridge_line *line = memory_zalloc(sizeof(*line));

	list_init(&line->node);
	line->text = *text;
	line->descriptor = descriptor;
	*text = (struct buffer){0};
	if (!bridge->is_ready) {
		free_line(line);
		return;
	}
	list_append(&bridge->waiting, &line->node);
	if (!deadline_is_set(&bridge->again))
		send_waiting(bridge);
}

void bridge_close_broker(struct bridge *bridge, struct broker *broker, bool must_forget)
{
	struct buffer line = {0};

	if (!broker->peer.is_open)
		return;
	brokers_forget(broker);
	bridge_write_close(&line, broker->peer.account_id, must_forget);
	bridge_say(bridge, &line, -1);
}

/* ---- messages of the bridge ---- */

static void on_told(struct db_query *query, const struct db_result *result)
{
	struct bridge *bridge = container_of(query, struct bridge, told);

	struct broker *broker = brokers_find(&bridge->brokers, bridge->told_account);
	bool is_written = result->outcome == DB_OK;

	bridge->is_telling = false;
	arena_finish(&bridge->told_arena);
	if (!is_written && broker)
		broker->has_news = broker->peer.is_open; /* with the next lease */
	if (bridge->is_draining)
		bridge_let_go(bridge);
	else if (is_written)
		bridge_tell_next(bridge);
}

void bridge_tell_next(struct bridge *bridge)
{
	if (bridge->is_telling || bridge->is_draining)
		return;
	list_for_each (node, &bridge->brokers.all) {
		struct broker *broker = container_of(node, struct broker, node);
		struct str error = str_from(broker->error);

		if (!broker->has_news)
			continue;
		broker->has_news = false;
		bridge->is_telling = true;
		bridge->told_account = broker->peer.account_id;
		db_query_init(&bridge->told, &bridge->told_arena);
		statement_mqtt_told(&bridge->told,
				    &(struct mqtt_told_parameters){
					.account_id = broker->peer.account_id,
					.holder = bridge->holder,
					.error = error.length
						     ? arena_copy(&bridge->told_arena, error)
						     : (struct str){0},
				    });
		bridge->told.done = on_told;
		db_submit(bridge->with.db, &bridge->told);
		return;
	}
}

static void on_let_go(struct db_query *query, const struct db_result *result)
{
	struct bridge *bridge = container_of(query, struct bridge, told);

	(void)result; /* the leases end by themselves */
	bridge->is_telling = false;
	arena_finish(&bridge->told_arena);
}

void bridge_let_go(struct bridge *bridge)
{
	if (!bridge->may_hold || bridge->is_asking || bridge->is_telling ||
	    !db_is_up(bridge->with.db))
		return;
	bridge->may_hold = false;
	bridge->is_telling = true;
	db_query_init(&bridge->told, &bridge->told_arena);
	statement_mqtt_let_go(&bridge->told,
			      &(struct mqtt_let_go_parameters){.holder = bridge->holder});
	bridge->told.done = on_let_go;
	db_submit(bridge->with.db, &bridge->told);
}

/* Writes a line for each change, not for each try. */
static void log_change(const struct broker *broker, const struct bridge_word *word)
{
	char account[ID_TEXT_LENGTH + 1];

	id_format(word->account, account);
	if (!word->error[0] && !broker->is_connected)
		log_info("mqtt", "connected to the broker", LOG_TEXT("account", account));
	else if (word->error[0] && strcmp(word->error, broker->error) != 0)
		log_warn("mqtt", "not connected to the broker, trying again",
			 LOG_TEXT("account", account), LOG_TEXT("error", word->error));
}

static void take_state(struct bridge *bridge, const struct bridge_word *word)
{
	struct broker *broker = brokers_find(&bridge->brokers, word->account);

	if (!broker || !broker->peer.is_open)
		return;
	log_change(broker, word);
	broker->has_news = true;
	broker->is_connected = !word->error[0];
	memcpy(broker->error, word->error, sizeof(broker->error));
	brokers_tell(&bridge->brokers);
	bridge_tell_next(bridge);
}

static void give_socket(struct bridge *bridge, struct id account)
{
	struct broker *broker = brokers_find(&bridge->brokers, account);
	struct buffer line = {0};
	int ends[2];

	if (!broker || !broker->peer.is_open)
		return;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0)
		return;
	if (http_server_adopt(bridge->with.http, ends[1], &broker->listener) == 0) {
		bridge_write_socket(&line, account);
		bridge_say(bridge, &line, ends[0]);
		return;
	}
	close(ends[0]);
}

/* The next lease opens the connection again. */
static void take_end(const struct bridge *bridge, struct id account)
{
	struct broker *broker = brokers_find(&bridge->brokers, account);

	if (broker)
		broker->peer.is_open = broker->is_connected = false;
	brokers_tell(&bridge->brokers);
}

static void greet(struct bridge *bridge, const struct bridge_word *word)
{
	if (!bridge->has_greeted)
		log_info("mqtt", "MQTT bridge runs in a sandbox",
			 LOG_TEXT("library", word->library), LOG_TEXT("layers", word->layers));
	bridge->has_greeted = true;
	bridge->is_ready = true;
	sandboxed_note_ready(bridge->link);
	bridge_tick_soon(bridge, 0);
}

static void take_word(struct bridge *bridge, const struct bridge_word *word)
{
	switch (word->kind) {
	case BRIDGE_HELLO:
		greet(bridge, word);
		break;
	case BRIDGE_STATE:
		take_state(bridge, word);
		break;
	case BRIDGE_NEEDS:
		give_socket(bridge, word->account);
		break;
	case BRIDGE_GONE:
		take_end(bridge, word->account);
		break;
	case BRIDGE_COUNTS:
		for (int i = 0; i < BRIDGE_COUNTS_MAX; i++)
			metric_add(METRIC_MQTT_MESSAGES, i, word->counts[i]);
	}
}

static void on_bytes(struct sandboxed *link, struct buffer *input)
{
	struct bridge *bridge = sandboxed_context(link);

	for (;;) {
		struct str text = buffer_view(input);
		size_t length = str_find(text, '\n');
		struct bridge_word word;

		if (length == text.length && length < WORD_MAX)
			return;
		if (length == text.length || !bridge_read((struct str){text.data, length}, &word)) {
			log_error("mqtt", "MQTT bridge sent an invalid message, ended it");
			bridge_drop_link(bridge);
			bridge_tick_soon(bridge, BRIDGE_TICK_MS);
			return;
		}
		buffer_consume(input, length + 1);
		take_word(bridge, &word);
		if (bridge->link != link)
			return;
	}
}

static void on_gone(struct sandboxed *link, enum sandboxed_end end, int status)
{
	struct bridge *bridge = sandboxed_context(link);

	if (end == SANDBOXED_ENDED)
		log_error("mqtt", "MQTT bridge ended", LOG_INT("status", status));
	if (end == SANDBOXED_NOT_STARTED)
		bridge->paused_until_ms = loop_now_ms(bridge->with.loop) + PAUSE_MS;
	forget_link(bridge);
	bridge_tick_soon(bridge, BRIDGE_TICK_MS);
}

static void on_started(struct sandboxed *link)
{
	(void)link; /* wait for its greeting */
}

bool bridge_can_start(const struct bridge *bridge)
{
	struct host_link *host = engines_host(bridge->with.engines);

	return host && render_health_has(host_link_health(host), RENDER_MQTT);
}

void bridge_start_link(struct bridge *bridge)
{
	static const struct sandboxed_events events = {
	    .on_started = on_started, .on_bytes = on_bytes, .on_gone = on_gone};

	if (bridge->link || !bridge_can_start(bridge))
		return;
	bridge->link = sandboxed_start(bridge->with.loop, engines_host(bridge->with.engines),
				       RENDER_MQTT, &events, bridge);
}
