/* Caches answers to reads in a worker's memory, to save queries.
 *
 *   read_cache_now() -> query -> answer, read_cache_keep() ... next read -> read_cache_find()
 *
 * A cached answer is valid as long as none of its rows has changed since the moment before its
 * query. Within an instance a change is noted before it is answered (task/read_stamps.h): a read
 * that begins after an answered write shows it, whichever workers the two have reached. Changes by
 * other instances arrive as hints "read:<id>", or "read:all" from a worker that could not send one.
 * Nothing older than 750 ms is found while hints of changes that were answered 750 ms ago may be
 * missing, because this worker does not hear, or because a writer of another instance does not send
 * (db/hints.h). No answer is valid for more than a minute.
 *
 * An answer is found only for the account for which it was stored; only its key, scope and rate are
 * checked before. An answer that is not read again within a minute is freed.
 *
 * At the memory limit the oldest answers are dropped: those of the account that stores one if it
 * has its share, else those of an account that has more than its share. */
#pragma once

#include "base/id.h"
#include "base/region.h"
#include "db/db.h"
#include "loop/loop.h"
#include "task/read_stamps.h"

struct read_cache;

enum read_kind {
	READ_NONE,
	READ_ACCOUNT,	    /* by its ID */
	READ_DEVICE,	    /* by its ID */
	READ_DEVICES,	    /* by the account's ID */
	READ_INSTALLATIONS, /* by the device's ID */
};

enum { READ_SOURCES_MAX = 102, READ_FRESH_MS = 60 * 1000 };

/* db: sends hints of changes; NULL: none are sent. bytes_max: of all answers. */
struct read_cache *read_cache_create(struct loop *loop, struct db *db, struct read_stamps *stamps,
				     size_t bytes_max);
/* Caches nothing from now on. */
void read_cache_drain(struct read_cache *cache);
void read_cache_destroy(struct read_cache *cache);

struct read_key {
	struct id account_id; /* account that the answer is for */
	struct id id;
	enum read_kind kind;
};

struct read_answer {
	struct str tag; /* entity tag */
	struct str body;
};

/* Rows of devices, accounts and apps from which an answer is made. */
struct read_sources {
	struct id ids[READ_SOURCES_MAX];
	unsigned count;
	uint64_t fresh_ms; /* maximum age of the answer; at most READ_FRESH_MS. 0: not cached */
};

/* Moment before the query. */
struct read_moment {
	uint64_t stamp;
	uint64_t epoch; /* grows when hints may have been missed */
	uint64_t ms;	/* time of the loop */
};

struct read_moment read_cache_now(const struct read_cache *cache);
/* Caches a copy, unless the answer is large. */
void read_cache_keep(struct read_cache *cache, const struct read_key *key,
		     const struct read_answer *answer, const struct read_sources *sources,
		     struct read_moment asked);
/* Returns NULL if the answer is not cached, or may be out of date. The texts belong to the cache:
 * copy them before returning to the loop. */
const struct read_answer *read_cache_find(struct read_cache *cache, const struct read_key *key);

/* Callbacks for db_on_change(); context: the cache. */
void read_cache_on_change(void *context, struct id id, bool is_hinted);
void read_cache_on_doubt(void *context, struct id id, bool is_in_doubt);
void read_cache_on_all(void *context);
/* Subscription for db_subscribe(): hints of all kinds. Lives as long as the cache. */
struct hint_subscription *read_cache_subscription(struct read_cache *cache);

/* Returns how long the row of a device may be cached, from when it was last online. The row of an
 * online panel changes every 58 s without a hint, and must be read again then; a panel that returns
 * causes a hint (device_seen.sql). */
uint64_t read_cache_device_ms(int64_t last_online_us, int64_t wall_us);

/* Bytes of all cached answers. */
size_t read_cache_bytes(const struct read_cache *cache);
