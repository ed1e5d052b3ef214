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

void account_say(struct connection *connection, const char *format, ...)
{
	char line[1024];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (length < 0 || length >= (int)sizeof(line))
		return;
	pthread_mutex_lock(&connection->lock);
	if (connection->told.length < CONNECTION_TOLD_MAX)
		bytes_add(&connection->told, line, (size_t)length);
	pthread_mutex_unlock(&connection->lock);
	account_ring(connection->bell);
}

/* The reasons are this program's own, or the C library's: no quotation marks are in them. */
void account_say_state(void *context, const char *why)
{
	struct connection *connection = context;

	if (why)
		account_say(connection, "{\"state\":{\"account\":\"%s\",\"error\":\"%s\"}}\n",
			    connection->account, why);
	else
		account_say(connection, "{\"state\":{\"account\":\"%s\"}}\n", connection->account);
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
