/* Rate limits: token buckets in memory that the workers of an instance share.
 *
 * A bucket is one 64-bit number, the time at which it will be full again (the "theoretical arrival
 * time" of GCRA, ITU-T I.371); taking a token is one compare-and-swap. Buckets live in a table of
 * fixed size; when a neighbourhood is full, the bucket with the most tokens is replaced. */
#pragma once

#include "base/id.h"
#include "base/region.h"
#include "metric/metrics.h"

#include <stdbool.h>
#include <stdint.h>

struct rate_table;

struct rate_policy {
	enum metric_limit metric;
	const char *name;      /* name in the header fields: "key" */
	const char *of_what;   /* text in the answer: "with this key" */
	unsigned per_second;   /* tokens; 0: no limit, unless seconds_each is set */
	unsigned seconds_each; /* until the next token, if that takes longer than a second */
	unsigned burst;	       /* tokens of a full bucket */
};

struct rate_result {
	bool is_allowed;
	unsigned remaining;	/* tokens left */
	unsigned reset_s;	/* until the bucket is full, rounded up */
	unsigned retry_after_s; /* until the next token, at least 1; if not allowed */
};

/* The tables: the common part of each region is a struct rate_table. Failed attempts
 * (task/failed_attempts.h), and addresses without a key or a session, have tables of their own:
 * anybody can fill those, without displacing buckets of callers. */
extern const struct region rate_region;
extern const struct region failed_attempt_region;
extern const struct region visitor_region;

/* Whether all buckets are full, so that no look-up is needed. It may be false for a second longer.
 */
bool rate_is_unused(const struct rate_table *table, uint64_t now_us);

/* Returns whether a token could be taken; takes none. */
struct rate_result rate_look(const struct rate_table *table, const struct rate_policy *policy,
			     struct id id, uint64_t now_us);

/* Takes a token from the bucket of id. now_us: monotonic, the same clock in all processes. */
struct rate_result rate_take(struct rate_table *table, const struct rate_policy *policy,
			     struct id id, uint64_t now_us);

/* Takes up to count tokens; returns how many. */
unsigned rate_take_some(struct rate_table *table, const struct rate_policy *policy, struct id id,
			unsigned count, uint64_t now_us);

/* Gives back a token that was taken. */
void rate_give_back(struct rate_table *table, const struct rate_policy *policy, struct id id,
		    uint64_t now_us);
