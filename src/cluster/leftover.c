#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "private.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	LOOK_AGAIN_MS = 20,
	/* A fast shutdown has this long to write dirty pages to disk. */
	IMMEDIATE_AFTER_MS = 30 * 1000,
	KILL_AFTER_MS = 40 * 1000,
	GIVE_UP_AFTER_MS = 50 * 1000,
	MAKERS_END_MS = 20 * 1000,
};

static bool is_folder(const char *process, const char *link, const struct stat *folder)
{
	char path[300];
	struct stat info;

	snprintf(path, sizeof(path), "/proc/%s/%s", process, link);
	return stat(path, &info) == 0 && info.st_dev == folder->st_dev &&
	       info.st_ino == folder->st_ino;
}

/* Every program of ours that works on a data folder has it as descriptor 3, or as 4 if it is the
 * new one of an upgrade. This excludes a shell with the folder as its working directory. */
static bool has_folder(const char *process, const struct stat *folder)
{
	return (is_folder(process, "fd/3", folder) || is_folder(process, "fd/4", folder)) &&
	       (pid_t)strtol(process, NULL, 10) != getpid();
}

/* Every process of a running cluster also works in its data folder. */
static bool runs_in_folder(const char *process, const struct stat *folder)
{
	return is_folder(process, "cwd", folder) && has_folder(process, folder);
}

/* Sends a signal (0: none) to each matching process; returns how many there are. */
static unsigned signal_processes(bool (*is_meant)(const char *process, const struct stat *folder),
				 const struct stat *folder, int number)
{
	unsigned count = 0;
	struct dirent *entry;
	DIR *proc = opendir("/proc");

	while (proc && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]) || !is_meant(entry->d_name, folder))
			continue;
		count++;
		if (number)
			kill((pid_t)strtol(entry->d_name, NULL, 10), number);
	}
	if (proc)
		closedir(proc);
	return count;
}

/* Returns the first line of postmaster.pid; 0 if there is none. */
static pid_t noted_postmaster(int data_fd)
{
	char text[32] = "";
	int fd = openat(data_fd, "postmaster.pid", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	return (pid_t)strtol(text, NULL, 10);
}

/* Whether this process has the folder as its working directory. */
static bool works_in(pid_t pid, const struct stat *folder)
{
	char process[16];

	snprintf(process, sizeof(process), "%d", (int)pid);
	return pid > 1 && is_folder(process, "cwd", folder);
}

static void press(const struct stat *folder, pid_t postmaster, uint64_t waited_ms)
{
	if (waited_ms >= KILL_AFTER_MS)
		signal_processes(runs_in_folder, folder, SIGKILL);
	else if (waited_ms >= IMMEDIATE_AFTER_MS && works_in(postmaster, folder))
		kill(postmaster, SIGQUIT);
}

int cluster_end_makers(int fd, struct cluster_error *reterr)
{
	uint64_t begun_ms = clock_monotonic_ms();
	struct stat folder;

	if (fstat(fd, &folder) < 0)
		return cluster_fail(reterr, "cannot examine the new database's directory: %s",
				    strerror(errno));
	while (signal_processes(has_folder, &folder, SIGKILL) > 0) {
		if (clock_monotonic_ms() - begun_ms > MAKERS_END_MS)
			return cluster_fail(
			    reterr,
			    "a process left by an interrupted start or upgrade does not end");
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
	return 0;
}

int cluster_end_leftovers(int data_fd, int socket_fd, struct cluster_error *reterr)
{
	/* The second port is that of an upgrade's new cluster. */
	static const char *const sockets[] = {".s.PGSQL.5432.lock", ".s.PGSQL.5432",
					      ".s.PGSQL.5433.lock", ".s.PGSQL.5433"};
	uint64_t begun_ms = clock_monotonic_ms(), waited_ms = 0;
	pid_t postmaster = noted_postmaster(data_fd);
	struct stat folder;

	if (fstat(data_fd, &folder) < 0)
		return cluster_fail(reterr, "cannot examine the database's directory: %s",
				    strerror(errno));
	if (signal_processes(runs_in_folder, &folder, 0) > 0) {
		log_warn("cluster", "stopping a PostgreSQL left by an earlier server",
			 LOG_INT("pid", postmaster));
		if (works_in(postmaster, &folder))
			kill(postmaster, SIGINT);
	}
	while (signal_processes(runs_in_folder, &folder, 0) > 0) {
		waited_ms = clock_monotonic_ms() - begun_ms;
		if (waited_ms > GIVE_UP_AFTER_MS)
			return cluster_fail(
			    reterr, "a PostgreSQL left by an earlier server (pid %d) does not end",
			    (int)postmaster);
		press(&folder, postmaster, waited_ms);
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
	/* Nothing runs there and we hold the lock, so these files are stale. Process numbers repeat
	 * soon in containers, and PostgreSQL would take another process for the old one and refuse
	 * to start. */
	unlinkat(data_fd, "postmaster.pid", 0);
	for (size_t i = 0; i < array_length(sockets); i++)
		unlinkat(socket_fd, sockets[i], 0);
	return 0;
}
