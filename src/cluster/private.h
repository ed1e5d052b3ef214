/* The parts of the embedded cluster. */
#pragma once

#include "cluster/cluster.h"

#include <sys/stat.h>

/* PostgreSQL's path of its data folder, which it gets as an open descriptor; see struct
 * cluster_program. */
#define CLUSTER_DATA_PATH "/proc/self/fd/3"
/* PostgreSQL's settings: a file in the data folder, which cluster_write_access() writes. */
#define CLUSTER_SETTINGS "displayd.conf"
#define CLUSTER_SETTINGS_ARGUMENT "--config_file=" CLUSTER_DATA_PATH "/" CLUSTER_SETTINGS
/* PostgreSQL's path of the new cluster's data folder, while there are two. */
#define CLUSTER_OTHER_PATH "/proc/self/fd/4"

/* Folders in DIR/postgres: see cluster.h. */
#define CLUSTER_DATA "data"
#define CLUSTER_NEW "data.new"
#define CLUSTER_READY "data.ready"
#define CLUSTER_OLD "data.old"

/* A program that works on the cluster. */
struct cluster_program {
	const char *const *arguments;	/* the first is its whole path; NULL at the end */
	int (*function)(void *context); /* instead of arguments: runs in the child; the exit code */
	void *context;
	const char *folder; /* its working directory, which its user can walk to; NULL: / */
	int data_fd;	    /* the data folder; the program's descriptor 3 */
	int other_fd;	    /* another one; the program's descriptor 4. 0: there is none */
	int input_fd;	    /* -1: /dev/null */
	int output_fd;	    /* stdout and stderr */
};

/* Fills the error and returns -1. */
__attribute__((format(printf, 2, 3))) int cluster_fail(struct cluster_error *reterr,
						       const char *format, ...);

/* Starts the program in a session of its own, with an environment of its own. as: its user, limits
 * and death signal. The process ID or a negative errno. */
__attribute__((warn_unused_result)) pid_t
cluster_program_start(const struct cluster_program *program, const struct process *as);

/* Runs the program to its end, as the cluster's user and with this input. 0, or -1 with a line of
 * its output. */
__attribute__((warn_unused_result)) int cluster_program_run(const struct cluster *cluster,
							    const struct cluster_program *program,
							    const char *input,
							    struct cluster_error *reterr);

/* Async-signal-safe: ends the program that cluster_program_run() runs, and each one after it. */
void cluster_program_interrupt(void);
bool cluster_program_is_interrupted(void);
/* Programs may run again. */
void cluster_program_reset(void);

/* The path of a file in the cluster's folder. False when it is too long. */
bool cluster_path(const struct cluster *cluster, const char *name,
		  char ret_path[static CLUSTER_PATH_BYTES]);

/* Finds programs of that major version (0: the newest that fits). */
__attribute__((warn_unused_result)) int cluster_find_programs(struct cluster *cluster, int version,
							      struct cluster_error *reterr);

/* The version of this folder of programs' "postgres --version" is not asked: they are there. */
bool cluster_has_program(const struct cluster *cluster, const char *name);

/* Name of the cluster in force: data, or data.ready if an upgrade was interrupted in its last
 * step. */
const char *cluster_in_force(const struct cluster *cluster);

/* Makes data.new: what initdb makes, without our database. Nothing of it is synced: call
 * cluster_sync() before it is renamed. Its descriptor, or -1. */
__attribute__((warn_unused_result)) int
cluster_make_new(const struct cluster *cluster, int folder_fd, struct cluster_error *reterr);

/* Ends what works on the folder, and removes it. 0 also where it is not there. folder_fd:
 * DIR/postgres. */
__attribute__((warn_unused_result)) int cluster_remove(const struct cluster *cluster, int folder_fd,
						       const char *name,
						       struct cluster_error *reterr);

/* Waits until PostgreSQL accepts connections; it is stopped on an error. */
__attribute__((warn_unused_result)) int cluster_wait(struct cluster *cluster,
						     struct cluster_error *reterr);

/* Writes all that the folder has to the disk, by one call for its file system: a sync for each of a
 * thousand files takes a minute on a memory card. folder_fd: DIR/postgres. */
__attribute__((warn_unused_result)) int cluster_sync(const struct cluster *cluster, int folder_fd,
						     struct cluster_error *reterr);

/* initdb into data.new, our database in it, then the rename. folder_fd: DIR/postgres. */
__attribute__((warn_unused_result)) int cluster_create(const struct cluster *cluster, int folder_fd,
						       struct cluster_error *reterr);

/* Makes the folder where it is missing, with this mode, and opens it. With an owner, who may be
 * another than today's, all that is in it is given to this owner, too. NULL: it belongs to whom it
 * belongs. A negative errno on error. */
int cluster_make_folder(int parent_fd, const char *name, mode_t mode,
			const struct process_user *owner);

/* Gives the folder, and all in it that belongs to the folder's user, to another user, the folder
 * last: so an interrupted call can be repeated. Nobody who writes there meanwhile can have a file
 * given away that is not theirs: a folder of root's is closed to all others first. Does nothing if
 * the folder is the other user's already. 0 or a negative errno. */
__attribute__((warn_unused_result)) int cluster_give(int fd, const struct process_user *to);

/* Whether the cluster and the files in its data folder belong to its user; without root's rights,
 * the folder around it, too. 0, or -1 with a sentence that names the remedy. */
int cluster_check_owner(const struct cluster *cluster, const char *data,
			struct cluster_error *reterr);

/* Writes who may connect, and as whom, and PostgreSQL's settings: pg_hba.conf, pg_ident.conf and
 * displayd.conf of the data folder. for_upgrade: also its own user, as whom the programs of the
 * upgrade run. */
__attribute__((warn_unused_result)) int cluster_write_access(const struct cluster *cluster,
							     int data_fd, bool for_upgrade,
							     struct cluster_error *reterr);

/* Ends what an interrupted start or upgrade has left at work on the folder, and on the other one
 * that it has. It is killed: all its work is thrown away. */
__attribute__((warn_unused_result)) int cluster_end_makers(int fd, struct cluster_error *reterr);

/* Ends every process of a PostgreSQL that runs in the data folder, then removes the files by which
 * PostgreSQL might believe that it still runs. */
__attribute__((warn_unused_result)) int cluster_end_leftovers(int data_fd, int socket_fd,
							      struct cluster_error *reterr);
