#include "session.h"

#include <errno.h>
#include <poll.h>
#include <sandboxed/clock.h>
#include <sandboxed/reads.h>
#include <sandboxed/tls_once.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum {
	KEEP_ALIVE_S = 30,
	UNSENT_MAX = 32,
	STALLED_MS = 30 * 1000,
	FIRST_PAUSE_MS = 1000,
	LAST_PAUSE_MS = 60 * 1000,
	STEADY_MS = 30 * 1000, /* after a session of this age the pauses begin short again */
	READS_A_TURN = 64,
	/* Bytes that one turn reads, which may take 50 ms of the processor, and a session's share
	 * of the processor. */
	TURN_BYTES = 256 * 1024,
	PROCESSOR_SHARE = 8, /* a part of so many */
	PROCESSOR_BURST_US = 1000 * 1000,
	FAREWELL_MS = 5000,
	FAREWELL_POLL_MS = 100,
	WORDS_BYTES = 300,
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

/* Before a broker has answered, these errors are reported as one: an account must not learn what
 * else is at an address. */
static bool is_silence(int result)
{
	return result == MOSQ_ERR_ERRNO || result == MOSQ_ERR_KEEPALIVE ||
	       result == MOSQ_ERR_CONN_LOST || result == MOSQ_ERR_PROTOCOL;
}

/* Returns why the guard has refused the broker's address. */
static const char *explain_refusal(const struct guard *guard, char words[static WORDS_BYTES])
{
	const char *more = reach_sentence(guard->refused_lacks);

	switch (guard->refused) {
	case GUARD_PORT:
		return "the broker's port belongs to another service";
	case GUARD_OWN:
		return "the broker's address is this server's own";
	default:
		snprintf(words, WORDS_BYTES, "the broker's address is not public%s%s",
			 more ? ": " : "", more ?: "");
		return words;
	}
}

static const char *explain(const struct session *session, int result, int error,
			   char words[static WORDS_BYTES])
{
	static const char *const answers[] = {
	    "the broker accepted",
	    "the broker does not speak MQTT 3.1.1",
	    "the broker rejects the client identifier",
	    "the broker is not available",
	    "the broker rejects the user name or the password",
	    "the broker rejects the user name or the password",
	};

	if (session->has_run_out)
		return "the broker's messages and the account's devices take more memory than a "
		       "connection has";
	if (session->has_sent_qos_2)
		return "the broker sent a message of QoS 2, and the subscriptions ask for 1";
	if (session->guard.refused)
		return explain_refusal(&session->guard, words);
	if (result < 0)
		return -result < (int)(sizeof(answers) / sizeof(*answers))
			   ? answers[-result]
			   : "the broker rejects the connection";
	if (is_silence(result) && !session->is_up && !session->guard.reaches_all)
		return "no MQTT broker answers there";
	switch (result) {
	case MOSQ_ERR_ERRNO:
		return error ? strerror(error) : "the connection was lost";
	case MOSQ_ERR_EAI:
		return "the broker's host name cannot be resolved";
	case MOSQ_ERR_TLS:
		return "TLS failed: check the broker's port and certificate";
	case MOSQ_ERR_KEEPALIVE:
		return "the broker does not answer";
	case MOSQ_ERR_CONN_LOST:
		return "the broker closed the connection";
	default:
		return mosquitto_strerror(result);
	}
}

static void session_fail(struct session *session, int result, int64_t now_ms)
{
	char words[WORDS_BYTES];
	int error = errno;

	session->has_run_out |= budget_take_failure(session->budget);
	if (session->is_up && now_ms - session->up_ms >= STEADY_MS)
		session->failures = 0;
	session->next_ms = now_ms + pause_ms(session->failures++);
	session->on_state(
	    session->context,
	    explain(session, session->result < 0 ? session->result : result, error, words));
	mosquitto_destroy(session->mosquitto);
	session->mosquitto = NULL;
	session->is_up = false;
	session->unsent = 0;
	session->stalled_ms = 0;
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

static void start(struct session *session, int64_t now_ms)
{
	int result;

	session->guard.refused = GUARD_NONE;
	session->has_sent_qos_2 = false;
	session->result = 0;
	errno = 0;
	if (!create(session)) {
		session_fail(session, MOSQ_ERR_INVAL, now_ms);
		return;
	}
	result = mosquitto_connect(session->mosquitto, session->settings->host,
				   session->settings->port, KEEP_ALIVE_S);
	if (result != MOSQ_ERR_SUCCESS)
		session_fail(session, result, now_ms);
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
		if (now_ms >= session->next_ms)
			start(session, now_ms);
		return;
	}
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
	return session->mosquitto && !rests(session, clock_ms())
		   ? mosquitto_socket(session->mosquitto)
		   : -1;
}

int session_wait_ms(const struct session *session, int most_ms)
{
	int64_t left_ms = session->rests_until_ms - clock_ms();

	return left_ms > 0 && left_ms < most_ms ? (int)left_ms : most_ms;
}

bool session_wants_write(const struct session *session)
{
	return session->mosquitto && mosquitto_want_write(session->mosquitto);
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
	guard_enter(&session->guard);
}

/* Disconnects after the acknowledgement of the last message: a broker drops what it has not read
 * from a connection that is closed too early. Without the acknowledgement the connection is closed
 * without a DISCONNECT, so the broker publishes the will. */
static void say_farewell(struct session *session)
{
	int64_t end_ms = clock_ms() + FAREWELL_MS;
	bool is_told = false;

	while ((!is_told || session->unsent) && clock_ms() < end_ms) {
		struct pollfd wait = {.fd = session_socket(session),
				      .events = session_wants_write(session) ? POLLOUT : POLLIN};

		if (!is_told && session_has_room(session))
			is_told = publish(session, session->settings->will, "offline", 7, 1, true);
		(void)poll(&wait, 1, FAREWELL_POLL_MS);
		session_drive(session, clock_ms());
		if (!session->is_up)
			return;
	}
	if (is_told && !session->unsent)
		mosquitto_disconnect(session->mosquitto);
}

void session_finish(struct session *session)
{
	if (session->is_up)
		say_farewell(session);
	if (session->mosquitto)
		mosquitto_destroy(session->mosquitto);
	session->mosquitto = NULL;
	guard_enter(NULL);
}
