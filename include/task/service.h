/* State that all tasks of a worker share. A layer above that needs more embeds it in a struct of
 * its own (include/api/api.h). Owned by main; lives as long as the worker. */
#pragma once

#include "db/db.h"
#include "http/request.h"
#include "loop/loop.h"
#include "task/rate.h"
#include "task/storage_probe.h"

struct http_server;
struct key_cache;
struct key_uses;
struct read_cache;

struct service {
	struct loop *loop;
	struct db *db;
	struct key_cache *keys;
	struct key_uses *key_uses;
	struct read_cache *reads;
	struct rate_table *rates;	    /* shared by the workers of this instance */
	struct rate_table *failed_attempts; /* shared by the workers; see task/failed_attempts.h */
	struct rate_table *visitors;	    /* shared by the workers: addresses, and attempts to
					       sign in */
	struct rate_policy failed_attempt_rate;
	struct rate_policy key_rate;
	struct rate_policy push_rate;
	const char *const *cors_origins; /* "https://panels.example.org" */
	unsigned cors_origin_count;
	const char *public_url; /* without trailing slash */
	struct storage_probe storage_probe;
	const struct http_server *http;	       /* NULL before it serves */
	unsigned task_count;		       /* requests under way, abandoned ones included */
	const _Atomic bool *is_instance_ready; /* true once all workers serve */
	bool is_draining;
};
