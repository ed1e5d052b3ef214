#include "base/clock.h"
#include "base/memory.h"
#include "host_turns.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <text/str.h>

/* Waits until the connection is open, has failed, or limit_ms have passed. */
static bool wait_for(PGconn *pg, unsigned limit_ms)
{
	uint64_t end_ms = clock_monotonic_ms() + limit_ms;
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;

	while (PQstatus(pg) != CONNECTION_BAD && status != PGRES_POLLING_OK &&
	       status != PGRES_POLLING_FAILED) {
		uint64_t now_ms = clock_monotonic_ms();
		struct pollfd ready = {
		    .fd = PQsocket(pg),
		    .events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT,
		};

		if (now_ms >= end_ms)
			return false;
		if (poll(&ready, 1, (int)(end_ms - now_ms)) > 0)
			status = PQconnectPoll(pg);
	}
	return true;
}

/* Compares the server's timeline, if a known one has to be kept: see connection_set_up.c. */
static enum unavailable judge(struct hosts *hosts, PGconn *pg)
{
	struct timeline timeline = {0};
	PGresult *result;

	if (!hosts_are_fenced(hosts) || !timeline_get(hosts_known(hosts)).system)
		return UNAVAILABLE_NOT;
	result = PQexec(pg, "SELECT " TIMELINE_COLUMNS);
	timeline = timeline_read(result, 0);
	PQclear(result);
	return hosts_judge(hosts, timeline);
}

/* Tries an address. Returns NULL if it failed, and keeps the failure. */
static PGconn *try_address(struct hosts *hosts, const struct hosts_use *use, struct host_turn turn,
			   const struct host_addresses *addresses, unsigned number,
			   struct hosts_failure *failure)
{
	const char *address = addresses->count ? addresses->list[number] : NULL;
	PGconn *pg = hosts_begin(hosts, use, turn, address);
	bool has_ended = wait_for(pg, hosts_limit_ms(hosts, addresses->count));
	const char *words = PQerrorMessage(pg);

	if (PQstatus(pg) == CONNECTION_OK) {
		enum unavailable unavailable = judge(hosts, pg);

		if (unavailable == UNAVAILABLE_NOT) {
			hosts_note_good(hosts, pg);
			return pg;
		}
		hosts_keep_failure(failure, unavailable, unavailable_text(unavailable));
		PQfinish(pg);
		return NULL;
	}
	if (has_ended)
		hosts_keep_failure(failure, unavailable_from_error(words, false), words);
	else
		hosts_keep_failure(failure, UNAVAILABLE_SILENT, "the server does not answer");
	PQfinish(pg);
	return NULL;
}

PGconn *hosts_connect(struct hosts *hosts, const struct hosts_use *use,
		      struct hosts_failure *ret_failure)
{
	struct timeline ignored;
	struct host_turn turn;
	PGconn *pg = NULL;

	if (hosts_are_fenced(hosts))
		(void)hosts_ask(hosts, &ignored);
	turn = hosts_first_turn(hosts);
	*ret_failure = (struct hosts_failure){.unavailable = UNAVAILABLE_NOT};
	for (; !pg && turn.number < hosts_turns(hosts); turn.number++) {
		const char *name = hosts_name(hosts, turn);
		struct host_addresses addresses = {.count = 0};
		unsigned number = 0;

		if (name && !hosts_look_up(hosts, name, &addresses, ret_failure))
			continue;
		do
			pg = try_address(hosts, use, turn, &addresses, number, ret_failure);
		while (!pg && ++number < addresses.count);
	}
	return pg;
}

PGconn *hosts_connect_once(const char *url, const struct hosts_use *use,
			   struct timeline_known *known, struct hosts_failure *ret_failure)
{
	struct hosts *hosts = hosts_create(url);
	PGconn *pg;

	/* libpq's error text would repeat parts of the URL, perhaps a password. */
	*ret_failure = (struct hosts_failure){.unavailable = UNAVAILABLE_SETTINGS,
					      .words = "the URL is not a valid connection string"};
	if (!hosts)
		return NULL;
	if (known)
		hosts_fence(hosts, known);
	pg = hosts_connect(hosts, use, ret_failure);
	hosts_destroy(hosts);
	return pg;
}
