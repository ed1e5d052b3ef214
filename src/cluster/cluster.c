#include "base/clock.h"
#include "base/log.h"
#include "base/users.h"
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	START_MS_MAX = 600 * 1000, /* recovery after a crash replays everything since the last
				      checkpoint */
	LOOK_AGAIN_MS = 20,
	DISPLAYCTL_CONNECTIONS = 20,
	PORT = 5432,
};

bool cluster_path(const struct cluster *cluster, const char *name,
		  char ret_path[static CLUSTER_PATH_BYTES])
{
	return snprintf(ret_path, CLUSTER_PATH_BYTES, "%s/%s", cluster->folder, name) <
	       CLUSTER_PATH_BYTES;
}

static int set_folder(struct cluster *cluster, const char *state_dir, struct cluster_error *reterr)
{
	char *absolute = realpath(state_dir, NULL);
	int length;

	*cluster =
	    (struct cluster){.data = CLUSTER_DATA, .port = PORT, .socket_fd = -1, .log_fd = -1};
	if (!absolute)
		return cluster_fail(reterr, "cannot open the state directory %s: %s", state_dir,
				    strerror(errno));
	length = snprintf(cluster->folder, sizeof(cluster->folder), "%s/postgres", absolute);
	free(absolute);
	/* Leaves room for the names that are appended later. */
	if (length > CLUSTER_PATH_BYTES - 32)
		return cluster_fail(reterr, "the path of the state directory is too long");
	return 0;
}

const char *cluster_in_force(const struct cluster *cluster)
{
	char path[CLUSTER_PATH_BYTES];

	if (cluster_path(cluster, CLUSTER_DATA, path) && access(path, F_OK) < 0 &&
	    errno == ENOENT && cluster_path(cluster, CLUSTER_READY, path) &&
	    access(path, F_OK) == 0)
		return CLUSTER_READY;
	return CLUSTER_DATA;
}

bool cluster_has_old(const struct cluster *cluster, char ret_path[static CLUSTER_PATH_BYTES])
{
	return cluster_path(cluster, CLUSTER_OLD, ret_path) && access(ret_path, F_OK) == 0;
}

/* Returns the major version of an existing cluster, 0 if there is none. */
static int existing_version(const struct cluster *cluster)
{
	char path[CLUSTER_PATH_BYTES], name[32], text[16] = "";
	FILE *file;

	snprintf(name, sizeof(name), "%s/PG_VERSION", cluster_in_force(cluster));
	if (!cluster_path(cluster, name, path))
		return 0;
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (!fgets(text, sizeof(text), file))
		text[0] = 0;
	fclose(file);
	return (int)strtol(text, NULL, 10);
}

/* PostgreSQL refuses to run as root, and to use a folder of another user. */
static int keep_own_user(struct cluster *cluster, struct cluster_error *reterr)
{
	cluster->user = (struct process_user){.uid = geteuid(), .gid = getegid()};
	cluster->clients = cluster->user.gid;
	return cluster_check_owner(cluster, cluster_in_force(cluster), reterr);
}

static int choose_user(struct cluster *cluster, const char *state_dir, struct cluster_error *reterr)
{
	struct process_user worker;
	struct stat info;

	if (geteuid() != 0)
		return keep_own_user(cluster, reterr);
	cluster->drops_privileges = true;
	if (!users_check(/* has_database= */ true, reterr->text, sizeof(reterr->text)) ||
	    !users_find(USERS_WORKER, &worker) || !users_find(USERS_DATABASE, &cluster->user))
		return -1;
	cluster->clients = worker.gid;
	/* The state directory belongs to an ordinary user, who may later start displayd without
	 * root. */
	if (stat(state_dir, &info) == 0 && info.st_uid != 0) {
		cluster->user = (struct process_user){.uid = info.st_uid, .gid = info.st_gid};
		cluster->is_owned_by_user = true;
	}
	return 0;
}

int cluster_open(const char *state_dir, struct cluster *ret, struct cluster_error *reterr)
{
	if (set_folder(ret, state_dir, reterr) < 0 || choose_user(ret, state_dir, reterr) < 0)
		return -1;
	return cluster_find_programs(ret, existing_version(ret), reterr);
}

/* The URLs name an open descriptor of the socket's folder. A path would not work if it is too long
 * for a socket's address, has a comma, which libpq takes for a list of hosts, or leads through
 * folders that are closed to the worker's user. */
static int set_urls(struct cluster *cluster, struct cluster_error *reterr)
{
	static const char format[] = "host='/proc/self/fd/%d' port=%u user=%s dbname=displayd";
	char path[CLUSTER_PATH_BYTES];

	if (!cluster_path(cluster, "socket", path))
		return cluster_fail(reterr, "the path of the state directory is too long");
	if (cluster->socket_fd < 0)
		cluster->socket_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (cluster->socket_fd < 0)
		return cluster_fail(reterr, "cannot open %s: %s", path, strerror(errno));
	snprintf(cluster->url, sizeof(cluster->url), format, cluster->socket_fd, cluster->port,
		 "displayd");
	snprintf(cluster->worker_url, sizeof(cluster->worker_url), format, cluster->socket_fd,
		 cluster->port, "displayd_worker");
	return 0;
}

int cluster_adopt(const char *state_dir, pid_t pid, int log_fd, int socket_fd, struct cluster *ret,
		  struct cluster_error *reterr)
{
	int rc = cluster_open(state_dir, ret, reterr);

	ret->pid = pid;
	ret->log_fd = log_fd;
	ret->socket_fd = socket_fd;
	return rc < 0 || socket_fd < 0 ? rc : set_urls(ret, reterr);
}

static int open_data(int folder_fd)
{
	return openat(folder_fd, CLUSTER_DATA, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Gives the cluster to its user, if root used another user for it before. */
static int take_over(const struct cluster *cluster, int data_fd, struct cluster_error *reterr)
{
	struct stat info;
	int error;

	if (!cluster->drops_privileges)
		return 0;
	if (fstat(data_fd, &info) == 0 && info.st_uid != cluster->user.uid)
		log_info("cluster", "taking over the database from another user",
			 LOG_INT("from_uid", info.st_uid), LOG_INT("to_uid", cluster->user.uid));
	error = cluster_give(data_fd, &cluster->user);
	if (error < 0)
		return cluster_fail(reterr, "cannot change the owner of %s/data: %s",
				    cluster->folder, strerror(-error));
	return cluster_check_owner(cluster, CLUSTER_DATA, reterr);
}

/* Called if there is no data folder: an upgrade was interrupted before its last step, or the
 * cluster must be made. */
static int find_or_create(struct cluster *cluster, int folder_fd, struct cluster_error *reterr)
{
	char old[CLUSTER_PATH_BYTES];

	if (renameat(folder_fd, CLUSTER_READY, folder_fd, CLUSTER_DATA) == 0) {
		log_info("cluster", "completed an interrupted database upgrade",
			 LOG_TEXT("folder", cluster->folder));
		return fsync(folder_fd) == 0 ? 0
					     : cluster_fail(reterr, "cannot write to %s: %s",
							    cluster->folder, strerror(errno));
	}
	if (cluster_has_old(cluster, old))
		return cluster_fail(reterr,
				    "%s/data is missing, but data.old exists: put data back, or "
				    "rename data.old to data",
				    cluster->folder);
	cluster->is_new = true;
	return cluster_create(cluster, folder_fd, reterr);
}

/* Removes the folders that an interrupted upgrade has left. */
static int remove_unfinished(const struct cluster *cluster, int folder_fd,
			     struct cluster_error *reterr)
{
	return cluster_remove(cluster, folder_fd, CLUSTER_NEW, reterr) < 0
		   ? -1
		   : cluster_remove(cluster, folder_fd, CLUSTER_READY, reterr);
}

/* Makes the data folder if it is missing; else ends a PostgreSQL that still runs there. folder_fd:
 * DIR/postgres. */
static int prepare_data(struct cluster *cluster, int folder_fd, int socket_fd,
			struct cluster_error *reterr)
{
	int rc, data_fd = open_data(folder_fd);

	if (data_fd < 0 && errno == ENOENT) {
		if (find_or_create(cluster, folder_fd, reterr) < 0)
			return -1;
		data_fd = open_data(folder_fd);
	}
	if (data_fd < 0)
		return cluster_fail(reterr, "cannot open %s/data: %s", cluster->folder,
				    strerror(errno));
	rc = remove_unfinished(cluster, folder_fd, reterr);
	if (rc == 0)
		rc = cluster_end_leftovers(data_fd, socket_fd, reterr);
	if (rc == 0)
		rc = take_over(cluster, data_fd, reterr);
	if (rc == 0)
		rc = cluster_write_access(cluster, data_fd, /* for_upgrade= */ false, reterr);
	close(data_fd);
	return rc;
}

/* If this process is root, the folder stays root's: PostgreSQL's user may walk through it, but not
 * rename anything in it. Exception: the state directory belongs to that user, who may later start
 * displayd without root.
 */
static int make_own_folder(const struct cluster *cluster)
{
	int fd = cluster_make_folder(AT_FDCWD, cluster->folder,
				     cluster->drops_privileges ? 0711 : 0700, NULL);
	int error;

	if (fd < 0 || !cluster->is_owned_by_user ||
	    fchown(fd, cluster->user.uid, cluster->user.gid) == 0)
		return fd;
	error = -errno;
	close(fd);
	return error;
}

int cluster_prepare(struct cluster *cluster, struct cluster_error *reterr)
{
	const struct process_user socket_owner = {.uid = cluster->user.uid,
						  .gid = cluster->clients};
	int rc, folder_fd, socket_fd;

	folder_fd = make_own_folder(cluster);
	if (folder_fd < 0)
		return cluster_fail(reterr, "cannot create %s: %s", cluster->folder,
				    strerror(-folder_fd));
	/* The set-group-ID bit gives the socket the folder's group, in which PostgreSQL is not. */
	socket_fd =
	    cluster_make_folder(folder_fd, "socket", cluster->drops_privileges ? 02710 : 0700,
				cluster->drops_privileges ? &socket_owner : NULL);
	if (socket_fd < 0) {
		close(folder_fd);
		return cluster_fail(reterr, "cannot create %s/socket: %s", cluster->folder,
				    strerror(-socket_fd));
	}
	rc = prepare_data(cluster, folder_fd, socket_fd, reterr);
	close(socket_fd);
	close(folder_fd);
	return rc;
}

static pid_t start_postmaster(const struct cluster *cluster, const struct process *as,
			      unsigned connections, int data_fd, int output_fd)
{
	static const char settings[] = CLUSTER_SETTINGS_ARGUMENT;
	char postgres[300], port[32], max_connections[64];
	/* Other settings are in the file, to keep lists of processes readable. No file in the
	 * cluster can override these, which concern access and durability. */
	const char *const arguments[] = {
	    postgres,
	    "-D",
	    CLUSTER_DATA_PATH,
	    settings,
	    "--listen_addresses=",
	    "--fsync=on",
	    "--full_page_writes=on",
	    "--synchronous_commit=on",
	    port,
	    max_connections,
	    NULL,
	};
	struct cluster_program program = {
	    .arguments = arguments, .data_fd = data_fd, .input_fd = -1, .output_fd = output_fd};

	snprintf(postgres, sizeof(postgres), "%s/postgres", cluster->programs);
	snprintf(port, sizeof(port), "-p%u", cluster->port);
	snprintf(max_connections, sizeof(max_connections), "-N%u", connections);
	return cluster_program_start(&program, as);
}

int cluster_spawn(struct cluster *cluster, const struct process *as, unsigned connections,
		  struct cluster_error *reterr)
{
	char path[CLUSTER_PATH_BYTES];
	int ends[2], data_fd;
	pid_t pid;

	if (set_urls(cluster, reterr) < 0)
		return -1;
	if (!cluster_path(cluster, cluster->data, path))
		return cluster_fail(reterr, "the path of the state directory is too long");
	data_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (data_fd < 0)
		return cluster_fail(reterr, "cannot open %s: %s", path, strerror(errno));
	/* Neither end blocks: if the pipe is full, PostgreSQL drops log lines. */
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) {
		close(data_fd);
		return cluster_fail(reterr, "cannot create a pipe: %s", strerror(errno));
	}
	pid = start_postmaster(cluster, as, connections, data_fd, ends[1]);
	close(data_fd);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return cluster_fail(reterr, "cannot start a process: %s", strerror(-pid));
	}
	cluster_close_log(cluster);
	cluster->log_fd = ends[0];
	cluster->log_length = 0;
	cluster->last_fatal[0] = 0;
	cluster->pid = pid;
	return 0;
}

/* Waits until PostgreSQL accepts connections. Fails if the postmaster ends first, or takes too
 * long. */
static int wait_until_ready(struct cluster *cluster, struct cluster_error *reterr)
{
	uint64_t begun_ms = clock_monotonic_ms();
	char url[sizeof(cluster->url) + 32];

	/* An upgrade's new cluster does not have ours yet. */
	snprintf(url, sizeof(url), "%s dbname=postgres", cluster->url);
	while (PQping(url) != PQPING_OK) {
		cluster_read_log(cluster);
		if (waitpid(cluster->pid, NULL, WNOHANG) == cluster->pid) {
			cluster->pid = 0;
			cluster_read_log(cluster);
			return cluster_fail(reterr, "PostgreSQL ended while starting: %s",
					    cluster->last_fatal);
		}
		if (cluster_program_is_interrupted())
			return cluster_fail(reterr, "interrupted");
		if (clock_monotonic_ms() - begun_ms > START_MS_MAX)
			return cluster_fail(reterr, "PostgreSQL did not become ready in time");
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
	cluster_read_log(cluster);
	return 0;
}

int cluster_wait(struct cluster *cluster, struct cluster_error *reterr)
{
	if (wait_until_ready(cluster, reterr) == 0)
		return 0;
	cluster_stop(cluster);
	return -1;
}

int cluster_start(const char *state_dir, struct cluster *ret, struct cluster_error *reterr)
{
	struct process as = {.gives_up_rights = true, .death_signal = CLUSTER_STOP_SIGNAL};

	if (cluster_open(state_dir, ret, reterr) < 0 || cluster_prepare(ret, reterr) < 0)
		return -1;
	as.user = cluster_user(ret);
	if (cluster_spawn(ret, &as, DISPLAYCTL_CONNECTIONS, reterr) < 0)
		return -1;
	return cluster_wait(ret, reterr);
}

int cluster_url(const char *state_dir, struct cluster *ret, struct cluster_error *reterr)
{
	char path[CLUSTER_PATH_BYTES];

	if (set_folder(ret, state_dir, reterr) < 0)
		return -1;
	if (!cluster_path(ret, "socket", path) || access(path, F_OK) < 0)
		return cluster_fail(reterr, "no database in %s: %s", ret->folder, strerror(errno));
	return set_urls(ret, reterr);
}

void cluster_stop(struct cluster *cluster)
{
	if (cluster->pid > 0)
		kill(cluster->pid, CLUSTER_STOP_SIGNAL);
	while (cluster->pid > 0 && waitpid(cluster->pid, NULL, 0) < 0 && errno == EINTR)
		;
	cluster->pid = 0;
	cluster_close(cluster);
}

void cluster_close(struct cluster *cluster)
{
	if (cluster->socket_fd > 0)
		close(cluster->socket_fd);
	cluster->socket_fd = -1;
	cluster_close_log(cluster);
}
