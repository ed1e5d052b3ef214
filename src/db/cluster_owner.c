#include "db/cluster_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int give_entries(int fd, uid_t from, const struct process_user *to);

/* The descriptor stands for the file that was looked at, whatever its name becomes meanwhile. */
static int give_file(int fd, const struct process_user *to)
{
	return fchownat(fd, "", to->uid, to->gid, AT_EMPTY_PATH) < 0 ? -errno : 0;
}

/* What is in a folder comes before the folder, so that the outermost one is the last. */
static int give_folder(int parent_fd, const char *name, uid_t from, const struct process_user *to)
{
	int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int error = fd < 0 ? -errno : give_entries(fd, from, to);

	if (fd >= 0)
		close(fd);
	return error;
}

static int give_entry(int parent_fd, const char *name, uid_t from, const struct process_user *to)
{
	int fd = openat(parent_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat info;
	int error = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &info) < 0)
		error = -errno;
	if (error == 0 && S_ISDIR(info.st_mode))
		error = give_folder(parent_fd, name, from, to);
	if (error == 0 && info.st_uid == from)
		error = give_file(fd, to);
	close(fd);
	return error;
}

static int give_entries(int fd, uid_t from, const struct process_user *to)
{
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;
	DIR *folder = own < 0 ? NULL : fdopendir(own);
	struct dirent *entry;

	if (!folder) {
		error = -errno;
		if (own >= 0)
			close(own);
		return error;
	}
	while (error == 0 && (entry = readdir(folder)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			error = give_entry(fd, entry->d_name, from, to);
	closedir(folder);
	return error;
}

int cluster_give(int fd, const struct process_user *to)
{
	struct stat info;
	int error;

	if (fstat(fd, &info) < 0)
		return -errno;
	if (info.st_uid == to->uid || info.st_uid == 0)
		return 0;
	error = give_entries(fd, info.st_uid, to);
	if (error == 0 && fchown(fd, to->uid, to->gid) < 0)
		error = -errno;
	return error;
}
