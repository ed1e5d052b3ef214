/* The private PostgreSQL inside the state directory, for people who have no database server.
 *
 *   DIR/postgres/data     the cluster; made as data.new and renamed, so that it is whole or absent
 *   DIR/postgres/socket   its unix socket: PostgreSQL listens here and nowhere else
 *
 *   cluster_open -> cluster_prepare -> cluster_spawn -> ... -> cluster_stop     the supervisor
 *   cluster_start -> ... -> cluster_stop                                        displayctl migrate
 *   cluster_url                                                                 beside a server
 *
 * Started as root it runs as an unprivileged user ("postgres" if there is one, else "nobody"), also
 * where the state directory belongs to root with mode 0700, so that this user cannot walk to it:
 * PostgreSQL gets its folder as an open descriptor and knows it as /proc/self/fd/3, which needs no
 * right on the folders above. No mode of the owner's is changed and nothing is mounted.
 *
 * The caller holds the state directory's lock (include/main/state_dir.h): a PostgreSQL that still
 * runs there was left behind by a server that was killed, and is ended first. */
#pragma once

#include "base/process.h"

#include <signal.h>
#include <stddef.h>

enum {
	/* What the postmaster is sent: a fast shutdown writes what is dirty in memory, an immediate
	 * one leaves it to the recovery at the next start. */
	CLUSTER_STOP_SIGNAL = SIGINT,
	CLUSTER_STOP_AT_ONCE_SIGNAL = SIGQUIT,
	CLUSTER_PATH_BYTES = 4096,
	CLUSTER_VERSION_MIN = 15,
	CLUSTER_VERSION_MAX = 17,
};

struct cluster_error {
	char text[512]; /* one sentence */
};

struct cluster {
	char folder[CLUSTER_PATH_BYTES]; /* DIR/postgres, absolute */
	char programs[256];		 /* folder of initdb and postgres; empty in cluster_url() */
	int version;			 /* major version of these programs */
	struct process_user user;	 /* whom PostgreSQL runs as */
	bool drops_privileges;		 /* this process is root, that user is not */
	char url[512];			 /* libpq connection string, set once the folders exist */
	int socket_fd;	     /* the socket's folder, where its path is too long for a socket: url
				goes through it, so children must inherit it; else -1 */
	pid_t pid;	     /* of the postmaster that was started last */
	int log_fd;	     /* what it says, non-blocking; -1 while it was not started */
	char log_line[1024]; /* the line that is being read */
	size_t log_length;
	char last_fatal[256]; /* the last complaint that ended something, for error texts */
};

/* Looks where the cluster is, to whom it belongs and which PostgreSQL fits; changes nothing. The
 * programs are those of /usr/lib/postgresql or of PATH: for an existing cluster the ones of its
 * version, else the newest. 0, or -1 with a sentence. cluster_close() it, also after an error. */
__attribute__((warn_unused_result)) int cluster_open(const char *state_dir, struct cluster *ret,
						     struct cluster_error *reterr);

/* Makes what is missing, ends a PostgreSQL that a killed server left, removes its stale files.
 * Blocking, some seconds; what it starts dies with the calling process. 0, or -1 with a sentence.
 */
__attribute__((warn_unused_result)) int cluster_prepare(struct cluster *cluster,
							struct cluster_error *reterr);

/* Starts the postmaster and sets url, pid, log_fd; it takes connections some time later (PQping).
 * as: its user (cluster_user()), limits and death signal (CLUSTER_STOP_SIGNAL). connections: how
 * many at most. */
__attribute__((warn_unused_result)) int cluster_spawn(struct cluster *cluster,
						      const struct process *as,
						      unsigned connections,
						      struct cluster_error *reterr);

/* Whom the postmaster is to run as; NULL: the user of this process. Valid as long as the cluster.
 */
const struct process_user *cluster_user(const struct cluster *cluster);

/* Logs what has come in on log_fd. Never blocks; where nobody reads, PostgreSQL drops lines and is
 * not held up. False once the other end is closed. */
bool cluster_read_log(struct cluster *cluster);

/* After that, and when the postmaster has ended. */
void cluster_close_log(struct cluster *cluster);

/* cluster_open() to cluster_spawn() at once, and waits until it takes connections. Blocking. */
__attribute__((warn_unused_result)) int cluster_start(const char *state_dir, struct cluster *ret,
						      struct cluster_error *reterr);

/* For a caller beside a running server: the URL, whether or not it answers. -1 where there is no
 * cluster or where it may not be reached. cluster_close() it. */
__attribute__((warn_unused_result)) int cluster_url(const char *state_dir, struct cluster *ret,
						    struct cluster_error *reterr);

/* Fast shutdown of what cluster_start() started; waits until it has ended. Then as cluster_close().
 */
void cluster_stop(struct cluster *cluster);

/* Closes descriptors; the postmaster is left alone. For a zeroed or closed one too. */
void cluster_close(struct cluster *cluster);
