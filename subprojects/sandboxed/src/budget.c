#include "sandboxed/budget.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct budget {
	/* Sum of all blocks, and one for the owner. Giving the last one frees the budget. */
	atomic_size_t bytes;
	atomic_size_t bytes_max;
	size_t bytes_own;
	atomic_bool has_failed;
};

enum { OWNER = 1 };

static __thread struct budget *entered;
/* Below zero for a moment where threads meet. */
static atomic_ptrdiff_t spare;

void budget_set_spare(size_t bytes)
{
	atomic_store(&spare, (ptrdiff_t)bytes);
}

struct budget *budget_create(size_t bytes_own, size_t bytes_max)
{
	struct budget *budget = calloc(1, sizeof(*budget));

	if (!budget)
		return NULL;
	atomic_init(&budget->bytes, OWNER);
	atomic_init(&budget->bytes_max, bytes_max);
	budget->bytes_own = bytes_own;
	return budget;
}

void budget_release(struct budget *budget)
{
	budget_give(budget, OWNER);
}

struct budget *budget_enter(struct budget *budget)
{
	struct budget *before = entered;

	entered = budget;
	return before;
}

void budget_set_max(struct budget *budget, size_t bytes_max)
{
	atomic_store_explicit(&budget->bytes_max, bytes_max, memory_order_relaxed);
}

size_t budget_bytes(const struct budget *budget)
{
	return atomic_load_explicit(&budget->bytes, memory_order_relaxed) - OWNER;
}

bool budget_take_failure(struct budget *budget)
{
	return atomic_exchange_explicit(&budget->has_failed, false, memory_order_relaxed);
}

struct budget *budget_entered(void)
{
	return entered;
}

/* Adds the bytes if the sum stays within most. Returns the sum before in *ret_before. */
static bool budget_add(atomic_size_t *sum, size_t bytes, size_t most, size_t *ret_before)
{
	size_t before = atomic_load_explicit(sum, memory_order_relaxed);

	do {
		if (before > most || bytes > most - before)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(
	    sum, &before, before + bytes, memory_order_relaxed, memory_order_relaxed));
	*ret_before = before;
	return true;
}

/* Returns how many of the bytes are not the budget's own. */
static ptrdiff_t beyond(size_t own, size_t bytes)
{
	return bytes > own + OWNER ? (ptrdiff_t)(bytes - own - OWNER) : 0;
}

static bool take_spare(ptrdiff_t bytes)
{
	ptrdiff_t left = atomic_load_explicit(&spare, memory_order_relaxed);

	do {
		if (bytes > 0 && bytes > left)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(
	    &spare, &left, left - bytes, memory_order_relaxed, memory_order_relaxed));
	return true;
}

/* Subtracts the bytes, and gives spare bytes back but for those that were not taken. Frees the
 * budget with its last byte. */
static void subtract(struct budget *budget, size_t bytes, ptrdiff_t not_taken)
{
	size_t own = budget->bytes_own; /* read before another thread may free the budget */
	size_t before = atomic_fetch_sub_explicit(&budget->bytes, bytes, memory_order_acq_rel);

	atomic_fetch_add_explicit(&spare,
				  beyond(own, before) - beyond(own, before - bytes) - not_taken,
				  memory_order_relaxed);
	if (before == bytes)
		free(budget);
}

bool budget_take(struct budget *budget, size_t bytes)
{
	size_t before, most;
	ptrdiff_t more;

	if (!budget)
		return true;
	most = atomic_load_explicit(&budget->bytes_max, memory_order_relaxed) + OWNER;
	if (budget_add(&budget->bytes, bytes, most, &before)) {
		more =
		    beyond(budget->bytes_own, before + bytes) - beyond(budget->bytes_own, before);
		if (take_spare(more))
			return true;
		subtract(budget, bytes, more);
	}
	budget_note_failure(budget);
	return false;
}

void budget_give(struct budget *budget, size_t bytes)
{
	if (budget)
		subtract(budget, bytes, 0);
}

void budget_note_failure(struct budget *budget)
{
	if (budget)
		atomic_store_explicit(&budget->has_failed, true, memory_order_relaxed);
}
