/* Moves the private PostgreSQL to a newer major version, or into a new cluster of the same version.
 *
 *   cluster_upgrade_plan -> cluster_upgrade_run
 *
 * The new cluster is made beside the old one, which is only read. The two are compared before the
 * new one takes the place of the old one:
 *
 *   data data.new made, filled, started once, compared, stopped data data.ready renamed: whole
 *   data.old data.ready renamed data.old data renamed: the new cluster is in force
 *
 * The next start of the cluster uses "data". If it is missing, "data.ready" is renamed to it.
 * Everything else that an interrupted upgrade has left beside "data" is removed then, so that a
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
	CLUSTER_METHOD_AUTO,	   /* pg_upgrade; if it is missing or fails, dump and restore */
	CLUSTER_METHOD_PG_UPGRADE, /* copies the files of the tables */
	CLUSTER_METHOD_DUMP,	   /* pg_dumpall and psql: all rows are written again */
};

struct cluster_plan {
	struct cluster from;
	struct cluster to;     /* its version may be the same */
	uint64_t wanted_bytes; /* free space needed, at most */
	uint64_t free_bytes;
	char old[CLUSTER_PATH_BYTES]; /* where the old cluster will be kept */
	bool is_old_there;	      /* it exists already, from a previous upgrade */
	/* Reports the next step to a person. */
	void (*report)(const char *text);
};

/* Makes a plan, and changes nothing. Returns -1 with a sentence if there is no cluster
 * (*ret_is_there is false then), or if the programs of its version are missing. Call
 * cluster_plan_finish(), also after an error. */
__attribute__((warn_unused_result)) int cluster_upgrade_plan(const char *state_dir,
							     struct cluster_plan *ret,
							     bool *ret_is_there,
							     struct cluster_error *reterr);

/* Carries the plan out; *ret_method is how. Blocking, for as long as it takes to copy all data and
 * start PostgreSQL some times. Returns 0, or -1 with a sentence: the old cluster stays in force. */
__attribute__((warn_unused_result)) int cluster_upgrade_run(struct cluster_plan *plan,
							    enum cluster_method method,
							    enum cluster_method *ret_method,
							    struct cluster_error *reterr);

/* Ends cluster_upgrade_run() soon, unless the new cluster is in force; also cluster_start(). Signal
 * handler. */
void cluster_upgrade_interrupt(int signal_number);

void cluster_plan_finish(struct cluster_plan *plan);
