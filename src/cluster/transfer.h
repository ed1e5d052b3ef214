/* Fills the new cluster of an upgrade. */
#pragma once

#include "private.h"

/* Clusters of an upgrade, while the new one is not yet in force. */
struct cluster_pair {
	struct cluster *from;
	struct cluster *to;
	int from_fd;
	int to_fd; /* data.new */
};

/* Both are stopped, the old one cleanly; the new one is as initdb made it. pg_upgrade checks first,
 * then copies. Returns 0, or -1 with a sentence. */
__attribute__((warn_unused_result)) int cluster_run_pg_upgrade(const struct cluster_pair *pair,
							       struct cluster_error *reterr);

/* Fills the new cluster with pg_dumpall and psql instead. Starts both clusters and stops them.
 * Returns 0, or -1 with a sentence. */
__attribute__((warn_unused_result)) int cluster_run_dump(struct cluster_pair *pair,
							 struct cluster_error *reterr);

/* Starts the cluster only for the upgrade. */
__attribute__((warn_unused_result)) int cluster_start_apart(struct cluster *cluster,
							    struct cluster_error *reterr);

/* Returns all tables of the database displayd with their numbers of rows, and all sequences with
 * their values, a line each. The cluster must run. The caller frees the text. Returns NULL with a
 * sentence on an error. */
char *cluster_count_rows(const struct cluster *cluster, struct cluster_error *reterr);

/* Updates the planner's statistics of the new cluster. */
__attribute__((warn_unused_result)) int cluster_analyze(const struct cluster *cluster,
							struct cluster_error *reterr);
