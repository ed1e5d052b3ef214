#include "hint_carrying.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/require.h"
#include "db/hint_text.h"
#include "hint_subscribers.h"
#include "hint_waiter.h"
#include "hint_writers.h"

#include <unistd.h>

enum {
	/* A carrier whose loop did not run for so long is replaced: words go on within a second,
	 * the others' ticks included. */
	HUNG_MS = 600,
};

static struct hint_slot *slot_of(const struct hints *hints, uint64_t owner)
{
	unsigned number = hint_owner_number(owner);

	return number && number <= hints->worker_slots
		   ? region_slot(hints->shared, &hint_region, number - 1)
		   : NULL;
}

static uint64_t owner_now(const struct hints *hints)
{
	return atomic_load(&hints->carrying.common->owner);
}

static bool is_own(const struct hints *hints, uint64_t owner)
{
	return hint_owner_number(owner) == hints->carrying.number;
}

/* Whether this worker listens for all. */
static bool carries(const struct hints *hints)
{
	uint64_t owner = owner_now(hints);

	return is_own(hints, owner) && atomic_load(&hints->carrying.own->ready) == owner;
}

bool hint_carrying_is_carrier(const struct hints *hints)
{
	return hint_carrying_is_shared(hints) && is_own(hints, owner_now(hints));
}

/* HINT_ALL_WORKERS, or workers modulo 64. */
static void wake_others(const struct hints *hints, uint64_t set)
{
	uint32_t workers = 0;

	for (unsigned i = 0; set && i < hints->worker_slots; i++) {
		struct hint_slot *slot = region_slot(hints->shared, &hint_region, i);

		if (slot == hints->carrying.own || !(set & hint_worker_bit(i + 1)))
			continue;
		atomic_store(&slot->is_due, 1);
		workers |= UINT32_C(1) << i % 32;
	}
	hint_wake(hints->carrying.common, workers);
}

/* ---- reading ---- */

/* Whether words arrive from this owner. */
static bool is_ready(const struct hints *hints, uint64_t owner)
{
	const struct hint_slot *slot = slot_of(hints, owner);

	return slot && atomic_load(&slot->ready) == owner;
}

static void follow(struct hints *hints, uint64_t owner)
{
	struct hint_carrying *carrying = &hints->carrying;

	carrying->owner = owner;
	/* Earlier words need not be read: subscribers begin anew. */
	carrying->position = hint_log_head(&slot_of(hints, owner)->in);
	hint_set_up(hints, connection_is_up(&hints->connection));
}

/* Words were lost, or may be: subscribers make up for them when hints are up again. */
static void unfollow(struct hints *hints)
{
	hints->carrying.owner = 0;
	hint_set_up(hints, false);
}

/* Returns false if words were lost. */
static bool read_words(struct hints *hints)
{
	struct hint_carrying *carrying = &hints->carrying;
	const struct hint_slot *slot = slot_of(hints, carrying->owner);
	char room[HINT_LOG_ROOM];
	enum hint_log_read read;
	struct str word;

	while ((read = hint_log_read(&slot->in, &carrying->position, room, &word)) == HINT_LOG_WORD)
		hint_deliver(&hints->subscriptions, word, is_own(hints, carrying->owner));
	return read == HINT_LOG_END;
}

/* Takes what has come from the carrier, or from another one if it has changed. */
static void look(struct hints *hints)
{
	struct hint_carrying *carrying = &hints->carrying;
	uint64_t owner = owner_now(hints), heard_ms;
	const struct hint_slot *slot = slot_of(hints, owner);

	if (carrying->owner && (carrying->owner != owner || !is_ready(hints, owner)))
		unfollow(hints);
	if (!carrying->owner && is_ready(hints, owner))
		follow(hints, owner);
	if (!carrying->owner || !slot)
		return;
	/* Before the words that it speaks of. */
	heard_ms = atomic_load(&slot->heard_ms);
	if (!is_own(hints, owner))
		clock_note_ahead(atomic_load(&slot->clock_ahead_us));
	if (!read_words(hints)) {
		unfollow(hints);
		follow(hints, owner);
		return;
	}
	if (heard_ms <= hints->heard_ms || is_own(hints, owner))
		return;
	hints->heard_ms = heard_ms;
	hint_tell_heard(&hints->subscriptions, heard_ms);
}

bool hint_carrying_hears(const struct hints *hints)
{
	return !hint_carrying_is_shared(hints) || carries(hints);
}

bool hint_carrying_follows(const struct hints *hints)
{
	return hint_carrying_is_shared(hints) && hints->carrying.owner &&
	       !is_own(hints, hints->carrying.owner);
}

uint64_t hint_carrying_others_since_ms(const struct hints *hints)
{
	return hint_carrying_follows(hints)
		   ? atomic_load(&slot_of(hints, hints->carrying.owner)->others_since_ms)
		   : beats_others_since_ms(&hints->beats);
}

/* ---- taking and leaving the place ---- */

static void give_up(struct hints *hints)
{
	uint64_t owner = owner_now(hints);

	if (!is_own(hints, owner))
		return;
	if (atomic_compare_exchange_strong(&hints->carrying.common->owner, &owner,
					   hint_owner_next(owner, 0)))
		wake_others(hints, HINT_ALL_WORKERS);
}

static bool is_hung(const struct hints *hints, uint64_t owner)
{
	const struct hint_slot *slot = slot_of(hints, owner);
	uint64_t ran_ms = slot ? atomic_load(&slot->ran_ms) : 0;

	return loop_now_ms(hints->connection.loop) > ran_ms + HUNG_MS;
}

static void note_run(const struct hints *hints)
{
	atomic_store(&hints->carrying.own->ran_ms, loop_now_ms(hints->connection.loop));
}

static void take_place(struct hints *hints)
{
	struct hint_carrying *carrying = &hints->carrying;
	uint64_t owner = owner_now(hints);

	if (!connection_is_up(&hints->connection) || carrying->is_retiring ||
	    is_own(hints, owner) || (hint_owner_number(owner) && !is_hung(hints, owner)))
		return;
	note_run(hints);
	if (atomic_compare_exchange_strong(&carrying->common->owner, &owner,
					   hint_owner_next(owner, carrying->number)))
		log_info("db", "listens to hints for all workers", LOG_INT("pid", getpid()));
}

static void on_wake(void *context)
{
	struct hints *hints = context;

	take_place(hints);
	look(hints);
	hints->flush(hints);
}

/* ---- devices that wake this worker ---- */

static void on_look(struct later *later)
{
	look(container_of(later, struct hints, carrying.look));
}

void hint_carrying_look(struct hints *hints)
{
	loop_later(hints->connection.loop, &hints->carrying.look);
}

void hint_carrying_finish(struct hints *hints)
{
	hint_holding_finish(&hints->carrying.holding);
	hint_gathering_finish(&hints->carrying.gathering);
}

/* ---- events ---- */

void hint_carrying_start(struct hints *hints)
{
	struct hint_carrying *carrying = &hints->carrying;

	carrying->number = (unsigned)hints->number + 1;
	carrying->common = region_common(hints->shared, &hint_region);
	carrying->own = region_slot(hints->shared, &hint_region, (unsigned)hints->number);
	carrying->asked = hint_log_head(&carrying->own->out);
	hint_gathering_init(&carrying->gathering, hints->shared, hints->worker_slots);
	loop_later_init(&carrying->look, on_look);
	/* All share a row. */
	hints->number = 0;
	note_run(hints);
	atomic_store(&carrying->own->is_open, 1);
	/* The worker before it may have died as the carrier, and with devices. */
	give_up(hints);
	hint_holding_init(&carrying->holding, carrying->common, carrying->number);
}

void hint_carrying_retire(struct hints *hints)
{
	hints->carrying.is_retiring = true;
	give_up(hints);
}

bool hint_carrying_leave(struct hints *hints)
{
	hint_carrying_retire(hints);
	return hint_writers_leave(hints->shared, hints->worker_slots, hints->carrying.own,
				  loop_now_ms(hints->connection.loop));
}

void hint_carrying_close(struct hints *hints)
{
	hint_carrying_retire(hints);
	atomic_store(&hints->carrying.own->is_open, 0);
	loop_later_cancel(&hints->carrying.look);
	hint_waiter_stop(hints->carrying.waiter);
	hints->carrying.waiter = NULL;
}

void hint_carrying_on_up(struct hints *hints)
{
	struct hint_carrying *carrying = &hints->carrying;

	/* Not before, so that the thread runs within the worker's sandbox. */
	if (!carrying->waiter)
		carrying->waiter =
		    hint_waiter_start(hints->connection.loop, carrying->common, carrying->own,
				      carrying->number - 1, on_wake, hints);
	take_place(hints);
	look(hints);
	if (hints->carrying.owner)
		hint_set_up(hints, true);
}

void hint_carrying_on_down(struct hints *hints)
{
	hints->carrying.is_listening = false;
	give_up(hints);
}

/* ---- beats ---- */

uint64_t hint_carrying_through_ms(const struct hints *hints)
{
	return hint_gathering_through_ms(&hints->carrying.gathering,
					 loop_now_ms(hints->connection.loop));
}

uint64_t hint_carrying_seen_ms(const struct hints *hints)
{
	return atomic_load(&hints->carrying.common->seen_ms);
}

void hint_carrying_note_seen(struct hints *hints, uint64_t ms)
{
	/* If two workers note it, either time does. */
	if (ms > hint_carrying_seen_ms(hints))
		atomic_store(&hints->carrying.common->seen_ms, ms);
}

/* Forgets that words were lost: subscribers have made up for them by words that are sent. */
static void settle(const struct hints *hints)
{
	struct hint_slot *own = hints->carrying.own;

	if (hints->up && atomic_load_explicit(&own->lost_ms, memory_order_relaxed) &&
	    hint_writers_are_sent(own))
		atomic_store(&own->lost_ms, 0);
}

/* ---- sending ---- */

bool hint_carrying_add(struct hints *hints, struct str word)
{
	return hint_writers_add(hints->carrying.own, word, loop_now_ms(hints->connection.loop));
}

size_t hint_carrying_room(const struct hints *hints)
{
	size_t room = hint_writers_room(hints->carrying.own);

	if (room == 0)
		hint_writers_lose(hints->carrying.own, loop_now_ms(hints->connection.loop));
	return room;
}

bool hint_carrying_is_sent(const struct hints *hints)
{
	return hint_writers_are_sent(hints->carrying.own);
}

bool hint_carrying_has_words(struct hints *hints)
{
	if (!carries(hints) || !hint_gathering_has_words(&hints->carrying.gathering))
		return false;
	if (!hints->waiting_us)
		hints->waiting_us = clock_monotonic_us();
	return true;
}

size_t hint_carrying_gather(struct hints *hints, char *payload, size_t size)
{
	hints->notified_us = hints->waiting_us;
	hints->waiting_us = 0;
	return hint_gathering_take(&hints->carrying.gathering, payload, size,
				   loop_now_ms(hints->connection.loop));
}

void hint_carrying_ask(struct hints *hints)
{
	struct hint_carrying *carrying = &hints->carrying;
	uint64_t head = hint_log_head(&carrying->own->out), owner = owner_now(hints);

	if (head == carrying->asked || !hint_owner_number(owner))
		return;
	carrying->asked = head;
	if (!is_own(hints, owner))
		wake_others(hints, hint_worker_bit(hint_owner_number(owner)));
}

static void begin_carrying(struct hints *hints)
{
	struct hint_carrying *carrying = &hints->carrying;
	uint64_t owner = owner_now(hints);

	if (!is_own(hints, owner) || !carrying->is_listening)
		return;
	/* The clock that it knows may be that of its last turn as the carrier. */
	hints->has_clock = hints->has_beaten = false;
	hint_gathering_begin(&carrying->gathering);
	atomic_store(&carrying->own->heard_ms, 0);
	atomic_store(&carrying->own->ready, owner);
	wake_others(hints, HINT_ALL_WORKERS);
}

void hint_carrying_on_answer(struct hints *hints, bool is_ok)
{
	struct hint_carrying *carrying = &hints->carrying;

	if (!is_ok) {
		if (hints->under_way == HINT_LISTEN)
			give_up(hints);
		return;
	}
	if (hints->under_way == HINT_LISTEN || hints->under_way == HINT_UNLISTEN)
		carrying->is_listening = hints->under_way == HINT_LISTEN;
	if (hints->under_way == HINT_LISTEN)
		begin_carrying(hints);
	if (carries(hints) && hints->under_way == HINT_NOTIFY)
		hint_gathering_note_sent(&carrying->gathering);
	if (carries(hints)) {
		atomic_store(&carrying->own->others_since_ms, beats_others_since_ms(&hints->beats));
		atomic_store(&carrying->own->clock_ahead_us, clock_wall_us() - clock_common_us());
		atomic_store(&carrying->own->heard_ms, hints->heard_ms);
	}
	look(hints);
}

/* Every program that may connect to the database can send any text. */
void hint_carrying_take(struct hints *hints, struct str payload)
{
	const struct hint_carrying *carrying = &hints->carrying;
	uint64_t workers = 0;
	struct str word;

	if (!carries(hints))
		return;
	while (str_next(&payload, ' ', &word)) {
		if (!hint_is_word(word))
			continue;
		hint_log_add(&hints->carrying.own->in, word);
		workers |= hint_holders(carrying->common, word);
	}
	wake_others(hints, workers);
	look(hints);
}

void hint_carrying_tick(struct hints *hints)
{
	note_run(hints);
	take_place(hints);
	/* It may have listened since it was the carrier before. */
	if (!carries(hints))
		begin_carrying(hints);
	look(hints);
	settle(hints);
}

bool hint_carrying_next(struct hints *hints, enum hint_statement *ret_statement)
{
	const struct hint_carrying *carrying = &hints->carrying;
	bool is_carrier = hint_carrying_is_carrier(hints);

	if (is_carrier == carrying->is_listening)
		return false;
	*ret_statement = is_carrier ? HINT_LISTEN : HINT_UNLISTEN;
	return true;
}
