#include "cursor_slots.h"

#include <sodium.h>
#include <stdatomic.h>
#include <string.h>

/* A slot has two versions of a device's rotation state. The head names the valid one. A writer puts
 * its own number into the head, writes the other version and then makes that one valid. So a reader
 * never waits, and a worker that dies in between leaves the old version. A device whose slot is
 * taken by another device restarts its rotation. */

enum {
	SLOTS = 1 << 15, /* 7 MiB */
	NEIGHBOURHOOD = 4,
	/* After this many collisions, skip the write: both writers record polls of the same
	 * moment, or the caller tries again. */
	TRIES = 100,
	WRITER_BITS = 16,
	WRITER_MASK = (1 << WRITER_BITS) - 1,
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
    .version = 7,
    .size = sizeof(struct cursor_table),
    .init = init,
};

uint16_t cursors_own_number(const struct cursors *cursors)
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

void cursor_end_change(struct slot *slot, const struct rotation_state *state)
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

	if (state.worker != (cursors_own_number(cursors) | CURSOR_LINKED) || !lock(cursors, slot))
		return;
	state = read_state(slot);
	if (state.worker == (cursors_own_number(cursors) | CURSOR_LINKED))
		state.worker = 0;
	cursor_end_change(slot, &state);
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

bool cursor_find(const struct cursors *cursors, struct id device_id,
		 struct rotation_state *ret_state)
{
	return find(cursors->table, tag_of(cursors->table, device_id), ret_state);
}

struct slot *cursor_begin_change(const struct cursors *cursors, struct id device_id,
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

/* Returns whether the instance may do without what the slot has: it is empty, or of a device that
 * polls elsewhere. */
static bool is_spare(const struct slot *slot)
{
	struct rotation_state state;

	if (slot->head & WRITER_MASK)
		return false;
	state = read_state(slot);
	return state.tag == 0 || state.worker == CURSOR_ELSEWHERE;
}

bool cursor_has_room(const struct cursors *cursors, struct id device_id)
{
	uint64_t tag = tag_of(cursors->table, device_id);
	struct rotation_state state;

	if (find(cursors->table, tag, &state))
		return true;
	for (unsigned i = 0; i < NEIGHBOURHOOD; i++) {
		struct slot *slot = slot_at(cursors->table, tag + i);

		if (is_spare(slot)) {
			atomic_store_explicit(&slot->used, 0, memory_order_relaxed);
			return true;
		}
	}
	return false;
}
