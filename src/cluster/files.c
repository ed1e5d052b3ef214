#include "base/clock.h"
#include "base/log.h"
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_program(const char *folder, const char *name)
{
	char path[512];

	return (size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) < sizeof(path) &&
	       access(path, X_OK) == 0;
}

/* Returns the major version from "postgres --version"; 0 if in doubt. The folder comes from PATH
 * and is quoted for the shell. */
static int version_of(const char *folder)
{
	char command[600], line[128] = "", *digits;
	long version = 0;
	FILE *output;

	if (strchr(folder, '\'') || !is_program(folder, "postgres") ||
	    !is_program(folder, "initdb"))
		return 0;
	snprintf(command, sizeof(command), "'%s/postgres' --version 2>/dev/null", folder);
	output = popen(command, "re");
	if (!output)
		return 0;
	if (fgets(line, sizeof(line), output)) {
		digits = strpbrk(line, "0123456789");
		version = digits ? strtol(digits, NULL, 10) : 0;
	}
	pclose(output);
	return version >= CLUSTER_VERSION_MIN && version <= CLUSTER_VERSION_MAX ? (int)version : 0;
}

bool cluster_has_program(const struct cluster *cluster, const char *name)
{
	return is_program(cluster->programs, name);
}

static bool take_programs(struct cluster *cluster, const char *folder, int version)
{
	if (strlen(folder) >= sizeof(cluster->programs))
		return false;
	memcpy(cluster->programs, folder, strlen(folder) + 1);
	cluster->version = version;
	return true;
}

static bool find_in_path(struct cluster *cluster, int version)
{
	struct str rest = str_from(getenv("PATH")), piece;

	while (rest.data && str_next(&rest, ':', &piece)) {
		char folder[256];
		int found;

		if (piece.length == 0 || piece.data[0] != '/' || piece.length >= sizeof(folder))
			continue;
		memcpy(folder, piece.data, piece.length);
		folder[piece.length] = 0;
		found = version_of(folder);
		if (found && (version == 0 || found == version))
			return take_programs(cluster, folder, found);
	}
	return false;
}

static int fail_not_installed(const struct cluster *cluster, int version,
			      struct cluster_error *reterr)
{
	if (version == 0)
		cluster_fail(reterr,
			     "no PostgreSQL from version %d to %d is installed; install one or use "
			     "--database",
			     CLUSTER_VERSION_MIN, CLUSTER_VERSION_MAX);
	else if (version > CLUSTER_VERSION_MAX)
		cluster_fail(
		    reterr,
		    "the database in %s was created by PostgreSQL %d, which is not installed, and "
		    "this displayd supports versions %d to %d only: install a newer displayd",
		    cluster->folder, version, CLUSTER_VERSION_MIN, CLUSTER_VERSION_MAX);
	else
		cluster_fail(
		    reterr,
		    "the database in %s was created by PostgreSQL %d, which is not installed: "
		    "install it, also beside other versions (Debian: package postgresql-%d; to "
		    "move to a newer version, then run \"displayctl database upgrade\"), or "
		    "restore a backup into a new state directory (displayctl --state-dir NEW "
		    "restore FILE)",
		    cluster->folder, version, version);
	reterr->is_not_installed = true;
	return -1;
}

int cluster_newer_version(const struct cluster *cluster)
{
	struct cluster newest = *cluster;
	struct cluster_error ignored;

	if (cluster_find_programs(&newest, 0, &ignored) < 0 || newest.version <= cluster->version)
		return 0;
	return newest.version;
}

int cluster_find_programs(struct cluster *cluster, int version, struct cluster_error *reterr)
{
	for (int candidate = CLUSTER_VERSION_MAX; candidate >= CLUSTER_VERSION_MIN; candidate--) {
		/* Folders of Debian and its descendants, then of PostgreSQL's own packages for Red
		 * Hat's family. */
		static const char *const folders[] = {"/usr/lib/postgresql/%d/bin",
						      "/usr/pgsql-%d/bin"};

		if (version && candidate != version)
			continue;
		for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
			char folder[64];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(folder, sizeof(folder), folders[i], candidate);
#pragma GCC diagnostic pop
			if (is_program(folder, "postgres") && is_program(folder, "initdb") &&
			    take_programs(cluster, folder, candidate))
				return 0;
		}
	}
	if (find_in_path(cluster, version))
		return 0;
	return fail_not_installed(cluster, version, reterr);
}

int cluster_make_folder(int parent_fd, const char *name, mode_t mode,
			const struct process_user *owner)
{
	int fd, error = 0;

	if (mkdirat(parent_fd, name, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (owner)
		error = cluster_give(fd, owner);
	if (error == 0 && owner && fchown(fd, owner->uid, owner->gid) < 0)
		error = -errno;
	if (error == 0 && fchmod(fd, mode) < 0)
		error = -errno;
	if (error == 0)
		return fd;
	close(fd);
	return error;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
	(void)info;
	if (walk->level == 0)
		return 0;
	return kind == FTW_DP ? rmdir(path) : unlink(path);
}

int cluster_remove_contents(const char *path)
{
	return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Runs in a child with the rights of the cluster's user: a symbolic link that this user made cannot
 * mislead root. */
static int remove_contents(void *none)
{
	(void)none;
	/* The dot makes nftw() walk the folder and not the link in /proc. */
	if (cluster_remove_contents(CLUSTER_DATA_PATH "/.") == 0)
		return 0;
	/* The caller reads it. */
	dprintf(STDERR_FILENO, "cannot remove the files of an interrupted run: %s\n",
		strerror(errno));
	return 1;
}

/* Removes the files that an interrupted initdb or upgrade has left. */
static int empty_folder(const struct cluster *cluster, int fd, struct cluster_error *reterr)
{
	struct cluster_program program = {.function = remove_contents, .data_fd = fd};

	return cluster_program_run(cluster, &program, NULL, reterr);
}

static int run_initdb(const struct cluster *cluster, int fd, struct cluster_error *reterr)
{
	char initdb[300];
	/* The C locale has a sort order that does not change with the system's libraries. Who may
	 * connect is written by cluster_write_access(). */
	const char *const make[] = {initdb, "-D", CLUSTER_DATA_PATH, "-U", "displayd",
				    "--auth-local=peer", "--auth-host=reject", "-E", "UTF8",
				    "--locale=C", "--data-checksums", "--no-instructions",
				    /* See cluster_sync(). */
				    "--no-sync", NULL};
	struct cluster_program program = {.arguments = make, .data_fd = fd};

	snprintf(initdb, sizeof(initdb), "%s/initdb", cluster->programs);
	return cluster_program_run(cluster, &program, NULL, reterr);
}

static int create_database(const struct cluster *cluster, int fd, struct cluster_error *reterr)
{
	char postgres[300];
	const char *const single[] = {postgres,	     "--single", "-D", CLUSTER_DATA_PATH,
				      "--fsync=off", "postgres", NULL};
	struct cluster_program program = {.arguments = single, .data_fd = fd};

	snprintf(postgres, sizeof(postgres), "%s/postgres", cluster->programs);
	return cluster_program_run(cluster, &program, "CREATE DATABASE displayd;\n", reterr);
}

int cluster_remove(const struct cluster *cluster, int folder_fd, const char *name,
		   struct cluster_error *reterr)
{
	struct stat info;
	int fd, rc;

	if (fstatat(folder_fd, name, &info, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
		return 0;
	fd = cluster_make_folder(folder_fd, name, 0700, cluster_user(cluster));
	if (fd < 0)
		return cluster_fail(reterr, "cannot open %s/%s: %s", cluster->folder, name,
				    strerror(-fd));
	rc = cluster_end_makers(fd, reterr);
	if (rc == 0)
		rc = empty_folder(cluster, fd, reterr);
	close(fd);
	if (rc == 0 && unlinkat(folder_fd, name, AT_REMOVEDIR) < 0)
		rc = cluster_fail(reterr, "cannot remove %s/%s: %s", cluster->folder, name,
				  strerror(errno));
	return rc;
}

int cluster_make_new(const struct cluster *cluster, int folder_fd, struct cluster_error *reterr)
{
	int rc, fd = cluster_make_folder(folder_fd, CLUSTER_NEW, 0700, cluster_user(cluster));

	if (fd < 0)
		return cluster_fail(reterr, "cannot create %s/data.new: %s", cluster->folder,
				    strerror(-fd));
	log_info("cluster",
		 "creating the database, which takes seconds, or up to a minute on a slow disk",
		 LOG_TEXT("folder", cluster->folder), LOG_INT("postgresql", cluster->version));
	rc = cluster_end_makers(fd, reterr);
	if (rc == 0)
		rc = empty_folder(cluster, fd, reterr);
	if (rc == 0)
		rc = run_initdb(cluster, fd, reterr);
	if (rc == 0)
		return fd;
	close(fd);
	return -1;
}

int cluster_sync(const struct cluster *cluster, int folder_fd, struct cluster_error *reterr)
{
	uint64_t begun_ms = clock_monotonic_ms();

	log_info("cluster", "flushing the new database to disk",
		 LOG_TEXT("folder", cluster->folder));
	if (syncfs(folder_fd) < 0)
		return cluster_fail(reterr, "cannot flush %s to disk: %s", cluster->folder,
				    strerror(errno));
	log_info("cluster", "flushed the new database to disk",
		 LOG_INT("took_ms", clock_monotonic_ms() - begun_ms));
	return 0;
}

static int create(const struct cluster *cluster, int folder_fd, struct cluster_error *reterr)
{
	int rc, fd = cluster_make_new(cluster, folder_fd, reterr);

	if (fd < 0)
		return -1;
	rc = create_database(cluster, fd, reterr);
	close(fd);
	if (rc < 0 || cluster_sync(cluster, folder_fd, reterr) < 0)
		return -1;
	if (renameat(folder_fd, CLUSTER_NEW, folder_fd, CLUSTER_DATA) < 0 || fsync(folder_fd) < 0)
		return cluster_fail(reterr, "cannot rename %s/data.new: %s", cluster->folder,
				    strerror(errno));
	return 0;
}

int cluster_create(const struct cluster *cluster, int folder_fd, struct cluster_error *reterr)
{
	struct cluster_error ignored;
	int rc = create(cluster, folder_fd, reterr);
	bool is_interrupted = cluster_program_is_interrupted();

	if (rc < 0)
		cluster_program_reset();
	/* On a full disk the new cluster would take the rest. */
	if (rc < 0 && cluster_remove(cluster, folder_fd, CLUSTER_NEW, &ignored) < 0)
		log_warn("cluster", "cannot remove an unfinished database",
			 LOG_TEXT("reason", ignored.text));
	if (is_interrupted)
		cluster_program_interrupt();
	return rc;
}

void cluster_discard(const struct cluster *cluster)
{
	struct cluster_error ignored;
	int folder_fd = open(cluster->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (folder_fd < 0)
		return;
	cluster_program_reset(); /* the failed program may have been interrupted */
	if (cluster_remove(cluster, folder_fd, CLUSTER_DATA, &ignored) == 0)
		(void)unlinkat(folder_fd, "socket", AT_REMOVEDIR);
	close(folder_fd);
	(void)rmdir(cluster->folder);
}
