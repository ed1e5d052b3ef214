/* Failed attempts at other instances: each one takes its tokens in all of them, so that several
 * instances allow no more attempts than one.
 *
 *   "failed:<instance>:<nonce>:<policy>=<bucket>,<policy>=<bucket>..."
 *
 * The IDs of buckets are keyed hashes: who listens to the database learns no addresses. A hint that
 * is lost is a token that is not taken. Every worker of an instance hears the word; they share the
 * table, and the first one takes the word's own token, and then the others. */
#pragma once

#include "db/db.h"
#include "task/rate.h"

struct attempt_token {
	const struct rate_policy *policy;
	struct id id;
};

struct attempt_hints_settings {
	struct db *db;
	struct rate_table *table;
	struct id instance;
	const struct rate_policy *const *policies; /* static */
	unsigned policy_count;
};

struct attempt_hints *attempt_hints_create(const struct attempt_hints_settings *settings);
void attempt_hints_destroy(struct attempt_hints *hints);

/* Tells other instances of an attempt that took these tokens and failed. */
void attempt_hints_send(struct attempt_hints *hints, const struct attempt_token *tokens,
			unsigned count);
