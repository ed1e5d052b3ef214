#include "base/clock.h"
#include "base/log.h"
#include "db/cluster_private.h"

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
};

/* Sends a signal (0: none) to each process of a PostgreSQL that has this working directory; returns
 * how many there are. Every process of a cluster works in its data folder. */
static unsigned signal_processes_in(const struct stat *folder, int number)
{
	unsigned count = 0;
	struct dirent *entry;
	DIR *proc = opendir("/proc");

	while (proc && (entry = readdir(proc))) {
		char path[300];
		struct stat info;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/cwd", entry->d_name);
		if (stat(path, &info) < 0 || info.st_dev != folder->st_dev ||
		    info.st_ino != folder->st_ino)
			continue;
		/* Only PostgreSQL also has the folder as descriptor 3: a shell that was left in the
		 * folder is not ended. */
		snprintf(path, sizeof(path), "/proc/%s/fd/3", entry->d_name);
		if (stat(path, &info) < 0 || info.st_dev != folder->st_dev ||
		    info.st_ino != folder->st_ino)
			continue;
		count++;
		if (number)
			kill((pid_t)strtol(entry->d_name, NULL, 10), number);
	}
	if (proc)
		closedir(proc);
	return count;
}

/* The first line of postmaster.pid; 0 where there is none. */
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
	char path[64];
	struct stat info;

	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)pid);
	return pid > 1 && stat(path, &info) == 0 && info.st_dev == folder->st_dev &&
	       info.st_ino == folder->st_ino;
}

static void press(const struct stat *folder, pid_t postmaster, uint64_t waited_ms)
{
	if (waited_ms >= KILL_AFTER_MS)
		signal_processes_in(folder, SIGKILL);
	else if (waited_ms >= IMMEDIATE_AFTER_MS && works_in(postmaster, folder))
		kill(postmaster, SIGQUIT);
}

int cluster_end_leftovers(int data_fd, int socket_fd, struct cluster_error *reterr)
{
	uint64_t begun_ms = clock_monotonic_ms(), waited_ms = 0;
	pid_t postmaster = noted_postmaster(data_fd);
	struct stat folder;

	if (fstat(data_fd, &folder) < 0)
		return cluster_fail(reterr, "cannot look at the database's folder: %s",
				    strerror(errno));
	if (signal_processes_in(&folder, 0) > 0) {
		log_warn("cluster", "ending a PostgreSQL that another server left behind",
			 LOG_INT("pid", postmaster));
		if (works_in(postmaster, &folder))
			kill(postmaster, SIGINT);
	}
	while (signal_processes_in(&folder, 0) > 0) {
		waited_ms = clock_monotonic_ms() - begun_ms;
		if (waited_ms > GIVE_UP_AFTER_MS)
			return cluster_fail(reterr,
					    "a PostgreSQL that another server left behind (pid %d) "
					    "does not end",
					    (int)postmaster);
		press(&folder, postmaster, waited_ms);
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
	/* Nothing runs there and we hold the lock, so these files are stale. Process numbers repeat
	 * soon in containers, and PostgreSQL would take another process for the old one and refuse
	 * to start. */
	unlinkat(data_fd, "postmaster.pid", 0);
	unlinkat(socket_fd, ".s.PGSQL.5432.lock", 0);
	unlinkat(socket_fd, ".s.PGSQL.5432", 0);
	return 0;
}
