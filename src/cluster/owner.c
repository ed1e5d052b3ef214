#include "private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int give_entries(int fd, uid_t from, const struct process_user *to);

/* The descriptor refers to the checked file, even if its name changes meanwhile. */
static int give_file(int fd, const struct process_user *to)
{
	return fchownat(fd, "", to->uid, to->gid, AT_EMPTY_PATH) < 0 ? -errno : 0;
}

/* Gives the contents of a folder before the folder, so that the outermost folder is the last. */
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

/* Whether a file belongs to another user. Symbolic links, and files with several names, may belong
 * to anybody. */
static bool is_foreign(int folder_fd, const char *path, uid_t uid, uid_t *ret_owner)
{
	struct stat info;

	if (fstatat(folder_fd, path, &info, AT_SYMLINK_NOFOLLOW) < 0 || info.st_uid == uid ||
	    (!S_ISDIR(info.st_mode) && (!S_ISREG(info.st_mode) || info.st_nlink > 1)))
		return false;
	*ret_owner = info.st_uid;
	return true;
}

/* Appends the name of the entry that it finds to the path. */
static bool has_foreign_entry(char path[static CLUSTER_PATH_BYTES], uid_t uid, uid_t *ret_owner)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	bool is_found = false;

	while (folder && !is_found && (entry = readdir(folder))) {
		is_found = strcmp(entry->d_name, "..") != 0 &&
			   is_foreign(dirfd(folder), entry->d_name, uid, ret_owner);
		if (is_found)
			snprintf(path + strlen(path), CLUSTER_PATH_BYTES - strlen(path), "/%s",
				 entry->d_name);
	}
	if (folder)
		closedir(folder);
	return is_found;
}

int cluster_check_owner(const struct cluster *cluster, const char *data,
			struct cluster_error *reterr)
{
	const struct passwd *user = getpwuid(cluster->user.uid);
	const uid_t uid = cluster->user.uid;
	char path[CLUSTER_PATH_BYTES], number[16];
	uid_t owner = uid;

	snprintf(number, sizeof(number), "%u", (unsigned)uid);
	snprintf(path, sizeof(path), "%s", cluster->folder);
	/* The folder around the data stays root's if this process is root. */
	if ((cluster->drops_privileges || !is_foreign(AT_FDCWD, path, uid, &owner)) &&
	    snprintf(path, sizeof(path), "%s/%s", cluster->folder, data) < (int)sizeof(path) &&
	    !is_foreign(AT_FDCWD, path, uid, &owner) && !has_foreign_entry(path, uid, &owner))
		return 0;
	return cluster_fail(reterr,
			    "%s belongs to another user (uid %u): start displayd as that user or "
			    "as root; if the state directory was copied, chown -R %s: %s",
			    path, (unsigned)owner, user ? user->pw_name : number, cluster->folder);
}

int cluster_give(int fd, const struct process_user *to)
{
	struct stat info;
	int error;

	if (fstat(fd, &info) < 0)
		return -errno;
	if (info.st_uid == to->uid)
		return 0;
	/* Root has copied the folder. It stays closed to all others until it is given away, last of
	 * all. */
	if (info.st_uid == 0 && fchmod(fd, 0700) < 0)
		return -errno;
	error = give_entries(fd, info.st_uid, to);
	if (error == 0 && fchown(fd, to->uid, to->gid) < 0)
		error = -errno;
	return error;
}
