#include "writer_slots.h"
#include "base/require.h"

#include <stdatomic.h>

struct writer_slot {
	_Atomic int32_t pid;
	_Atomic int64_t start_us; /* 0: the slot is empty */
};

struct writers {
	struct writer_slot slots[WRITER_SLOTS];
};

const struct region writer_region = {
    .name = "writers", .version = 2, .slot_size = sizeof(struct writers)};

struct writer_slot *writers_slot(struct writers *writers, unsigned number)
{
	require(!writers || number < WRITER_SLOTS);
	return writers ? &writers->slots[number] : NULL;
}

void writer_note(struct writer_slot *slot, struct backend backend)
{
	if (!slot)
		return;
	/* The worker may be killed in between. */
	atomic_store(&slot->start_us, 0);
	atomic_store(&slot->pid, backend.pid);
	atomic_store(&slot->start_us, backend.start_us);
}

bool writer_noted(const struct writer_slot *slot)
{
	return atomic_load(&slot->start_us) != 0;
}

struct backend writer_take(struct writer_slot *slot)
{
	struct backend backend = {atomic_load(&slot->pid), atomic_load(&slot->start_us)};

	atomic_store(&slot->start_us, 0);
	return backend;
}
