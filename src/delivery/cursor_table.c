#include "delivery/cursor_table.h"

#include <sodium.h>
#include <stdatomic.h>
#include <string.h>

/* A slot has two versions of a device's rotation state. The head names the valid one. A writer puts
 * its own number into the head, writes the other version and then makes that one valid. So a reader
 * never waits, and a worker that dies in between leaves the old version. A device whose slot is
 * taken by another device restarts its rotation. */

enum {
	SLOTS = 1 << 15, /* 4.5 MiB */
	NEIGHBOURHOOD = 4,
	/* After this many collisions, skip the write: both writers record polls of the same
	 * moment, or the caller tries again. */
	TRIES = 100,
	WRITER_BITS = 16,
	WRITER_MASK = (1 << WRITER_BITS) - 1,
	LINKED = 1 << 15, /* flag of a state's worker */
};

struct rotation_state {
	uint64_t tag; /* hash of the device's ID; 0: free */
	int64_t position;
	int64_t push_seen;
	int32_t remaining_s;
	uint16_t worker; /* worker that was polled, from 1; with LINKED: that has its WebSocket; 0:
			    none */
	uint16_t remains_of_push;
	int64_t contact_us; /* wall clock: of the last poll, or the end of the last WebSocket */
	int64_t turns_seen; /* -1: not known */
	int64_t shown_generation;
	int64_t shown_us; /* wall clock: when the push of that generation was shown */
};

enum { WORDS = sizeof(struct rotation_state) / sizeof(uint64_t) };
_Static_assert(WORDS * sizeof(uint64_t) == sizeof(struct rotation_state),
	       "a rotation state is whole words");

struct slot {
	_Atomic uint64_t head; /* number of the valid version | worker that writes, from 1 */
	_Atomic uint64_t
	    used; /* grows with every use: the slot with the smallest value is replaced */
	_Atomic uint64_t versions[2][WORDS];
};

struct cursor_table {
	uint8_t secret[crypto_shorthash_KEYBYTES];
	_Atomic uint64_t clock;
	struct slot slots[SLOTS];
};

static void init(void *common)
{
	struct cursor_table *table = common;

	crypto_shorthash_keygen(table->secret);
}

const struct region cursor_region = {
    .name = "cursors",
    .version = 6,
    .size = sizeof(struct cursor_table),
    .init = init,
};

static uint16_t own_number(const struct cursors *cursors)
{
	return (uint16_t)(cursors->worker + 1);
}

static uint64_t tag_of(const struct cursor_table *table, struct id id)
{
	uint64_t tag;

	crypto_shorthash((uint8_t *)&tag, id.bytes, ID_BYTES, table->secret);
	return tag ? tag : 1;
}

/* ---- workers ---- */

/* Gives the IDs of an instance's workers the same end, by which they are told from those of other
 * instances: one of these has it by chance in four thousand million cases. */
static void put_end(const struct cursor_table *table, struct id *id)
{
	enum { END_BYTES = 4 };
	uint8_t end[crypto_shorthash_BYTES];

	crypto_shorthash(end, NULL, 0, table->secret);
	memcpy(id->bytes + ID_BYTES - END_BYTES, end, END_BYTES);
}

struct id cursors_name_worker(const struct cursors *cursors)
{
	struct id id = id_new();

	put_end(cursors->table, &id);
	return id;
}

bool cursors_have_worker(const struct cursors *cursors, struct id worker_id)
{
	struct id id = worker_id;

	put_end(cursors->table, &id);
	return id_equal(id, worker_id);
}

/* ---- versions ---- */

/* Acquire and release on each word: a reader that sees a word of a newer version also sees the head
 * that was written before it. */
static struct rotation_state read_state(const struct slot *slot)
{
	uint64_t words[WORDS];
	struct rotation_state state;
	uint64_t number;

	do {
		number = atomic_load_explicit(&slot->head, memory_order_acquire) >> WRITER_BITS;
		for (unsigned i = 0; i < WORDS; i++)
			words[i] = atomic_load_explicit(&slot->versions[number & 1][i],
							memory_order_acquire);
	} while (atomic_load_explicit(&slot->head, memory_order_relaxed) >> WRITER_BITS != number);
	memcpy(&state, words, sizeof(state));
	return state;
}

static bool lock(const struct cursors *cursors, struct slot *slot)
{
	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t head = atomic_load_explicit(&slot->head, memory_order_relaxed);

		if (!(head & WRITER_MASK) &&
		    atomic_compare_exchange_weak(&slot->head, &head, head | (cursors->worker + 1)))
			return true;
	}
	return false;
}

/* Also releases the lock. */
static void write_state(struct slot *slot, const struct rotation_state *state)
{
	uint64_t number =
	    (atomic_load_explicit(&slot->head, memory_order_relaxed) >> WRITER_BITS) + 1;
	uint64_t words[WORDS];

	memcpy(words, state, sizeof(words));
	for (unsigned i = 0; i < WORDS; i++)
		atomic_store_explicit(&slot->versions[number & 1][i], words[i],
				      memory_order_release);
	atomic_store_explicit(&slot->head, number << WRITER_BITS, memory_order_release);
}

/* ---- joining ---- */

/* Removes WebSockets of the worker's predecessor: they ended with it. */
static void end_connections(const struct cursors *cursors, struct slot *slot)
{
	struct rotation_state state = read_state(slot);

	if (state.worker != (own_number(cursors) | LINKED) || !lock(cursors, slot))
		return;
	state = read_state(slot);
	if (state.worker == (own_number(cursors) | LINKED))
		state.worker = 0;
	write_state(slot, &state);
}

struct cursors cursors_join(struct cursor_table *table, unsigned worker)
{
	struct cursors cursors = {.table = table, .worker = worker};

	for (unsigned i = 0; i < SLOTS; i++) {
		uint64_t head = table->slots[i].head;

		if ((head & WRITER_MASK) == worker + 1)
			atomic_store(&table->slots[i].head, head & ~(uint64_t)WRITER_MASK);
		end_connections(&cursors, &table->slots[i]);
	}
	return cursors;
}

/* ---- slots ---- */

static struct slot *slot_at(const struct cursor_table *table, uint64_t index)
{
	return (struct slot *)&table->slots[index % SLOTS];
}

/* Unsynchronized read, which costs less than reading the whole rotation state. */
static uint64_t tag_in(const struct slot *slot)
{
	uint64_t head = atomic_load_explicit(&slot->head, memory_order_relaxed);

	return atomic_load_explicit(&slot->versions[head >> WRITER_BITS & 1][0],
				    memory_order_relaxed);
}

static struct slot *find(const struct cursor_table *table, uint64_t tag,
			 struct rotation_state *ret_state)
{
	for (unsigned i = 0; i < NEIGHBOURHOOD; i++) {
		struct slot *slot = slot_at(table, tag + i);

		if (tag_in(slot) != tag)
			continue;
		*ret_state = read_state(slot);
		if (ret_state->tag == tag)
			return slot;
	}
	return NULL;
}

/* A slot that is being written counts as just used. */
static struct slot *find_oldest(const struct cursor_table *table, uint64_t tag)
{
	struct slot *oldest = NULL;

	for (unsigned i = 0; i < NEIGHBOURHOOD; i++) {
		struct slot *slot = slot_at(table, tag + i);

		if ((slot->head & WRITER_MASK) == 0 && (!oldest || slot->used < oldest->used))
			oldest = slot;
	}
	return oldest;
}

/* Returns the device's slot, locked, and its state. If the device has none, empties the least
 * recently used slot of its neighbourhood. Returns NULL if another worker is writing there. */
static struct slot *begin_change(const struct cursors *cursors, struct id device_id,
				 struct rotation_state *ret_state)
{
	struct cursor_table *table = cursors->table;
	uint64_t tag = tag_of(table, device_id);
	struct slot *slot = find(table, tag, ret_state);

	if (!slot)
		slot = find_oldest(table, tag);
	if (!slot || !lock(cursors, slot))
		return NULL;
	*ret_state = read_state(slot);
	if (ret_state->tag != tag)
		*ret_state = (struct rotation_state){.tag = tag, .position = -1, .turns_seen = -1};
	atomic_store_explicit(&slot->used, atomic_fetch_add(&table->clock, 1) + 1,
			      memory_order_relaxed);
	return slot;
}

/* ---- devices ---- */

struct poll_cursor cursor_get(const struct cursors *cursors, struct id device_id)
{
	const struct cursor_table *table = cursors->table;
	struct rotation_state state;

	if (!find(table, tag_of(table, device_id), &state))
		return (struct poll_cursor){.position = -1, .turns_seen = -1};
	return (struct poll_cursor){
	    .position = state.position,
	    .push_seen = state.push_seen,
	    .remaining_s = state.remaining_s,
	    .remains_of_push = state.remains_of_push,
	    .turns_seen = state.turns_seen,
	};
}

void cursor_set(const struct cursors *cursors, struct id device_id,
		const struct poll_cursor *cursor, int64_t wall_us)
{
	struct rotation_state state;
	struct slot *slot = begin_change(cursors, device_id, &state);

	if (!slot)
		return;
	state.position = cursor->position;
	state.push_seen = cursor->push_seen;
	state.remaining_s = (int32_t)cursor->remaining_s;
	state.remains_of_push = cursor->remains_of_push;
	state.turns_seen = cursor->turns_seen;
	state.worker = own_number(cursors);
	state.contact_us = wall_us;
	write_state(slot, &state);
}

bool cursor_was_set_here(const struct cursors *cursors, struct id device_id)
{
	const struct cursor_table *table = cursors->table;
	struct rotation_state state;

	/* Count a panel that the table has forgotten: better twice than not at all. */
	return !find(table, tag_of(table, device_id), &state) ||
	       state.worker == own_number(cursors);
}

int64_t cursor_set_elsewhere_us(const struct cursors *cursors, struct id device_id)
{
	const struct cursor_table *table = cursors->table;
	struct rotation_state state;

	return find(table, tag_of(table, device_id), &state) && state.worker != 0 &&
		       !(state.worker & LINKED) && state.worker != own_number(cursors)
		   ? state.contact_us
		   : 0;
}

bool cursor_link(const struct cursors *cursors, struct id device_id)
{
	struct rotation_state state;
	struct slot *slot = begin_change(cursors, device_id, &state);

	if (!slot)
		return false;
	state.turns_seen = -1;
	state.worker = own_number(cursors) | LINKED;
	write_state(slot, &state);
	return true;
}

bool cursor_unlink(const struct cursors *cursors, struct id device_id, int64_t wall_us)
{
	struct rotation_state state;
	struct slot *slot = begin_change(cursors, device_id, &state);

	if (!slot)
		return false;
	/* The panel may be at another worker already. */
	if (state.worker == (own_number(cursors) | LINKED)) {
		state.worker = 0;
		state.contact_us = wall_us;
	}
	write_state(slot, &state);
	return true;
}

struct cursor_contact cursor_contact(const struct cursors *cursors, struct id device_id)
{
	const struct cursor_table *table = cursors->table;
	struct rotation_state state;

	if (!find(table, tag_of(table, device_id), &state))
		return (struct cursor_contact){0};
	if (state.worker & LINKED)
		return (struct cursor_contact){.is_linked = true};
	return state.worker ? (struct cursor_contact){.polled_us = state.contact_us}
			    : (struct cursor_contact){.left_us = state.contact_us};
}

void cursor_move(const struct cursors *cursors, struct id device_id, int64_t position)
{
	struct rotation_state state;
	struct slot *slot = begin_change(cursors, device_id, &state);

	if (!slot)
		return;
	/* The panel may be at another worker already: what it shows there counts. */
	if (!(state.worker & LINKED) || state.worker == (own_number(cursors) | LINKED)) {
		state.position = position;
		state.remaining_s = 0;
		state.turns_seen = -1;
		state.worker = own_number(cursors) | LINKED;
	}
	write_state(slot, &state);
}

void cursor_set_shown(const struct cursors *cursors, struct id device_id, int64_t generation,
		      int64_t wall_us)
{
	struct rotation_state state;
	struct slot *slot = begin_change(cursors, device_id, &state);

	if (!slot)
		return;
	state.shown_generation = generation;
	state.shown_us = wall_us;
	write_state(slot, &state);
}

int64_t cursor_shown_us(const struct cursors *cursors, struct id device_id, int64_t generation)
{
	const struct cursor_table *table = cursors->table;
	struct rotation_state state;

	return find(table, tag_of(table, device_id), &state) && state.shown_generation == generation
		   ? state.shown_us
		   : 0;
}
