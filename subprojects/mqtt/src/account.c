#include "account.h"

#include <sandboxed/clock.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { COUNT_MS = 2000 };

void account_ring(int bell)
{
	uint64_t one = 1;

	(void)!write(bell, &one, sizeof(one));
}

void account_call(struct connection *connection)
{
	atomic_store(&connection->is_called, true);
	account_ring(connection->wake);
}

/* Adds a line for the worker; drops a line that is too long. may_be_last false: also drops it if a
 * worker has closed the connection. */
static void say(struct connection *connection, bool may_be_last, const char *format,
		va_list arguments)
{
	char line[1024];
	int length = vsnprintf(line, sizeof(line), format, arguments);
	struct budget *before;

	if (length < 0 || length >= (int)sizeof(line))
		return;
	/* Has a limit of its own, and must be there to say that the budget is used up. */
	before = budget_enter(NULL);
	pthread_mutex_lock(&connection->lock);
	if ((may_be_last || !connection->must_end) && connection->told.length < CONNECTION_TOLD_MAX)
		bytes_add(&connection->told, line, (size_t)length);
	pthread_mutex_unlock(&connection->lock);
	(void)budget_enter(before);
	account_ring(connection->bell);
}

void account_say(struct connection *connection, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(connection, true, format, arguments);
	va_end(arguments);
}

/* Reports nothing of a connection that a worker has closed: the worker would take the state as that
 * of the account's next connection, whose client ID lets the broker close this one. */
static void say_state(struct connection *connection, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(connection, false, format, arguments);
	va_end(arguments);
}

/* The reasons are this program's own, or the C library's: no quotation marks are in them. */
void account_say_state(void *context, const char *why)
{
	struct connection *connection = context;

	if (why)
		say_state(connection, "{\"state\":{\"account\":\"%s\",\"error\":\"%s\"}}\n",
			  connection->account, why);
	else
		say_state(connection, "{\"state\":{\"account\":\"%s\"}}\n", connection->account);
}

void account_say_counts(struct connection *connection)
{
	const struct session *session = &connection->session;
	int64_t now = clock_ms();

	if (now < connection->counted_ms)
		return;
	connection->counted_ms = now + COUNT_MS;
	if (session->messages_in == connection->told_in &&
	    session->messages_out == connection->told_out &&
	    connection->dropped == connection->told_dropped)
		return;
	account_say(connection, "{\"counts\":[%llu,%llu,%llu]}\n",
		    (unsigned long long)(session->messages_in - connection->told_in),
		    (unsigned long long)(session->messages_out - connection->told_out),
		    (unsigned long long)(connection->dropped - connection->told_dropped));
	connection->told_in = session->messages_in;
	connection->told_out = session->messages_out;
	connection->told_dropped = connection->dropped;
}
