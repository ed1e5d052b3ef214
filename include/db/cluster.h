/* The private PostgreSQL inside the state directory, for people who have no database server.
 *
 * Reached through a unix socket in the state directory and nowhere else; durable first (fsync on).
 * Started as root it runs as an unprivileged user ("postgres" if there is one, else "nobody"), also
 * where the state directory itself belongs to root with mode 0700: the cluster's folder is opened by
 * an inherited path that this user may walk. Blocking; used by the supervisor and by displayctl. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct cluster_error {
	char text[512];
};

struct cluster {
	pid_t pid;	 /* of the postmaster; 0 while it is not running */
	char url[512];	 /* libpq connection string */
	char path[256];	 /* of its folder */
};

/* initdb if there is none yet, then starts the postmaster and waits until it takes connections.
 * The postmaster dies with the caller's process. 0, or -1 with a sentence. */
__attribute__((warn_unused_result)) int cluster_start(const char *state_dir, struct cluster *ret,
						      struct cluster_error *reterr);

/* For a caller beside a running server (displayctl): the URL, whether or not it answers. */
__attribute__((warn_unused_result)) int cluster_url(const char *state_dir, struct cluster *ret,
						    struct cluster_error *reterr);

/* Fast shutdown; waits until it has ended. */
void cluster_stop(struct cluster *cluster);
