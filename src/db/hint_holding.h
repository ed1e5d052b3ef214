/* Holders of devices: the workers that wake for a word. Workers count modulo 64, devices by entries
 * of a table, so a few wake for nothing. */
#pragma once

#include "base/id.h"
#include "hint_share.h"

#define HINT_ALL_WORKERS UINT64_MAX

struct hint_holding {
	struct hint_owner *common;
	uint64_t bit;	/* of this worker */
	uint16_t *held; /* by entry of the masks: how often this worker holds a device there */
	unsigned held_all;
};

/* Bit of a worker by its number from 1. */
static inline uint64_t hint_worker_bit(unsigned number)
{
	return UINT64_C(1) << (number - 1) % 64;
}

/* The worker of this number, which may follow one that has died, holds nothing. */
void hint_holding_init(struct hint_holding *holding, struct hint_owner *common, unsigned number);
void hint_holding_finish(struct hint_holding *holding);

/* See db_hint_hold(). */
void hint_holding_hold(struct hint_holding *holding, struct id device_id);
void hint_holding_release(struct hint_holding *holding, struct id device_id);
void hint_holding_hold_all(struct hint_holding *holding);
void hint_holding_release_all(struct hint_holding *holding);

/* Returns the set of workers that the word shall wake. */
uint64_t hint_holders(const struct hint_owner *common, struct str word);
