#include "explain.h"

#include <mosquitto.h>
#include <stdio.h>
#include <string.h>

/* Before a broker has answered, these errors are reported as one: an account must not learn what
 * else is at an address. */
static bool is_silence(int result)
{
	return result == MOSQ_ERR_ERRNO || result == MOSQ_ERR_KEEPALIVE ||
	       result == MOSQ_ERR_CONN_LOST || result == MOSQ_ERR_PROTOCOL;
}

/* Returns why the guard has refused the broker's address. */
static const char *explain_refusal(const struct guard *guard, char words[static EXPLAIN_BYTES])
{
	const char *more = reach_sentence(guard->refused_lacks);

	switch (guard->refused) {
	case GUARD_PORT:
		return "the broker's port belongs to another service";
	case GUARD_OWN:
		return "the broker's address is this server's own";
	default:
		snprintf(words, EXPLAIN_BYTES, "the broker's address is not public%s%s",
			 more ? ": " : "", more ?: "");
		return words;
	}
}

const char *explain_end(const struct session_end *end, char words[static EXPLAIN_BYTES])
{
	static const char *const answers[] = {
	    "the broker accepted",
	    "the broker does not speak MQTT 3.1.1",
	    "the broker rejects the client identifier",
	    "the broker is not available",
	    "the broker rejects the user name or the password",
	    "the broker rejects the user name or the password",
	};

	if (end->has_run_out)
		return "the broker's messages and the account's devices take more memory than a "
		       "connection has";
	if (end->has_sent_qos_2)
		return "the broker sent a message of QoS 2, and the subscriptions ask for 1";
	if (end->guard->refused)
		return explain_refusal(end->guard, words);
	if (end->result < 0)
		return -end->result < (int)(sizeof(answers) / sizeof(*answers))
			   ? answers[-end->result]
			   : "the broker rejects the connection";
	if (is_silence(end->result) && !end->was_up && !end->guard->reaches_all)
		return "no MQTT broker answers there";
	switch (end->result) {
	case MOSQ_ERR_ERRNO:
		return end->error ? strerror(end->error) : "the connection was lost";
	case MOSQ_ERR_EAI:
		return "the broker's host name cannot be resolved";
	case MOSQ_ERR_TLS:
		return "TLS failed: check the broker's port and certificate";
	case MOSQ_ERR_KEEPALIVE:
		return "the broker does not answer";
	case MOSQ_ERR_CONN_LOST:
		return "the broker closed the connection";
	default:
		return mosquitto_strerror(end->result);
	}
}
