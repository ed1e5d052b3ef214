/* Internal functions of the embedded cluster. */
#pragma once

#include "cluster/cluster.h"

#include <sys/stat.h>

/* Path by which PostgreSQL gets its data folder: an open descriptor, see struct cluster_program. */
#define CLUSTER_DATA_PATH "/proc/self/fd/3"
/* PostgreSQL's settings: a file in the data folder, which cluster_write_access() writes. */
#define CLUSTER_SETTINGS "displayd.conf"
#define CLUSTER_SETTINGS_ARGUMENT "--config_file=" CLUSTER_DATA_PATH "/" CLUSTER_SETTINGS
/* Path of the new cluster's data folder, while there are two. */
#define CLUSTER_OTHER_PATH "/proc/self/fd/4"

/* Folders in DIR/postgres: see cluster.h. */
#define CLUSTER_DATA "data"
#define CLUSTER_NEW "data.new"
#define CLUSTER_READY "data.ready"
#define CLUSTER_OLD "data.old"

/* Program that works on the cluster. */
struct cluster_program {
	const char *const *arguments;	/* the first is its absolute path; NULL at the end */
	int (*function)(void *context); /* instead of arguments: runs in the child, returns the exit
					   code */
	void *context;
	const char *folder; /* its working directory, which its user can walk to; NULL: / */
	int data_fd;	    /* the data folder; the program's descriptor 3 */
	int other_fd;	    /* another folder; the program's descriptor 4. 0: none */
	int input_fd;	    /* -1: /dev/null */
	int output_fd;	    /* stdout and stderr */
};

/* Fills the error and returns -1. */
__attribute__((format(printf, 2, 3))) int cluster_fail(struct cluster_error *reterr,
						       const char *format, ...);

/* Starts the program in a session of its own, with an environment of its own. as: its user, limits
 * and death signal. Returns the process ID or a negative errno. */
__attribute__((warn_unused_result)) pid_t
cluster_program_start(const struct cluster_program *program, const struct process *as);

/* Runs the program to its end, as the cluster's user and with this input. Returns 0, or -1 with a
 * line of its output. */
__attribute__((warn_unused_result)) int cluster_program_run(const struct cluster *cluster,
							    const struct cluster_program *program,
							    const char *input,
							    struct cluster_error *reterr);

/* Async-signal-safe: ends the running program of cluster_program_run(), and each later one. */
void cluster_program_interrupt(void);
bool cluster_program_is_interrupted(void);
/* Allows programs to run again. */
void cluster_program_reset(void);

/* Makes the path of a file in the cluster's folder. Returns false if it is too long. */
bool cluster_path(const struct cluster *cluster, const char *name,
		  char ret_path[static CLUSTER_PATH_BYTES]);

/* Finds programs of that major version (0: the newest that fits). */
__attribute__((warn_unused_result)) int cluster_find_programs(struct cluster *cluster, int version,
							      struct cluster_error *reterr);

/* Whether the cluster's folder of programs has this program. */
bool cluster_has_program(const struct cluster *cluster, const char *name);

/* Name of the cluster in force: data, or data.ready if an upgrade was interrupted in its last
 * step. */
const char *cluster_in_force(const struct cluster *cluster);

/* Makes data.new by initdb, without our database. It is not synced: call cluster_sync() before
 * renaming it. Returns its descriptor, or -1 with a sentence. */
__attribute__((warn_unused_result)) int
cluster_make_new(const struct cluster *cluster, int folder_fd, struct cluster_error *reterr);

/* Removes everything in a folder, and not the folder. Returns 0, or another number with errno. */
__attribute__((warn_unused_result)) int cluster_remove_contents(const char *path);

/* Ends programs that work on the folder, and removes it. Returns 0, also if it does not exist, or
 * -1 with a sentence. folder_fd: DIR/postgres. */
__attribute__((warn_unused_result)) int cluster_remove(const struct cluster *cluster, int folder_fd,
						       const char *name,
						       struct cluster_error *reterr);

/* Waits until PostgreSQL accepts connections; stops it on an error. */
__attribute__((warn_unused_result)) int cluster_wait(struct cluster *cluster,
						     struct cluster_error *reterr);

/* Writes everything in the folder to the disk, by one call for its file system: a sync for each of
 * a thousand files takes a minute on a memory card. folder_fd: DIR/postgres. */
__attribute__((warn_unused_result)) int cluster_sync(const struct cluster *cluster, int folder_fd,
						     struct cluster_error *reterr);

/* initdb into data.new, our database in it, then the rename. folder_fd: DIR/postgres. */
__attribute__((warn_unused_result)) int cluster_create(const struct cluster *cluster, int folder_fd,
						       struct cluster_error *reterr);

/* Makes the folder if it is missing, with this mode, and opens it. Gives the folder and everything
 * in it to the owner; NULL: does not change owners. Returns a negative errno on error. */
int cluster_make_folder(int parent_fd, const char *name, mode_t mode,
			const struct process_user *owner);

/* Gives the folder, and all in it that belongs to the folder's user, to another user, the folder
 * last: so an interrupted call can be repeated. A process that writes there meanwhile cannot make
 * it give away other files: a folder of root is first closed to all others. Does nothing if the
 * folder belongs to the other user already. Returns 0 or a negative errno. */
__attribute__((warn_unused_result)) int cluster_give(int fd, const struct process_user *to);

/* Whether the cluster and the files in its data folder belong to its user; without root's rights,
 * the folder around it, too. Returns 0, or -1 with a sentence that names the remedy. */
int cluster_check_owner(const struct cluster *cluster, const char *data,
			struct cluster_error *reterr);

/* Writes who may connect as which role, and PostgreSQL's settings: pg_hba.conf, pg_ident.conf and
 * displayd.conf of the data folder. for_upgrade: also its own user, as whom the programs of the
 * upgrade run. */
__attribute__((warn_unused_result)) int cluster_write_access(const struct cluster *cluster,
							     int data_fd, bool for_upgrade,
							     struct cluster_error *reterr);

/* Kills programs that an interrupted start or upgrade has left running on the folder, and on its
 * other folder: their work is discarded. */
__attribute__((warn_unused_result)) int cluster_end_makers(int fd, struct cluster_error *reterr);

/* Ends every process of a PostgreSQL that runs in the data folder, then removes the files by which
 * PostgreSQL might believe that it still runs. */
__attribute__((warn_unused_result)) int cluster_end_leftovers(int data_fd, int socket_fd,
							      struct cluster_error *reterr);
