/* The memory of one account in a process that all accounts share.
 *
 * In a program that is linked with counted_malloc.c, each block counts for the budget that the
 * thread had entered when the block was allocated, until the block is freed, by whichever thread.
 * So a budget holds what libraries allocate because of what a stranger sends. An allocation beyond
 * the budget fails as if there were no memory: malloc() returns NULL. The caller ends the transfer
 * or session then, never the process.
 *
 * In other programs nothing is counted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct budget;

/* Sets how many bytes all budgets together may hold beyond their own. Called before the first
 * budget is created. */
void budget_set_spare(size_t bytes);
/* bytes_own: the budget always has them, whatever others use; beyond, up to bytes_max, it has what
 * is left of the spare bytes. Returns NULL if there is no memory. Release with budget_release(). */
struct budget *budget_create(size_t bytes_own, size_t bytes_max)
    __attribute__((warn_unused_result));
/* Gives the budget up; no thread may have entered it. NULL is allowed. Blocks that are left stay
 * valid: the budget is freed with the last one. */
void budget_release(struct budget *budget);

/* Counts what the calling thread allocates from now on for the budget; NULL: for none. Returns the
 * budget that was entered before, for the call that leaves this one. */
struct budget *budget_enter(struct budget *budget);

void budget_set_max(struct budget *budget, size_t bytes_max);
size_t budget_bytes(const struct budget *budget);
/* Whether an allocation has failed since the last call of this function, for the budget or because
 * the process has no memory. */
bool budget_take_failure(struct budget *budget);

/* ---- for counted_malloc.c ---- */

/* Returns the budget that the thread has entered, or NULL. */
struct budget *budget_entered(void);
/* Counts a block. Returns false, and notes the failure, if it exceeds the budget. NULL: true. */
bool budget_take(struct budget *budget, size_t bytes) __attribute__((warn_unused_result));
void budget_give(struct budget *budget, size_t bytes);
/* Notes that the process has no memory. */
void budget_note_failure(struct budget *budget);
