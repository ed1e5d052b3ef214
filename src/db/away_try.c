#include "base/clock.h"
#include "connection_set_up.h"
#include "db/away.h"
#include "db/result.h"

#include <poll.h>
#include <stdio.h>

/* Where sessions are shared, a connection that asks nothing holds no session, and others get its. A
 * pooler may have several that are free: so many others are held at the same time. */
enum { OTHERS = 3 };

static enum away fail(enum away away, const char *text, char *ret_words)
{
	snprintf(ret_words, AWAY_WORDS_BYTES, "%.*s", STR_ARG(result_first_line(text)));
	return away;
}

/* *ret_pg: to be finished in any case. */
static enum away connect_within(const char *url, unsigned limit_ms, PGconn **ret_pg,
				char *ret_words)
{
	uint64_t end_ms = clock_monotonic_ms() + limit_ms;
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;
	PGconn *pg = *ret_pg = set_up_connect(url, NULL);

	while (PQstatus(pg) != CONNECTION_BAD && status != PGRES_POLLING_OK &&
	       status != PGRES_POLLING_FAILED) {
		uint64_t now_ms = clock_monotonic_ms();
		struct pollfd ready = {
		    .fd = PQsocket(pg),
		    .events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT,
		};

		if (now_ms >= end_ms)
			return fail(AWAY_SILENT, "the server does not answer", ret_words);
		if (poll(&ready, 1, (int)(end_ms - now_ms)) > 0)
			status = PQconnectPoll(pg);
	}
	if (PQstatus(pg) == CONNECTION_OK)
		return AWAY_NOT;
	return fail(away_from_error(PQerrorMessage(pg), false), PQerrorMessage(pg), ret_words);
}

/* The process of the server's that this connection's statements run in. */
static enum away ask_backend(PGconn *pg, char ret_pid[static 16], char *ret_words)
{
	PGresult *result = PQexec(pg, "SELECT pg_backend_pid()");
	enum away away = AWAY_NOT;

	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		snprintf(ret_pid, 16, "%s", PQgetvalue(result, 0, 0));
	else
		away =
		    fail(away_from_error(PQerrorMessage(pg), true), PQerrorMessage(pg), ret_words);
	PQclear(result);
	return away;
}

/* Connections beside the first one, each within a transaction: another session than the first one's
 * is theirs. */
static enum away try_sharing(const char *url, const char *first_pid, unsigned limit_ms,
			     char *ret_words)
{
	PGconn *others[OTHERS] = {NULL};
	enum away away = AWAY_NOT;
	char pid[16];

	for (unsigned i = 0; i < OTHERS && away == AWAY_NOT; i++) {
		away = connect_within(url, limit_ms, &others[i], ret_words);
		if (away == AWAY_NOT)
			PQclear(PQexec(others[i], "BEGIN"));
		if (away == AWAY_NOT)
			away = ask_backend(others[i], pid, ret_words);
		if (away == AWAY_NOT && strcmp(pid, first_pid) == 0)
			away =
			    fail(AWAY_SHARED, "two connections have met in one session", ret_words);
	}
	for (unsigned i = 0; i < OTHERS; i++)
		PQfinish(others[i]);
	return away;
}

enum away away_try(const char *url, bool session_pooler, unsigned limit_ms,
		   char ret_words[static AWAY_WORDS_BYTES])
{
	char pid[16] = "";
	PGconn *pg;
	enum away away = connect_within(url, limit_ms, &pg, ret_words);

	if (away == AWAY_NOT)
		away = ask_backend(pg, pid, ret_words);
	if (away == AWAY_NOT && away_is_pooled(pg, pid)) {
		if (session_pooler)
			away = try_sharing(url, pid, limit_ms, ret_words);
		else
			away = fail(AWAY_POOLER,
				    "what answers is not the PostgreSQL that runs the statements",
				    ret_words);
	}
	PQfinish(pg);
	return away;
}
