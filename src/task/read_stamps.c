#include "task/read_stamps.h"

#include <sodium.h>
#include <stdatomic.h>

enum { SLOTS = 1 << 17 /* 1 MiB */ };

/* A slot counts the doubts about its rows above their last stamp: so it is later than all stamps
 * while there is one. */
static const uint64_t one_doubt = UINT64_C(1) << 48;

struct read_stamps {
	uint8_t secret[crypto_shorthash_KEYBYTES];
	_Atomic uint64_t clock;
	_Atomic uint64_t all; /* stamp of the last change of all rows */
	_Atomic uint64_t slots[SLOTS];
};

static void init(void *common)
{
	struct read_stamps *stamps = common;

	crypto_shorthash_keygen(stamps->secret);
}

const struct region read_region = {
    .name = "reads",
    .version = 2,
    .size = sizeof(struct read_stamps),
    .init = init,
};

uint64_t read_stamps_now(const struct read_stamps *stamps)
{
	return atomic_load(&stamps->clock);
}

/* The later of two concurrent changes may come first. */
static void advance(_Atomic uint64_t *slot, uint64_t stamp)
{
	uint64_t last = atomic_load(slot);

	while (last % one_doubt < stamp &&
	       !atomic_compare_exchange_weak(slot, &last, last - last % one_doubt + stamp))
		;
}

static uint64_t new_stamp(struct read_stamps *stamps)
{
	return atomic_fetch_add(&stamps->clock, 1) + 1;
}

void read_stamps_note(struct read_stamps *stamps, struct id id)
{
	advance(&stamps->slots[read_stamps_slot(stamps, id)], new_stamp(stamps));
}

void read_stamps_note_all(struct read_stamps *stamps)
{
	advance(&stamps->all, new_stamp(stamps));
}

void read_stamps_doubt(struct read_stamps *stamps, struct id id, bool is_in_doubt)
{
	_Atomic uint64_t *slot = &stamps->slots[read_stamps_slot(stamps, id)];

	if (is_in_doubt)
		atomic_fetch_add(slot, one_doubt);
	else
		atomic_fetch_sub(slot, one_doubt);
}

uint32_t read_stamps_slot(const struct read_stamps *stamps, struct id id)
{
	uint64_t hash;

	crypto_shorthash((uint8_t *)&hash, id.bytes, ID_BYTES, stamps->secret);
	return (uint32_t)(hash % SLOTS);
}

uint64_t read_stamps_last(const struct read_stamps *stamps, uint32_t slot)
{
	uint64_t of_row = atomic_load(&stamps->slots[slot]);
	uint64_t of_all = atomic_load(&stamps->all);

	return of_row > of_all ? of_row : of_all;
}
