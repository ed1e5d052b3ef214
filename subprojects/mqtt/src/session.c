#include "session.h"

#include "explain.h"

#include <errno.h>
#include <poll.h>
#include <sandboxed/clock.h>
#include <sandboxed/reads.h>
#include <sandboxed/tls_once.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	KEEP_ALIVE_S = 30,
	UNSENT_MAX = 32,
	STALLED_MS = 30 * 1000,
	FIRST_PAUSE_MS = 1000,
	LAST_PAUSE_MS = 60 * 1000,
	STEADY_MS = 30 * 1000, /* after a session of this age the pauses begin short again */
	READS_A_TURN = 64,
	/* Bytes that one turn reads, while other sessions of the thread wait, and a session's
	 * share of the processor. */
	TURN_BYTES = 64 * 1024,
	PROCESSOR_SHARE = 8, /* a part of so many */
	PROCESSOR_BURST_US = 1000 * 1000,
	FAREWELL_MS = 5000,
	CONNECT_MS =
	    10 * 1000, /* to one address; the kernel's own limit is more than two minutes */
};

static int64_t pause_ms(unsigned failures)
{
	int64_t most = failures < 6 ? (int64_t)FIRST_PAUSE_MS << failures : LAST_PAUSE_MS;
	uint32_t random = 0;

	/* Random, so that not all sessions connect at once after a restart. */
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = 0;
	return most / 2 + random % (uint32_t)(most / 2);
}

static void drop_socket(struct session *session)
{
	int error = errno;

	if (session->socket >= 0)
		close(session->socket);
	session->socket = -1;
	errno = error;
}

static void session_fail(struct session *session, int result, int64_t now_ms)
{
	struct session_end end = {.guard = &session->guard,
				  .result = session->result < 0 ? session->result : result,
				  .error = errno,
				  .was_up = session->is_up,
				  .has_sent_qos_2 = session->has_sent_qos_2};
	char words[EXPLAIN_BYTES];

	session->has_run_out |= budget_take_failure(session->budget);
	end.has_run_out = session->has_run_out;
	if (session->is_up && now_ms - session->up_ms >= STEADY_MS)
		session->failures = 0;
	session->next_ms = now_ms + pause_ms(session->failures++);
	session->on_state(session->context, explain_end(&end, words));
	session_finish(session);
}

/* ---- what the library says ---- */

static void on_connected(struct mosquitto *mosquitto, void *context, int result)
{
	struct session *session = context;

	(void)mosquitto;
	session->has_progress = true;
	session->result = -result;
	session->is_up = result == 0;
}

static void on_sent(struct mosquitto *mosquitto, void *context, int number)
{
	struct session *session = context;

	(void)mosquitto;
	(void)number;
	if (session->unsent)
		session->unsent--;
}

static void on_message(struct mosquitto *mosquitto, void *context,
		       const struct mosquitto_message *message)
{
	struct session *session = context;

	(void)mosquitto;
	session->has_progress = true;
	session->messages_in++;
	if (message->payloadlen < 0 || !message->topic)
		return;
	/* A retained command was given before this session began, perhaps long ago. */
	if (message->retain)
		session->on_retained(session->context, message->topic);
	else
		session->on_message(session->context, message->topic, message->payload,
				    (size_t)message->payloadlen);
}

/* Called before the library stores a message that it has read. It keeps each one of QoS 2 until the
 * broker releases it, and tells only its log of it. */
static void on_log(struct mosquitto *mosquitto, void *context, int level, const char *text)
{
	static const char received[] = " received PUBLISH (d";
	struct session *session = context;
	const char *found = strstr(text, received);

	(void)mosquitto;
	(void)level;
	/* After that: "0, q2, ...". */
	if (found && strncmp(found + sizeof(received), ", q2", 4) == 0)
		session->has_sent_qos_2 = true;
}

/* ---- connecting ---- */

static bool set_tls(const struct session *session)
{
	const struct session_settings *settings = session->settings;

	if (!settings->is_tls)
		return true;
	if (settings->certificates &&
	    mosquitto_tls_set(session->mosquitto, settings->certificates, NULL, NULL, NULL, NULL))
		return false;
	if (!settings->certificates &&
	    mosquitto_int_option(session->mosquitto, MOSQ_OPT_TLS_USE_OS_CERTS, 1))
		return false;
	return mosquitto_tls_opts_set(session->mosquitto, 1, NULL, TLS_CIPHERS) == MOSQ_ERR_SUCCESS;
}

static bool create(struct session *session)
{
	const struct session_settings *settings = session->settings;
	static const char offline[] = "offline";

	session->mosquitto = mosquitto_new(settings->client, true, session);
	if (!session->mosquitto)
		return false;
	mosquitto_connect_callback_set(session->mosquitto, on_connected);
	mosquitto_publish_callback_set(session->mosquitto, on_sent);
	mosquitto_message_callback_set(session->mosquitto, on_message);
	mosquitto_log_callback_set(session->mosquitto, on_log);
	return set_tls(session) &&
	       mosquitto_will_set(session->mosquitto, settings->will, sizeof(offline) - 1, offline,
				  1, true) == MOSQ_ERR_SUCCESS &&
	       (!settings->user || mosquitto_username_pw_set(session->mosquitto, settings->user,
							     settings->password) == 0);
}

/* Lets the library speak over the socket, which is connected. */
static void speak(struct session *session, int64_t now_ms)
{
	const struct lookup_address *address = &session->found.addresses[session->next_address - 1];
	int result = MOSQ_ERR_INVAL;

	guard_give(&session->guard, session->socket, (const struct sockaddr *)&address->to,
		   address->length);
	session->socket = -1;
	if (create(session))
		result = mosquitto_connect(session->mosquitto, session->settings->host,
					   session->settings->port, KEEP_ALIVE_S);
	guard_take_back(&session->guard);
	if (result != MOSQ_ERR_SUCCESS)
		session_fail(session, result, now_ms);
}

/* Connects to the next address that the guard permits. Fails with errno after the last one. */
static void connect_next(struct session *session, int64_t now_ms)
{
	while (session->next_address < session->found.count) {
		const struct lookup_address *address =
		    &session->found.addresses[session->next_address++];
		const struct sockaddr *to = (const struct sockaddr *)&address->to;

		errno = EACCES;
		if (!guard_permits(&session->guard, to))
			continue;
		session->socket = (int)syscall(SYS_socket, to->sa_family,
					       SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (session->socket < 0)
			continue;
		session->socket_number++;
		session->connect_until_ms = now_ms + CONNECT_MS;
		if (syscall(SYS_connect, session->socket, to, address->length) == 0 ||
		    errno == EINPROGRESS)
			return;
		drop_socket(session);
	}
	session_fail(session, MOSQ_ERR_ERRNO, now_ms);
}

static void continue_connect(struct session *session, int64_t now_ms)
{
	struct pollfd wait = {.fd = session->socket, .events = POLLOUT};
	socklen_t size = sizeof(int);
	int error = ETIMEDOUT;

	if (poll(&wait, 1, 0) != 1) {
		if (now_ms < session->connect_until_ms)
			return;
	} else if (getsockopt(session->socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
		error = errno;
	}
	if (error == 0) {
		speak(session, now_ms);
		return;
	}
	errno = error;
	drop_socket(session);
	connect_next(session, now_ms);
}

static void take_lookup(struct session *session, int64_t now_ms)
{
	if (!lookup_take(session->lookup, &session->found))
		return;
	session->lookup = NULL;
	session->next_address = 0;
	if (session->found.count)
		connect_next(session, now_ms);
	else
		session_fail(session, MOSQ_ERR_EAI, now_ms);
}

static void start(struct session *session, int64_t now_ms)
{
	const struct session_settings *settings = session->settings;
	bool was_slow = session->found.was_slow || (session->failures && !session->found.count);

	session->guard.refused = GUARD_NONE;
	session->has_sent_qos_2 = false;
	session->result = 0;
	session->found.count = 0;
	session->lookup = lookup_begin(settings->host, settings->port, was_slow, session->on_wake,
				       session->context);
	if (session->lookup)
		take_lookup(session, now_ms);
	else
		session_fail(session, MOSQ_ERR_NOMEM, now_ms);
}

/* ---- a turn ---- */

/* Reads nothing while there is something to write: answers to a broker that sends but never reads
 * would pile up. */
static int read_some(struct session *session)
{
	int result = MOSQ_ERR_SUCCESS;

	session->has_progress = true;
	for (int i = 0; i < READS_A_TURN && session->has_progress && result == MOSQ_ERR_SUCCESS &&
			!session->has_sent_qos_2 && !session_wants_write(session);
	     i++) {
		session->has_progress = false;
		result = mosquitto_loop_read(session->mosquitto, 1);
	}
	session->has_more = session->has_progress;
	return session->has_sent_qos_2 ? MOSQ_ERR_PROTOCOL : result;
}

static int turn(struct session *session, int64_t now_ms)
{
	bool wants_write = session_wants_write(session);
	int result = wants_write ? mosquitto_loop_write(session->mosquitto, 1) : MOSQ_ERR_SUCCESS;

	if (!wants_write)
		session->stalled_ms = 0;
	else if (!session->stalled_ms)
		session->stalled_ms = now_ms;
	else if (!session_wants_write(session))
		session->stalled_ms = 0;
	else if (now_ms - session->stalled_ms > STALLED_MS)
		return MOSQ_ERR_KEEPALIVE;
	if (result == MOSQ_ERR_SUCCESS)
		result = read_some(session);
	if (result == MOSQ_ERR_SUCCESS)
		result = mosquitto_loop_misc(session->mosquitto);
	return result;
}

static void greet(struct session *session, int64_t now_ms)
{
	session->up_ms = now_ms;
	session->on_state(session->context, NULL);
	if (!session_publish(session, session->settings->will, "online", 6, true))
		return;
	session->on_up(session->context);
}

static void drive(struct session *session, int64_t now_ms)
{
	bool was_up = session->is_up;
	int result;

	if (!session->mosquitto) {
		if (session->socket >= 0)
			continue_connect(session, now_ms);
		else if (session->lookup)
			take_lookup(session, now_ms);
		else if (now_ms >= session->next_ms)
			start(session, now_ms);
		return;
	}
	session->has_more = false;
	result = turn(session, now_ms);
	if (result != MOSQ_ERR_SUCCESS || session->result < 0)
		session_fail(session, result, now_ms);
	else if (session->is_up && !was_up)
		greet(session, now_ms);
}

static int64_t processor_us(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (int64_t)used.tv_sec * 1000000 + used.tv_nsec / 1000;
}

/* Takes what a turn has used from the share of the session, which rests if nothing is left. */
static void pay(struct session *session, int64_t used_us, int64_t now_ms)
{
	int64_t grown_us = (now_ms - session->paid_ms) * 1000 / PROCESSOR_SHARE;

	session->paid_us = session->paid_us + grown_us < PROCESSOR_BURST_US
			       ? session->paid_us + grown_us
			       : PROCESSOR_BURST_US;
	session->paid_ms = now_ms;
	session->paid_us -= used_us;
	session->rests_until_ms =
	    session->paid_us < 0 ? now_ms - session->paid_us * PROCESSOR_SHARE / 1000 : 0;
}

static bool rests(const struct session *session, int64_t now_ms)
{
	return now_ms < session->rests_until_ms;
}

void session_drive(struct session *session, int64_t now_ms)
{
	int64_t before_us;

	if (rests(session, now_ms))
		return;
	before_us = processor_us();
	reads_limit(TURN_BYTES);
	drive(session, now_ms);
	reads_unlimit();
	pay(session, processor_us() - before_us, now_ms);
}

bool session_ran_out(struct session *session)
{
	bool has_run_out;

	session->has_run_out |= budget_take_failure(session->budget);
	has_run_out = session->has_run_out;
	if (has_run_out && session->mosquitto)
		session_fail(session, MOSQ_ERR_NOMEM, clock_ms());
	session->has_run_out = false;
	return has_run_out;
}

int session_socket(const struct session *session)
{
	if (rests(session, clock_ms()))
		return -1;
	return session->mosquitto ? mosquitto_socket(session->mosquitto) : session->socket;
}

int64_t session_due_ms(const struct session *session, int64_t until_ms)
{
	int64_t due_ms = until_ms;

	if (rests(session, clock_ms()))
		due_ms = session->rests_until_ms;
	else if (session->has_more)
		due_ms = 0;
	else if (session->socket >= 0)
		due_ms = session->connect_until_ms;
	else if (!session->mosquitto && !session->lookup)
		due_ms = session->next_ms;
	return due_ms < until_ms ? due_ms : until_ms;
}

bool session_wants_write(const struct session *session)
{
	return session->mosquitto ? mosquitto_want_write(session->mosquitto) : session->socket >= 0;
}

bool session_has_room(const struct session *session)
{
	return session->is_up && session->unsent < UNSENT_MAX;
}

/* quality 1: counts as unsent until the broker has acknowledged it. */
static bool publish(struct session *session, const char *topic, const char *payload, size_t length,
		    int quality, bool is_retained)
{
	session->unsent++;
	if (mosquitto_publish(session->mosquitto, NULL, topic, (int)length, payload, quality,
			      is_retained) != MOSQ_ERR_SUCCESS) {
		session->unsent--;
		return false;
	}
	session->messages_out++;
	return true;
}

bool session_publish(struct session *session, const char *topic, const char *payload, size_t length,
		     bool is_retained)
{
	if (!session_has_room(session))
		return false;
	/* If that fails, it cannot be sent at all; the library notices a lost connection. */
	(void)publish(session, topic, payload, length, 0, is_retained);
	return true;
}

bool session_subscribe(struct session *session, const char *pattern)
{
	return mosquitto_subscribe(session->mosquitto, NULL, pattern, 1) == MOSQ_ERR_SUCCESS;
}

/* ---- beginning and end ---- */

void session_init(struct session *session)
{
	session->socket = session->guard.given = -1;
}

void session_leave(struct session *session, int64_t now_ms)
{
	session->leave_until_ms = now_ms + FAREWELL_MS;
	session->is_farewell_sent = false;
}

/* Disconnects after the acknowledgement of the last message: a broker drops what it has not read
 * from a connection that is closed too early. Without the acknowledgement the connection is closed
 * without a DISCONNECT, so the broker publishes the will. */
bool session_has_left(struct session *session, int64_t now_ms)
{
	if (!session->is_up || now_ms >= session->leave_until_ms)
		return true;
	if (!session->is_farewell_sent && session_has_room(session))
		session->is_farewell_sent =
		    publish(session, session->settings->will, "offline", 7, 1, true);
	session_drive(session, now_ms);
	if (!session->is_up)
		return true;
	if (!session->is_farewell_sent || session->unsent)
		return false;
	mosquitto_disconnect(session->mosquitto);
	return true;
}

void session_finish(struct session *session)
{
	lookup_cancel(session->lookup);
	session->lookup = NULL;
	drop_socket(session);
	if (session->mosquitto)
		mosquitto_destroy(session->mosquitto);
	session->mosquitto = NULL;
	session->is_up = session->has_more = false;
	session->unsent = 0;
	session->stalled_ms = 0;
}
