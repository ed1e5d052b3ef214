#include "connection.h"

#include "calls.h"
#include "commands.h"
#include "panels.h"

#include <errno.h>
#include <sandboxed/clock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
	TURN_MS = 1000,
	PAUSE_MS = 10 * 1000, /* after the budget was used up */
	FORGET_MS = 2 * 1000,
};

/* ---- a turn ---- */

static void on_up(void *context)
{
	/* The last two: what is left of earlier sessions. */
	static const char *const patterns[] = {"+/push",	  "+/message",	    "+/+/set",
					       "+/entries/+/set", "+/availability", "+/entries/+"};
	struct connection *connection = context;
	char pattern[TOPIC_MAX];

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		snprintf(pattern, sizeof(pattern), "%s/%s", connection->base, patterns[i]);
		(void)session_subscribe(&connection->session, pattern);
	}
	for (struct device *device = connection->devices; device; device = device->next)
		publish_anew(device);
}

/* Takes the sockets that were added. Returns false if the connection is to end. */
static bool take_sockets(struct connection *connection)
{
	bool must_end;

	pthread_mutex_lock(&connection->lock);
	while (connection->socket_count) {
		api_add_socket(&connection->api, connection->sockets[--connection->socket_count]);
		connection->has_asked = false;
	}
	must_end = connection->must_end;
	pthread_mutex_unlock(&connection->lock);
	return !must_end;
}

/* Tells the loop of the session's socket. */
static void watch_session(struct connection *connection)
{
	const struct session *session = &connection->session;
	int socket = session_socket(session);
	bool wants_write = session_wants_write(session);
	struct epoll_event event = {.events = wants_write ? EPOLLOUT : EPOLLIN,
				    .data.ptr = connection};

	if (connection->watched_number != session->socket_number)
		connection->watched = -1; /* the kernel forgets a socket that was closed */
	connection->watched_number = session->socket_number;
	if (socket == connection->watched && wants_write == connection->watches_write)
		return;
	if (connection->watched >= 0 && socket < 0)
		(void)epoll_ctl(connection->api.epoll, EPOLL_CTL_DEL, connection->watched, &event);
	else if (socket >= 0)
		(void)epoll_ctl(connection->api.epoll,
				connection->watched < 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket,
				&event);
	connection->watched = socket;
	connection->watches_write = wants_write;
}

static void set_due(struct connection *connection)
{
	int64_t due_ms = session_due_ms(&connection->session, clock_ms() + TURN_MS);

	if (connection->phase == CONNECTION_SERVING && connection->api.timer_ms < due_ms)
		due_ms = connection->api.timer_ms;
	connection->due_ms = due_ms;
}

/* Begins anew with the memory that the account has: what was not allocated is missing somewhere. */
static void start_over(struct connection *connection)
{
	calls_drop(connection);
	panels_drop(connection);
	connection->calls_from_ms = clock_ms() + PAUSE_MS;
}

static void take_turn(struct connection *connection)
{
	session_drive(&connection->session, clock_ms());
	calls_drive(connection);
	panels_publish(connection);
	account_say_counts(connection);
	/* Sends what was just begun, and what was just published, goes on its way now. */
	session_drive(&connection->session, clock_ms());
	if (session_ran_out(&connection->session))
		start_over(connection);
}

/* Closes the client of the API first: other connections need descriptors during the farewell. */
static void begin_end(struct connection *connection)
{
	bool must_forget;

	pthread_mutex_lock(&connection->lock);
	must_forget = connection->must_forget;
	pthread_mutex_unlock(&connection->lock);
	api_finish(&connection->api);
	connection->phase = CONNECTION_LEAVING;
	if (must_forget && connection->session.is_up) {
		connection->phase = CONNECTION_FORGETTING;
		connection->phase_until_ms = clock_ms() + FORGET_MS;
		panels_forget(connection);
	}
	if (connection->phase == CONNECTION_LEAVING)
		session_leave(&connection->session, clock_ms());
}

/* Removes the account's panels from the broker. */
static void forget(struct connection *connection)
{
	int64_t now_ms = clock_ms();

	panels_publish(connection);
	session_drive(&connection->session, now_ms);
	if (connection->gone && connection->session.is_up && now_ms < connection->phase_until_ms)
		return;
	connection->phase = CONNECTION_LEAVING;
	session_leave(&connection->session, now_ms);
}

/* Returns false at the end. */
static bool take_turn_of_phase(struct connection *connection)
{
	if (connection->phase == CONNECTION_NEW) {
		connection->phase = CONNECTION_SERVING;
		if (!api_init(&connection->api)) {
			account_say(connection, "{\"gone\":\"%s\"}\n", connection->account);
			return false;
		}
	}
	if (connection->phase == CONNECTION_SERVING && !take_sockets(connection))
		begin_end(connection);
	if (connection->phase == CONNECTION_FORGETTING)
		forget(connection);
	if (connection->phase == CONNECTION_LEAVING)
		return !session_has_left(&connection->session, clock_ms());
	if (connection->phase == CONNECTION_SERVING)
		take_turn(connection);
	return true;
}

static void connection_finish(struct connection *connection)
{
	if (connection->phase == CONNECTION_SERVING)
		api_finish(&connection->api);
	session_finish(&connection->session);
	account_say_counts(connection);
	calls_drop(connection);
	panels_drop(connection);
}

bool connection_turn(struct connection *connection)
{
	bool goes_on;

	guard_enter(&connection->session.guard);
	(void)budget_enter(connection->budget);
	goes_on = take_turn_of_phase(connection);
	if (goes_on) {
		watch_session(connection);
		set_due(connection);
	} else {
		connection_finish(connection);
	}
	(void)budget_enter(NULL);
	guard_enter(NULL);
	return goes_on;
}

void connection_end(struct connection *connection)
{
	int bell = connection->bell;

	pthread_mutex_lock(&connection->lock);
	connection->is_over = true;
	pthread_mutex_unlock(&connection->lock);
	account_ring(bell);
}

/* ---- from the bridge's thread ---- */

static const char *text_of(yyjson_val *opened, const char *name)
{
	return yyjson_get_str(yyjson_obj_get(opened, name));
}

/* Reads the settings of the worker's message. Returns false if they are not as workers send them.
 */
static bool read_settings(struct connection *connection, const struct network_list *allowed,
			  const char *certificates)
{
	yyjson_val *opened = yyjson_obj_get(yyjson_doc_get_root(connection->opened), "open");
	const char *account = text_of(opened, "account"), *prefix = text_of(opened, "prefix");

	connection->settings = (struct session_settings){
	    .host = text_of(opened, "host"),
	    .port = yyjson_get_int(yyjson_obj_get(opened, "port")),
	    .is_tls = yyjson_get_bool(yyjson_obj_get(opened, "tls")),
	    .user = text_of(opened, "user"),
	    .password = text_of(opened, "password"),
	    .client = connection->client,
	    .will = connection->will,
	    .certificates = certificates,
	};
	connection->session.guard = (struct guard){
	    .allowed = allowed,
	    .reaches_all = yyjson_get_bool(yyjson_obj_get(opened, "all")),
	    .lacks = (unsigned)yyjson_get_uint(yyjson_obj_get(opened, "lacks")),
	};
	connection->discovery = text_of(opened, "discovery");
	if (!account || strlen(account) != TOPIC_ID_BYTES - 1 || !prefix ||
	    !connection->discovery || !connection->settings.host)
		return false;
	memcpy(connection->account, account, TOPIC_ID_BYTES);
	snprintf(connection->base, sizeof(connection->base), "%s/%s", prefix, account);
	snprintf(connection->will, sizeof(connection->will), "%s/availability", connection->base);
	snprintf(connection->client, sizeof(connection->client), "displayd-%s", account);
	return true;
}

static void on_wake(void *context)
{
	account_call(context);
}

static void init(struct connection *connection)
{
	connection->session.settings = &connection->settings;
	connection->session.context = connection;
	connection->session.budget = connection->budget =
	    budget_create(CONNECTION_BYTES_OWN, CONNECTION_BYTES_MAX);
	connection->session.on_up = on_up;
	connection->session.on_state = account_say_state;
	connection->session.on_message = commands_take;
	connection->session.on_retained = panels_take_retained;
	connection->api.events.on_event = panels_take_event;
	connection->api.events.context = connection;
	connection->publisher = (struct publisher){.session = &connection->session,
						   .base = connection->base,
						   .discovery = connection->discovery};
	connection->session.on_wake = on_wake;
	session_init(&connection->session);
	connection->api.owner = connection;
	connection->orders_end = &connection->orders;
	connection->needs_list = true;
	connection->watched = -1;
	pthread_mutex_init(&connection->lock, NULL);
}

static void release(struct connection *connection)
{
	while (connection->socket_count)
		close(connection->sockets[--connection->socket_count]);
	bytes_finish(&connection->told);
	pthread_mutex_destroy(&connection->lock);
	yyjson_doc_free(connection->opened);
	budget_release(connection->budget);
	free(connection);
}

struct connection *connection_create(yyjson_doc *opened, const struct network_list *allowed,
				     const char *certificates, int bell, const char **ret_why)
{
	struct connection *connection = memory_take(sizeof(*connection));

	*ret_why = "there are too many connections";
	if (!connection) {
		yyjson_doc_free(opened);
		return NULL;
	}
	connection->opened = opened;
	connection->bell = bell;
	if (!read_settings(connection, allowed, certificates)) {
		yyjson_doc_free(opened);
		free(connection);
		*ret_why = "the worker sent an invalid request";
		return NULL;
	}
	init(connection);
	if (connection->budget)
		return connection;
	release(connection);
	return NULL;
}

void connection_stop(struct connection *connection, bool must_forget)
{
	pthread_mutex_lock(&connection->lock);
	connection->must_end = true;
	connection->must_forget |= must_forget;
	pthread_mutex_unlock(&connection->lock);
	account_call(connection);
}

void connection_add_socket(struct connection *connection, int socket)
{
	bool has_room;

	pthread_mutex_lock(&connection->lock);
	has_room = connection->socket_count < API_SOCKETS_MAX;
	if (has_room)
		connection->sockets[connection->socket_count++] = socket;
	pthread_mutex_unlock(&connection->lock);
	if (has_room)
		account_call(connection);
	else
		close(socket);
}

bool connection_take(struct connection *connection, struct bytes *told)
{
	bool is_over;

	pthread_mutex_lock(&connection->lock);
	*told = connection->told;
	connection->told = (struct bytes){0};
	is_over = connection->is_over;
	pthread_mutex_unlock(&connection->lock);
	return is_over;
}

void connection_destroy(struct connection *connection)
{
	release(connection);
}
