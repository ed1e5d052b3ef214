/* The private PostgreSQL's move to a newer major version, or into a new cluster of the same one.
 *
 *   cluster_upgrade_plan -> cluster_upgrade_run
 *
 * The new cluster is made beside the old one, which is only read, and is compared with it before it
 * takes its place:
 *
 *   data        data.new      made, filled, started once, compared, stopped
 *   data        data.ready    renamed: whole
 *   data.old    data.ready    renamed
 *   data.old    data          renamed: the new one is in force
 *
 * Whoever starts the cluster next goes on with "data". Where there is none, it is "data.ready" that
 * is renamed. What else an interrupted upgrade has left beside "data" is removed then, so that a
 * power cut at any moment leaves one whole cluster in force: cluster_prepare() does this.
 *
 * The caller holds the state directory's lock (include/main/state_dir.h) all the time.
 *
 * The rows are copied, by pg_upgrade or by pg_dumpall and psql: "pg_upgrade --link" would change
 * the old cluster. */
#pragma once

#include "cluster/cluster.h"

#include <stdint.h>

enum cluster_method {
	CLUSTER_METHOD_AUTO,	   /* pg_upgrade; where it is missing or fails, dump and restore */
	CLUSTER_METHOD_PG_UPGRADE, /* copies the files of the tables */
	CLUSTER_METHOD_DUMP,	   /* pg_dumpall and psql: all rows are written anew */
};

struct cluster_plan {
	struct cluster from;
	struct cluster to;     /* its version may be the same */
	uint64_t wanted_bytes; /* of free room, at most */
	uint64_t free_bytes;
	char old[CLUSTER_PATH_BYTES]; /* where the old cluster will be kept */
	bool is_old_there;	      /* one is there already, of an upgrade before */
	/* Says for a person what comes next. */
	void (*tell)(const char *text);
};

/* Looks, and changes nothing. -1 where there is no cluster (*ret_is_there is false then), or where
 * the programs of its version are missing. cluster_plan_finish() it, also after an error. */
__attribute__((warn_unused_result)) int cluster_upgrade_plan(const char *state_dir,
							     struct cluster_plan *ret,
							     bool *ret_is_there,
							     struct cluster_error *reterr);

/* Carries the plan out; *ret_method is how. Blocking, for as long as it takes to copy all data and
 * start PostgreSQL some times. -1: the old cluster stays in force. */
__attribute__((warn_unused_result)) int cluster_upgrade_run(struct cluster_plan *plan,
							    enum cluster_method method,
							    enum cluster_method *ret_method,
							    struct cluster_error *reterr);

/* Ends cluster_upgrade_run() soon, unless the new cluster is in force; also cluster_start(). For a
 * signal's handler. */
void cluster_upgrade_interrupt(int signal_number);

void cluster_plan_finish(struct cluster_plan *plan);
