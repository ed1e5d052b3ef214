/* The private PostgreSQL inside the state directory, for people who have no database server.
 *
 *   DIR/postgres/data     the cluster; made as data.new and renamed, so that it is whole or absent
 *   DIR/postgres/data.old the cluster before the last upgrade, until somebody removes it
 *   DIR/postgres/socket   its unix socket: PostgreSQL listens here and nowhere else
 *
 *   cluster_open -> cluster_prepare -> cluster_spawn -> ... -> cluster_stop     the supervisor
 *   cluster_start -> ... -> cluster_stop                                        displayctl migrate
 *   cluster_url                                                                 beside a server
 *
 * Started as root, PostgreSQL runs as USERS_DATABASE (base/users.h), also if the state directory
 * belongs to root with mode 0700, so that this user cannot walk to it: PostgreSQL gets its folder
 * as an open descriptor and knows it as /proc/self/fd/3, which needs no right on the folders above.
 * No mode of the owner's folders is changed, and nothing is mounted. The files of a cluster that
 * another user had before are given to USERS_DATABASE. If the state directory belongs to an
 * ordinary user, it stays so, and PostgreSQL runs as that user.
 *
 * The operating system's user at the other end of the socket decides who may connect (peer
 * authentication). cluster_prepare() writes these rules each time:
 *
 *   root, and an ordinary user who started displayd   role displayd, which owns all
 *   the same, and USERS_WORKER                        role displayd_worker, which reads and writes
 *                                                     rows, and can neither change the schema nor
 *                                                     have the server run programs
 *
 * The caller holds the state directory's lock (include/main/state_dir.h). So a PostgreSQL that
 * still runs there is left over from a server that was killed: cluster_prepare() ends it. */
#pragma once

#include "base/process.h"
#include "db/storage.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Signals to the postmaster: a fast shutdown writes dirty pages to disk, an immediate one
	 * leaves that to recovery at the next start. */
	CLUSTER_STOP_SIGNAL = SIGINT,
	CLUSTER_STOP_AT_ONCE_SIGNAL = SIGQUIT,
	CLUSTER_PATH_BYTES = 4096,
	CLUSTER_VERSION_MIN = 15,
	CLUSTER_VERSION_MAX = 17,
};

struct cluster_error {
	char text[1024];       /* one sentence */
	bool is_not_installed; /* a fitting PostgreSQL is missing: no new try helps */
};

struct pg_conn; /* libpq's PGconn */

struct cluster {
	char folder[CLUSTER_PATH_BYTES]; /* DIR/postgres, absolute */
	const char *data;		 /* the data folder's name in it, static */
	unsigned port;			 /* part of the socket's name */
	char programs[256];		 /* folder of initdb and postgres; empty in cluster_url() */
	int version;			 /* major version of these programs */
	struct process_user user;	 /* PostgreSQL runs as this user */
	gid_t clients;			 /* the group that may reach the socket */
	bool drops_privileges;		 /* this process is root, user is not */
	bool is_owned_by_user;		 /* this process is root, the state directory is user's */
	char url[512];			 /* libpq connection string, set once the folders exist */
	char worker_url[512];		 /* the same with the workers' role; not in cluster_url() */
	int socket_fd;	     /* the socket's folder, which the URLs go through: so children, who
				inherit it, need no right on the folders above; else -1 */
	pid_t pid;	     /* process ID of the postmaster that was started last */
	int log_fd;	     /* reads the postmaster's log, non-blocking; -1: not started */
	char log_line[1024]; /* the line that is being read */
	size_t log_length;
	char last_fatal[256]; /* the log's last line of level FATAL or PANIC, for error texts */
	bool is_new;	      /* cluster_prepare() has made the database */
};

/* Finds the cluster, its owner and the PostgreSQL programs that fit; changes nothing. As root,
 * missing users (base/users.h) are an error. Programs are taken from /usr/lib/postgresql or from
 * PATH: for an existing cluster those of its version, else the newest. Returns 0, or -1 with a
 * sentence. Call cluster_close(), also after an error. */
__attribute__((warn_unused_result)) int cluster_open(const char *state_dir, struct cluster *ret,
						     struct cluster_error *reterr);

/* Works as cluster_open(), for a program that replaces another one (main/handover.h): the
 * postmaster runs already if pid is not 0. Takes ownership of the descriptors, which may be -1. */
__attribute__((warn_unused_result)) int cluster_adopt(const char *state_dir, pid_t pid, int log_fd,
						      int socket_fd, struct cluster *ret,
						      struct cluster_error *reterr);

/* Makes missing folders and a missing cluster, ends a PostgreSQL that a killed server left, removes
 * its stale files, takes the cluster over, and writes who may connect. Blocks for some seconds;
 * programs that it starts end with the calling process. Returns 0, or -1 with a sentence. */
__attribute__((warn_unused_result)) int cluster_prepare(struct cluster *cluster,
							struct cluster_error *reterr);

/* Starts the postmaster and sets url, pid and log_fd. The postmaster accepts connections some time
 * later (ask PQping()). as: its user (cluster_user()), limits and death signal
 * (CLUSTER_STOP_SIGNAL). connections: maximum that it accepts. */
__attribute__((warn_unused_result)) int cluster_spawn(struct cluster *cluster,
						      const struct process *as,
						      unsigned connections,
						      struct cluster_error *reterr);

/* Returns the major version of the newest installed PostgreSQL, if it is newer than the cluster's;
 * else 0. */
int cluster_newer_version(const struct cluster *cluster);

/* Whether data.old exists, and its path. */
bool cluster_has_old(const struct cluster *cluster, char ret_path[static CLUSTER_PATH_BYTES]);

/* Returns the user that the postmaster runs as; NULL: that of this process. Valid as long as the
 * cluster. */
const struct process_user *cluster_user(const struct cluster *cluster);

/* Makes the workers' role if it is missing, over a connection to the cluster, which is migrated.
 * Blocking. Returns 0, or -1 with a sentence. */
__attribute__((warn_unused_result)) int cluster_admit_workers(struct pg_conn *pg,
							      struct cluster_error *reterr);

/* Returns the space of the data folder's disk. If it is unknown, UINT64_MAX bytes are left. Does
 * not block on a local disk. */
struct disk_room cluster_room(const struct cluster *cluster);

/* Logs the lines that have arrived on log_fd, as many as a pipe holds, and leaves those that arrive
 * meanwhile for the next call. Never blocks. If this is not called, PostgreSQL drops lines rather
 * than wait. Returns false once PostgreSQL has closed its end. */
bool cluster_read_log(struct cluster *cluster);

/* Call it when cluster_read_log() has returned false, and when the postmaster has ended. */
void cluster_close_log(struct cluster *cluster);

/* Calls cluster_open(), cluster_prepare() and cluster_spawn(), and waits until PostgreSQL accepts
 * connections. Blocking. Returns 0, or -1 with a sentence. */
__attribute__((warn_unused_result)) int cluster_start(const char *state_dir, struct cluster *ret,
						      struct cluster_error *reterr);

/* Sets the URL for a program beside a running server, whether or not PostgreSQL answers there.
 * Returns -1 if there is no cluster, or if this user may not reach it. Call cluster_close() in the
 * end. */
__attribute__((warn_unused_result)) int cluster_url(const char *state_dir, struct cluster *ret,
						    struct cluster_error *reterr);

/* Ends the postmaster that cluster_start() started by a fast shutdown, and waits for its end. Then
 * acts as cluster_close(). */
void cluster_stop(struct cluster *cluster);

/* Removes a database that this program has made (is_new), and its folder. Call it after
 * cluster_stop(), in a program that failed to fill the database. Files that cannot be removed stay.
 */
void cluster_discard(const struct cluster *cluster);

/* Closes descriptors and leaves the postmaster alone. Also for a zeroed or closed cluster. */
void cluster_close(struct cluster *cluster);
