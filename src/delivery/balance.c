#include "balance.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "db/hint_text.h"
#include "delivery/balance_region.h"
#include "metric/metric.h"

enum {
	TURN_MS = 1000,
	SAY_MS = 5000,
	FRESH_MS = 15 * 1000, /* a number that is older counts no more */
	/* At most so many a second for each worker: a panel that comes back costs PostgreSQL 0.25
	 * ms. */
	WORKER_PER_S_MAX = 25,
	/* The excess would be gone in two fifths of the time for which a connection stays, if no
	 * panel came back. */
	STAY_PARTS = 2,
	STAY_PART = 5,
	LEAST_EXCESS = 8, /* panels: chance moves as many */
	BUCKETS_A_TURN = 8192,
	/* Looks after so long, and so many ended connections, whether that has helped. */
	TRIAL_MS = 5 * 60 * 1000,
	TRIAL_ENDS = 20,
	TRIAL_PART = 8, /* of the ended ones so many parts must have gone */
	GIVEN_UP_MS = 60 * 60 * 1000,
};

/* Times are those of loop_now_ms(), which is the same in all processes. */
struct balance_peer {
	_Atomic uint64_t name; /* the instance's, in short; 0: free */
	_Atomic uint64_t heard_ms;
	_Atomic uint32_t panels;
};

struct balance_worker {
	_Atomic uint64_t told_ms;
	_Atomic uint32_t panels;
};

struct balance_common {
	_Atomic uint64_t said_ms;
	_Atomic uint64_t trial_ms; /* start of the trial; 0: none */
	_Atomic uint32_t trial_panels, trial_ends;
	_Atomic uint64_t given_up_until_ms;
	struct balance_peer peers[BALANCE_PEERS_MAX];
	struct balance_worker workers[BALANCE_WORKERS_MAX];
};

const struct region balance_region = {
    .name = "balance", .version = 1, .size = sizeof(struct balance_common)};

uint64_t balance_rate(unsigned own, uint64_t others, unsigned other_count, uint64_t stay_ms)
{
	uint64_t mean = (own + others) / (other_count + UINT64_C(1));

	if (other_count == 0 || stay_ms == 0 || own * UINT64_C(100) <= mean * 115 ||
	    own < mean + LEAST_EXCESS)
		return 0;
	return (own - mean) * 1000 * STAY_PART * 1000 / (stay_ms * STAY_PARTS);
}

/* ---- numbers of all ---- */

static unsigned own_panels(const struct balance *balance, uint64_t now_ms)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < BALANCE_WORKERS_MAX; i++) {
		const struct balance_worker *worker = &balance->common->workers[i];

		if (atomic_load(&worker->told_ms) + FRESH_MS > now_ms)
			sum += atomic_load(&worker->panels);
	}
	return sum;
}

static uint64_t others_panels(const struct balance *balance, uint64_t now_ms, unsigned *ret_count)
{
	uint64_t sum = 0;

	*ret_count = 0;
	for (unsigned i = 0; i < BALANCE_PEERS_MAX; i++) {
		const struct balance_peer *peer = &balance->common->peers[i];

		if (!atomic_load(&peer->name) || atomic_load(&peer->heard_ms) + FRESH_MS <= now_ms)
			continue;
		sum += atomic_load(&peer->panels);
		++*ret_count;
	}
	return sum;
}

/* The last bytes are random. */
static uint64_t short_name(struct id instance)
{
	uint64_t name;

	memcpy(&name, instance.bytes + sizeof(instance.bytes) - sizeof(name), sizeof(name));
	return name;
}

/* Returns the place of the instance, or a free or outdated one; NULL: there are too many. */
static struct balance_peer *place_of(const struct balance *balance, uint64_t name, uint64_t now_ms)
{
	struct balance_peer *place = NULL;

	for (unsigned i = 0; i < BALANCE_PEERS_MAX; i++) {
		struct balance_peer *peer = &balance->common->peers[i];

		if (atomic_load(&peer->name) == name)
			return peer;
		if (!atomic_load(&peer->name) || atomic_load(&peer->heard_ms) + FRESH_MS <= now_ms)
			place = place ? place : peer;
	}
	return place;
}

/* text: "<instance>:<panels>". Only the carrier's worker is called. */
static void on_hint(struct hint_subscription *hints, struct str text)
{
	struct balance *balance = container_of(hints, struct balance, hints);
	uint64_t now_ms = loop_now_ms(balance->loop);
	struct balance_peer *peer;
	struct str fields[2];
	struct id instance;
	int64_t panels;

	if (!hint_split(text, fields, array_length(fields)) || !id_parse(fields[0], &instance) ||
	    !hint_number_read(fields[1], UINT32_MAX, &panels) || id_equal(instance, balance->self))
		return;
	peer = place_of(balance, short_name(instance), now_ms);
	if (!peer)
		return;
	atomic_store(&peer->panels, (uint32_t)panels);
	atomic_store(&peer->heard_ms, now_ms);
	atomic_store(&peer->name, short_name(instance));
}

/* Tells the other instances; one worker does, for all. */
static void say(const struct balance *balance, unsigned own, uint64_t now_ms)
{
	uint64_t said_ms = atomic_load(&balance->common->said_ms);
	char self[ID_TEXT_LENGTH + 1];
	struct arena arena = {0};

	if (now_ms - said_ms < SAY_MS || !db_others_since_ms(balance->db) ||
	    !db_hints_are_up(balance->db) ||
	    !atomic_compare_exchange_strong(&balance->common->said_ms, &said_ms, now_ms))
		return;
	id_format(balance->self, self);
	db_hint(balance->db, arena_printf(&arena, "load:%s:%u", self, own));
	arena_finish(&arena);
}

/* ---- ending connections ---- */

/* Whether to go on: not if panels come back to this instance. Any worker may look. */
static bool helps(const struct balance *balance, unsigned own, uint64_t now_ms)
{
	struct balance_common *common = balance->common;
	uint64_t began_ms = atomic_load(&common->trial_ms);
	uint32_t ends, before;

	if (now_ms < atomic_load(&common->given_up_until_ms))
		return false;
	if (began_ms && now_ms - began_ms < TRIAL_MS)
		return true;
	if (!atomic_compare_exchange_strong(&common->trial_ms, &began_ms, now_ms))
		return true;
	ends = atomic_exchange(&common->trial_ends, 0);
	before = atomic_exchange(&common->trial_panels, own);
	if (!began_ms || now_ms - began_ms > 2 * TRIAL_MS || ends < TRIAL_ENDS ||
	    own + ends / TRIAL_PART < before)
		return true;
	log_warn("panel", "panels whose connections were ended came back, trying again in an hour",
		 LOG_INT("ended", ends), LOG_INT("panels", own));
	atomic_store(&common->given_up_until_ms, now_ms + GIVEN_UP_MS);
	return false;
}

static bool may_end(const struct balance *balance, const struct panel *panel)
{
	int64_t since_us = balance->since_us(panel);

	return since_us && !panel->order && !panel->takes_order && !panel->takes_firmware &&
	       clock_wall_us() - since_us >= (int64_t)balance->stay_ms * 1000;
}

/* Ends up to count connections, of panels in the order of a hash. */
static void end_some(struct balance *balance, unsigned count)
{
	const struct map *map = &balance->panels->by_id;

	for (size_t i = 0; count && i < map->bucket_count && i < BUCKETS_A_TURN; i++) {
		struct map_node *node = map->buckets[balance->position++ % map->bucket_count];

		for (; node && count; node = node->next) {
			struct panel *panel = container_of(node, struct panel, by_id);

			if (!may_end(balance, panel))
				continue;
			count--;
			atomic_fetch_add(&balance->common->trial_ends, 1);
			metric_add(METRIC_PANELS_MOVED, 0, 1);
			balance->on_end(panel);
		}
	}
}

static void even_out(struct balance *balance, unsigned own, uint64_t now_ms)
{
	unsigned other_count, whole;
	uint64_t others = others_panels(balance, now_ms, &other_count);
	uint64_t rate = balance_rate(own, others, other_count, balance->stay_ms);

	if (!rate || !helps(balance, own, now_ms)) {
		balance->owed = 0;
		return;
	}
	/* Its part of what the instance is to end. */
	balance->owed += rate * balance->panels->connected / own;
	whole = (unsigned)(balance->owed / 1000);
	balance->owed %= 1000;
	end_some(balance, whole < WORKER_PER_S_MAX ? whole : WORKER_PER_S_MAX);
}

static void on_turn(struct deadline *deadline)
{
	struct balance *balance = container_of(deadline, struct balance, turn);
	struct balance_worker *worker = &balance->common->workers[balance->worker];
	uint64_t now_ms = loop_now_ms(balance->loop);
	unsigned own;

	deadline_set(balance->loop, deadline, TURN_MS);
	atomic_store(&worker->panels, balance->panels->connected);
	atomic_store(&worker->told_ms, now_ms);
	if (!db_others_since_ms(balance->db))
		return; /* alone */
	own = own_panels(balance, now_ms);
	say(balance, own, now_ms);
	even_out(balance, own, now_ms);
}

/* ---- beginning and end ---- */

void balance_init(struct balance *balance)
{
	balance->worker %= BALANCE_WORKERS_MAX;
	balance->common = region_common(balance->shared, &balance_region);
	balance->self = instance_name(region_common(balance->shared, &instance_region));
	balance->hints =
	    (struct hint_subscription){.kind = STR("load"), .is_once = true, .on_hint = on_hint};
	db_subscribe(balance->db, &balance->hints);
	deadline_init(&balance->turn, on_turn);
	deadline_set(balance->loop, &balance->turn, TURN_MS);
}

void balance_drain(struct balance *balance)
{
	deadline_clear(balance->loop, &balance->turn);
	atomic_store(&balance->common->workers[balance->worker].panels, 0);
}

void balance_finish(struct balance *balance)
{
	balance_drain(balance);
	db_unsubscribe(&balance->hints);
}
