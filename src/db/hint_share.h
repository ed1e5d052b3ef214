/* Memory by which one worker of an instance, the carrier, sends and receives hints for all: each
 * wakes for what it needs, and PostgreSQL wakes one worker of an instance instead of all.
 *
 *   PostgreSQL -> carrier -> its log "in" -> each worker, the carrier too
 *   each worker, the carrier too -> its log "out" -> carrier -> PostgreSQL
 *
 * Each log has one writer, so a carrier that hangs and wakes again disturbs nobody, and what a
 * killed worker has put into its log is sent. The owner names the carrier: its number, with an
 * epoch that grows with each change. */
#pragma once

#include "base/region.h"
#include "hint_log.h"

#include <stdint.h>

enum { HINT_MASKS = 1 << 16 };

/* Common part. */
struct hint_owner {
	/* Epoch, and number of the carrier from 1; number 0: there is none. */
	_Atomic uint64_t owner;
	_Atomic uint32_t wakes; /* futex: grows with each wake */
	/* When the last renewal of the instance's row of beats was sent; 0: never. */
	_Atomic uint64_t seen_ms;
	/* Sets of workers modulo 64, which wake for hints about all devices, and about those that
	 * share an entry. */
	_Atomic uint64_t all;
	_Atomic uint64_t masks[HINT_MASKS];
};

/* Slot of a worker. Times are those of loop_now_ms(), which is the same in all processes. */
struct hint_slot {
	_Atomic uint64_t ready;	   /* value of owner for which it listens; 0: none */
	_Atomic uint64_t ran_ms;   /* when its loop last ran */
	_Atomic uint64_t lost_ms;  /* since when hints of it are lost; 0: none */
	_Atomic uint32_t is_open;  /* it runs, and may write */
	_Atomic uint64_t heard_ms; /* see on_heard(): all that it speaks of is in its log */
	/* When the youngest of the other instances that it knows was first seen; 0: it knows none.
	 */
	_Atomic uint64_t others_since_ms;
	_Atomic int64_t clock_ahead_us; /* see clock_note_ahead() */
	_Atomic uint32_t is_due;	/* it shall wake */
	_Atomic uint64_t sent;		/* position in out: words before it were sent */
	struct hint_log in, out;
};

enum { HINT_WORKER_BITS = 16 };

/* Number of the worker, from 1; 0: none. */
static inline unsigned hint_owner_number(uint64_t owner)
{
	return (unsigned)(owner & ((1 << HINT_WORKER_BITS) - 1));
}

/* The next value, with this worker; number 0: none. */
static inline uint64_t hint_owner_next(uint64_t owner, unsigned number)
{
	return ((owner >> HINT_WORKER_BITS) + 1) << HINT_WORKER_BITS | number;
}

/* Waits, on a thread, until the worker's slot is due, or *is_over was set before a hint_wake().
 * Returns whether it was due. */
int hint_wait(struct hint_owner *common, struct hint_slot *slot, unsigned worker,
	      const _Atomic uint32_t *is_over);
/* Wakes the workers in this set, of worker modulo 32, whose slots are due. */
void hint_wake(struct hint_owner *common, uint32_t workers);
