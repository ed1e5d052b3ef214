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

/* Both are stopped, the old one cleanly; the new one is as initdb made it. pg_upgrade tries first,
 * then copies. 0, or -1 with a sentence. */
__attribute__((warn_unused_result)) int cluster_run_pg_upgrade(const struct cluster_pair *pair,
							       struct cluster_error *reterr);

/* Fills the new cluster with pg_dumpall and psql instead. Starts both clusters and stops them. 0,
 * or -1 with a sentence. */
__attribute__((warn_unused_result)) int cluster_run_dump(struct cluster_pair *pair,
							 struct cluster_error *reterr);

/* Starts the cluster for the upgrade alone. */
__attribute__((warn_unused_result)) int cluster_start_apart(struct cluster *cluster,
							    struct cluster_error *reterr);

/* All tables of the database displayd with their numbers of rows, and all sequences with what they
 * have reached, a line each. The cluster runs. To be freed; NULL with a sentence on an error. */
char *cluster_count_rows(const struct cluster *cluster, struct cluster_error *reterr);

/* Tells the planner of the new cluster how large tables are. */
__attribute__((warn_unused_result)) int cluster_analyze(const struct cluster *cluster,
							struct cluster_error *reterr);
