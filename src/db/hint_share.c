#include "hint_share.h"
#include "db/hints.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

const struct region hint_region = {
    .name = "hints",
    .version = 1,
    .size = sizeof(struct hint_owner),
    .slot_size = sizeof(struct hint_slot),
};

void hint_worker_ended(struct region_map *shared, unsigned worker_slots, unsigned worker)
{
	struct hint_owner *common = region_common(shared, &hint_region);
	struct hint_slot *slot = region_slot(shared, &hint_region, worker);
	uint64_t owner = atomic_load(&common->owner);

	atomic_store(&slot->is_open, 0);
	if (hint_owner_number(owner) != worker + 1 ||
	    !atomic_compare_exchange_strong(&common->owner, &owner, hint_owner_next(owner, 0)))
		return;
	for (unsigned i = 0; i < worker_slots; i++) {
		slot = region_slot(shared, &hint_region, i);
		atomic_store(&slot->is_due, 1);
	}
	hint_wake(common, UINT32_MAX);
}

int hint_wait(struct hint_owner *common, struct hint_slot *slot, unsigned worker,
	      const _Atomic uint32_t *is_over)
{
	for (;;) {
		uint32_t wakes = atomic_load(&common->wakes);

		if (atomic_load(is_over))
			return 0;
		if (atomic_exchange(&slot->is_due, 0))
			return 1;
		syscall(SYS_futex, &common->wakes, FUTEX_WAIT_BITSET, wakes, NULL, NULL,
			UINT32_C(1) << worker % 32);
	}
}

void hint_wake(struct hint_owner *common, uint32_t workers)
{
	if (!workers)
		return;
	atomic_fetch_add(&common->wakes, 1);
	syscall(SYS_futex, &common->wakes, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, workers);
}
