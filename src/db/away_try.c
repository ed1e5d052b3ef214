#include "base/clock.h"
#include "db/result.h"
#include "db/unavailable.h"
#include "host_turns.h"

#include <poll.h>
#include <stdio.h>

/* Connections to hold at the same time besides the first, to find out whether sessions are shared.
 * If they are, an idle connection holds no session, and another connection gets the session. A
 * pooler may have several free sessions. */
enum { OTHERS = 3, ANSWER_MS = 5 * 1000 };

static enum unavailable away_try_fail(enum unavailable unavailable, const char *text,
				      char *ret_words)
{
	snprintf(ret_words, UNAVAILABLE_WORDS_BYTES, "%.*s", STR_ARG(result_first_line(text)));
	return unavailable;
}

/* Returns NULL with the reason. */
static PGconn *connect_to(struct hosts *hosts, const struct hosts_use *use,
			  enum unavailable *ret_unavailable, char *ret_words)
{
	struct hosts_failure failure;
	PGconn *pg = hosts_connect(hosts, use, &failure);

	*ret_unavailable =
	    pg ? UNAVAILABLE_NOT : away_try_fail(failure.unavailable, failure.words, ret_words);
	return pg;
}

/* Runs a statement. Returns NULL if the server has not answered within ANSWER_MS. */
static PGresult *ask(PGconn *pg, const char *sql)
{
	uint64_t end_ms = clock_monotonic_ms() + ANSWER_MS;
	PGresult *result;

	if (!PQsendQuery(pg, sql))
		return NULL;
	while (PQisBusy(pg)) {
		struct pollfd ready = {.fd = PQsocket(pg), .events = POLLIN};
		uint64_t now_ms = clock_monotonic_ms();

		if (now_ms >= end_ms || poll(&ready, 1, (int)(end_ms - now_ms)) < 0 ||
		    (ready.revents && !PQconsumeInput(pg)))
			return NULL;
	}
	result = PQgetResult(pg);
	PQclear(PQgetResult(pg)); /* the end */
	return result;
}

/* Asks for the server process in which this connection's statements run. */
static enum unavailable ask_backend(PGconn *pg, char ret_pid[static 16], char *ret_words)
{
	PGresult *result = ask(pg, "SELECT pg_backend_pid()");
	const char *words = PQerrorMessage(pg);
	enum unavailable unavailable = UNAVAILABLE_NOT;

	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		snprintf(ret_pid, 16, "%s", PQgetvalue(result, 0, 0));
	else if (!words[0])
		unavailable =
		    away_try_fail(UNAVAILABLE_SILENT, "the server does not answer", ret_words);
	else
		unavailable = away_try_fail(unavailable_from_error(words, true), words, ret_words);
	PQclear(result);
	return unavailable;
}

/* Opens further connections, each within a transaction, so that they must get other sessions than
 * the first. */
static enum unavailable try_sharing(struct hosts *hosts, const struct hosts_use *use,
				    const char *first_pid, char *ret_words)
{
	PGconn *others[OTHERS] = {NULL};
	enum unavailable unavailable = UNAVAILABLE_NOT;
	char pid[16];

	for (unsigned i = 0; i < OTHERS && unavailable == UNAVAILABLE_NOT; i++) {
		others[i] = connect_to(hosts, use, &unavailable, ret_words);
		if (unavailable == UNAVAILABLE_NOT)
			PQclear(ask(others[i], "BEGIN"));
		if (unavailable == UNAVAILABLE_NOT)
			unavailable = ask_backend(others[i], pid, ret_words);
		if (unavailable == UNAVAILABLE_NOT && strcmp(pid, first_pid) == 0)
			unavailable = away_try_fail(UNAVAILABLE_SHARED,
						    "two connections share one session", ret_words);
	}
	for (unsigned i = 0; i < OTHERS; i++)
		PQfinish(others[i]);
	return unavailable;
}

PGconn *unavailable_try(struct hosts *hosts, bool session_pooler, const char *application_name,
			enum unavailable *ret_unavailable,
			char ret_words[static UNAVAILABLE_WORDS_BYTES])
{
	const struct hosts_use use = {.settings = HOSTS_USE_OF_PRIMARY(application_name).settings,
				      .has_sqlstates = true};
	char pid[16] = "";
	enum unavailable unavailable;
	PGconn *pg = connect_to(hosts, &use, &unavailable, ret_words);

	if (unavailable == UNAVAILABLE_NOT)
		unavailable = ask_backend(pg, pid, ret_words);
	if (unavailable == UNAVAILABLE_NOT && unavailable_is_pooled(pg, pid)) {
		if (session_pooler)
			unavailable = try_sharing(hosts, &use, pid, ret_words);
		else
			unavailable =
			    away_try_fail(UNAVAILABLE_POOLER,
					  "the server process that accepted the connection does "
					  "not run the statements",
					  ret_words);
	}
	*ret_unavailable = unavailable;
	if (unavailable == UNAVAILABLE_NOT) {
		PQsetErrorVerbosity(pg, PQERRORS_DEFAULT);
		return pg;
	}
	/* Begin the next try with another server: this one hangs, although the program in front of
	 * it answers. */
	if (pg && unavailable == UNAVAILABLE_SILENT)
		hosts_pass_over(hosts, pg);
	PQfinish(pg);
	return NULL;
}
