#include "connection.h"

#include "calls.h"
#include "commands.h"
#include "panels.h"

#include <errno.h>
#include <sandboxed/clock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	TURN_MS = 1000,
	PAUSE_MS = 10 * 1000, /* after the budget was used up */
	THREAD_STACK = 512 << 10,
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
	uint64_t times;
	bool must_end;

	(void)!read(connection->wake, &times, sizeof(times));
	pthread_mutex_lock(&connection->lock);
	while (connection->socket_count) {
		api_add_socket(&connection->api, connection->sockets[--connection->socket_count]);
		connection->has_asked = false;
	}
	must_end = connection->must_end;
	pthread_mutex_unlock(&connection->lock);
	return !must_end;
}

static void wait_for_more(struct connection *connection)
{
	struct curl_waitfd fds[2] = {{.fd = connection->wake, .events = CURL_WAIT_POLLIN}};
	unsigned fd_count = 1;
	int socket = session_socket(&connection->session), count;

	if (socket >= 0)
		fds[fd_count++] =
		    (struct curl_waitfd){.fd = socket,
					 .events = (short)(session_wants_write(&connection->session)
							       ? CURL_WAIT_POLLOUT
							       : CURL_WAIT_POLLIN)};
	curl_multi_poll(connection->api.multi, fds, fd_count,
			session_wait_ms(&connection->session, TURN_MS), &count);
}

static void connection_finish(struct connection *connection)
{
	bool must_forget;

	pthread_mutex_lock(&connection->lock);
	must_forget = connection->must_forget;
	pthread_mutex_unlock(&connection->lock);
	/* Close the sockets first: other connections need descriptors during the farewell. */
	api_finish(&connection->api);
	if (must_forget && connection->session.is_up)
		panels_forget(connection);
	session_finish(&connection->session);
	account_say_counts(connection);
	calls_drop(connection);
	panels_drop(connection);
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

static void serve(struct connection *connection)
{
	while (take_sockets(connection)) {
		take_turn(connection);
		wait_for_more(connection);
	}
}

static void *connection_run(void *argument)
{
	struct connection *connection = argument;

	session_init(&connection->session);
	(void)budget_enter(connection->budget);
	connection->needs_list = true;
	if (api_init(&connection->api))
		serve(connection);
	else
		account_say(connection, "{\"gone\":\"%s\"}\n", connection->account);
	connection_finish(connection);
	(void)budget_enter(NULL);
	pthread_mutex_lock(&connection->lock);
	connection->is_over = true;
	pthread_mutex_unlock(&connection->lock);
	account_ring(connection->bell);
	return NULL;
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
	connection->orders_end = &connection->orders;
	pthread_mutex_init(&connection->lock, NULL);
	connection->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static int start_thread(struct connection *connection)
{
	pthread_attr_t attributes;
	int error;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, THREAD_STACK);
	error = pthread_create(&connection->thread, &attributes, connection_run, connection);
	pthread_attr_destroy(&attributes);
	return error;
}

static void release(struct connection *connection)
{
	if (connection->wake >= 0)
		close(connection->wake);
	while (connection->socket_count)
		close(connection->sockets[--connection->socket_count]);
	bytes_finish(&connection->told);
	pthread_mutex_destroy(&connection->lock);
	yyjson_doc_free(connection->opened);
	budget_release(connection->budget);
	free(connection);
}

struct connection *connection_start(yyjson_doc *opened, const struct network_list *allowed,
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
	if (connection->budget && connection->wake >= 0 && start_thread(connection) == 0)
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
	account_ring(connection->wake);
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
		account_ring(connection->wake);
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
	pthread_join(connection->thread, NULL);
	release(connection);
}
