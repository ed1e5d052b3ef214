#include "opening.h"
#include "poller.h"
#include "resolve.h"

static void try_turn(struct opening *opening);
static void try_address(struct opening *opening);

static void clear(struct opening *opening)
{
	resolve_free(opening->resolution);
	opening->resolution = NULL;
	poller_drop(&opening->poller);
	PQfinish(opening->pg);
	opening->pg = NULL;
	deadline_clear(opening->loop, &opening->deadline);
}

static void go_on(struct opening *opening, enum unavailable unavailable, const char *words)
{
	hosts_keep_failure(&opening->failure, unavailable, words);
	clear(opening);
	if (++opening->number < opening->addresses.count)
		try_address(opening);
	else if (++opening->turn.number < hosts_turns(opening->hosts))
		try_turn(opening);
	else
		opening->done(opening->context, NULL);
}

static void on_late(struct deadline *deadline)
{
	go_on(container_of(deadline, struct opening, deadline), UNAVAILABLE_SILENT,
	      "the server does not answer");
}

static void go_on_by_libpq(struct opening *opening)
{
	const char *words = PQerrorMessage(opening->pg);

	go_on(opening, unavailable_from_error(words, false), words);
}

static void step(void *context);

static void watch(struct opening *opening, int events)
{
	int error = poller_watch(&opening->poller, &opening->loop->uv, PQsocket(opening->pg),
				 events, step, opening);

	if (error)
		go_on(opening, UNAVAILABLE_OTHER, uv_strerror(error));
}

static void step(void *context)
{
	struct opening *opening = context;
	PGconn *pg = opening->pg;

	/* libpq may close its socket and open another with the same number. */
	poller_drop(&opening->poller);
	switch (PQconnectPoll(pg)) {
	case PGRES_POLLING_READING:
		watch(opening, UV_READABLE);
		break;
	case PGRES_POLLING_WRITING:
		watch(opening, UV_WRITABLE);
		break;
	case PGRES_POLLING_OK:
		opening->pg = NULL;
		clear(opening);
		opening->done(opening->context, pg);
		break;
	default:
		go_on_by_libpq(opening);
	}
}

static void try_address(struct opening *opening)
{
	unsigned count = opening->addresses.count;

	deadline_set(opening->loop, &opening->deadline, hosts_limit_ms(opening->hosts, count));
	opening->pg = hosts_begin(opening->hosts, opening->use, opening->turn,
				  count ? opening->addresses.list[opening->number] : NULL);
	if (PQstatus(opening->pg) == CONNECTION_BAD)
		go_on_by_libpq(opening);
	else
		watch(opening, UV_WRITABLE);
}

static void on_resolved(void *context, const struct host_addresses *addresses, const char *error)
{
	struct opening *opening = context;

	if (!addresses) {
		go_on(opening, UNAVAILABLE_UNKNOWN, error);
		return;
	}
	opening->addresses = *addresses;
	clear(opening);
	try_address(opening);
}

static void try_turn(struct opening *opening)
{
	const char *name = hosts_name(opening->hosts, opening->turn);

	opening->addresses.count = opening->number = 0;
	if (!name) {
		try_address(opening);
		return;
	}
	deadline_set(opening->loop, &opening->deadline, hosts_limit_ms(opening->hosts, 0));
	opening->resolution =
	    resolve_start(opening->loop, opening->hosts, name, on_resolved, opening);
}

void opening_start(struct opening *opening)
{
	opening->turn = hosts_first_turn(opening->hosts);
	opening->resolution = NULL;
	opening->pg = NULL;
	opening->poller = NULL;
	opening->failure = (struct hosts_failure){.unavailable = UNAVAILABLE_NOT};
	deadline_init(&opening->deadline, on_late);
	try_turn(opening);
}

void opening_stop(struct opening *opening)
{
	clear(opening);
}
