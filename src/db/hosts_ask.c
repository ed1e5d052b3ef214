#include "base/clock.h"
#include "host_turns.h"

#include <poll.h>

/* Addresses of all servers that are tried side by side. */
enum { TRIES_MAX = 32 };

struct
try {
	PGconn *pg;
	unsigned index; /* of the server in the string */
	PostgresPollingStatusType status;
	bool is_asked, has_ended;
	struct timeline timeline; /* valid once the server has answered */
};

struct asking {
	struct try tries[TRIES_MAX];
	unsigned count;
};

/* Connections to primary servers, unless the string wants something else. */
static const char *const settings[] = {"application_name", "displayd", "target_session_attrs",
				       "primary", NULL};
static const struct hosts_use use = {.settings = settings};

static void add(struct asking *asking, const struct hosts *hosts, unsigned index,
		const char *address)
{
	if (asking->count == TRIES_MAX)
		return;
	asking->tries[asking->count++] = (struct try){
	    .pg = hosts_begin(hosts, &use, (struct host_turn){.number = index}, address),
	    .index = index,
	    .status = PGRES_POLLING_WRITING,
	};
}

static void hosts_ask_begin(struct asking *asking, const struct hosts *hosts)
{
	for (unsigned i = 0; i < hosts_turns(hosts); i++) {
		const char *name = hosts_name(hosts, (struct host_turn){.number = i});
		struct hosts_failure ignored = {.unavailable = UNAVAILABLE_NOT};
		struct host_addresses addresses;

		if (!name)
			add(asking, hosts, i, NULL);
		else if (hosts_look_up(hosts, name, &addresses, &ignored))
			for (unsigned j = 0; j < addresses.count; j++)
				add(asking, hosts, i, addresses.list[j]);
	}
}

static void take_answer(struct try *try)
{
	PGresult *result;

	if (!PQconsumeInput(try->pg)) {
		try->has_ended = true;
		return;
	}
	if (PQisBusy(try->pg))
		return;
	result = PQgetResult(try->pg);
	try->timeline = timeline_read(result, 0);
	try->has_ended = true;
	PQclear(result);
}

static void step(struct try *try)
{
	if (try->is_asked) {
		take_answer(try);
		return;
	}
	try->status = PQconnectPoll(try->pg);
	if (try->status == PGRES_POLLING_FAILED) {
		try->has_ended = true;
	} else if (try->status == PGRES_POLLING_OK) {
		try->is_asked = PQsendQuery(try->pg, "SELECT " TIMELINE_COLUMNS);
		try->status = PGRES_POLLING_READING;
		try->has_ended = !try->is_asked;
	}
}

/* Waits until one of them can go on. Returns false if all have ended. */
static bool wait_for_one(struct asking *asking, uint64_t end_ms)
{
	struct pollfd ready[TRIES_MAX];
	unsigned indices[TRIES_MAX], count = 0;
	uint64_t now_ms = clock_monotonic_ms();

	for (unsigned i = 0; i < asking->count; i++) {
		struct try *try = &asking->tries[i];

		if (!try->has_ended && PQstatus(try->pg) == CONNECTION_BAD)
			try->has_ended = true;
		if (try->has_ended)
			continue;
		indices[count] = i;
		ready[count++] = (struct pollfd){
		    .fd = PQsocket(try->pg),
		    .events = try->status == PGRES_POLLING_READING ? POLLIN : POLLOUT,
		};
	}
	if (count == 0 || now_ms >= end_ms)
		return false;
	if (poll(ready, count, (int)(end_ms - now_ms)) > 0)
		for (unsigned i = 0; i < count; i++)
			if (ready[i].revents)
				step(&asking->tries[indices[i]]);
	return true;
}

/* Returns the server with the highest timeline of the system: the preferred one if several have it,
 * else the first. NULL: none has answered. */
static const struct try *choose(const struct asking *asking, uint64_t system, unsigned preferred)
{
	const struct try *best = NULL;

	for (unsigned i = 0; i < asking->count; i++) {
		const struct try *try = &asking->tries[i];

		if (!try->timeline.system || (system && try->timeline.system != system))
			continue;
		system = try->timeline.system;
		if (!best || try->timeline.number > best->timeline.number ||
		    (try->timeline.number == best->timeline.number && try->index == preferred))
			best = try;
	}
	return best;
}

bool hosts_ask(struct hosts *hosts, struct timeline *ret)
{
	uint64_t end_ms = clock_monotonic_ms() + HOSTS_EACH_MS;
	struct timeline_known *known = hosts_known(hosts);
	struct asking asking = {.count = 0};
	const struct try *best;
	bool is_found;

	hosts_ask_begin(&asking, hosts);
	while (wait_for_one(&asking, end_ms))
		;
	best = choose(&asking, timeline_get(known).system, hosts_first_turn(hosts).first);
	is_found = best && timeline_note(known, best->timeline) == TIMELINE_CURRENT;
	if (is_found) {
		hosts_put_first(hosts, best->index);
		*ret = best->timeline;
	}
	for (unsigned i = 0; i < asking.count; i++)
		PQfinish(asking.tries[i].pg);
	return is_found;
}
