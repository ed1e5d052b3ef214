#include "cluster/upgrade.h"
#include "base/log.h"
#include "transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
	NEW_PORT = 5433,
	MIB = 1024 * 1024,
	/* Size of a cluster that initdb makes, with its first WAL. */
	EMPTY_MIB = 64,
	/* The WAL of a restore, see --max_wal_size. */
	WAL_MIB_MAX = 256,
};

/* ---- the plan ---- */

static uint64_t counted_bytes; /* for nftw(), which has no context */

static int count_file(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
	(void)path;
	(void)kind;
	(void)walk;
	counted_bytes += (uint64_t)info->st_blocks * 512;
	return 0;
}

static int measure(struct cluster_plan *plan, struct cluster_error *reterr)
{
	const uint64_t wal_max = (uint64_t)WAL_MIB_MAX * MIB;
	char path[CLUSTER_PATH_BYTES];
	struct statvfs disk;

	if (!cluster_path(&plan->from, cluster_in_force(&plan->from), path))
		return cluster_fail(reterr, "the path of the state directory is too long");
	counted_bytes = 0;
	if (nftw(path, count_file, 16, FTW_PHYS) != 0 || statvfs(plan->from.folder, &disk) < 0)
		return cluster_fail(reterr, "cannot examine %s: %s", path, strerror(errno));
	plan->free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
	plan->wanted_bytes = counted_bytes + (uint64_t)EMPTY_MIB * MIB +
			     (counted_bytes < wal_max ? counted_bytes : wal_max);
	return 0;
}

static bool is_there(const struct cluster *cluster)
{
	char path[CLUSTER_PATH_BYTES];

	return cluster_path(cluster, cluster_in_force(cluster), path) && access(path, F_OK) == 0;
}

int cluster_upgrade_plan(const char *state_dir, struct cluster_plan *ret, bool *ret_is_there,
			 struct cluster_error *reterr)
{
	int rc;

	*ret_is_there = true;
	rc = cluster_open(state_dir, &ret->from, reterr);
	ret->to = ret->from;
	if (ret->from.folder[0] && !is_there(&ret->from)) {
		*ret_is_there = false;
		return cluster_fail(reterr, "no database in %s", ret->from.folder);
	}
	if (rc < 0 || cluster_find_programs(&ret->to, 0, reterr) < 0)
		return -1;
	ret->to.data = CLUSTER_NEW;
	ret->to.port = NEW_PORT;
	ret->is_old_there = cluster_has_old(&ret->from, ret->old);
	return measure(ret, reterr);
}

void cluster_plan_finish(struct cluster_plan *plan)
{
	cluster_close(&plan->from);
	cluster_close(&plan->to);
}

/* ---- the upgrade ---- */

void cluster_upgrade_interrupt(int signal_number)
{
	(void)signal_number;
	cluster_program_interrupt();
}

static void report(const struct cluster_plan *plan, const char *text)
{
	if (plan->report)
		plan->report(text);
}

/* Starts and stops the old cluster, so that it is shut down cleanly, as pg_upgrade requires.
 * Returns its rows; NULL on an error. */
static char *settle_old(struct cluster_plan *plan, int from_fd, struct cluster_error *reterr)
{
	char *rows;

	if (cluster_write_access(&plan->from, from_fd, /* for_upgrade= */ true, reterr) < 0 ||
	    cluster_start_apart(&plan->from, reterr) < 0)
		return NULL;
	rows = cluster_count_rows(&plan->from, reterr);
	cluster_stop(&plan->from);
	return rows;
}

static int fill(const struct cluster_plan *plan, struct cluster_pair *pair, int folder_fd,
		enum cluster_method method, struct cluster_error *reterr)
{
	int rc;

	pair->to_fd = cluster_make_new(pair->to, folder_fd, reterr);
	if (pair->to_fd < 0)
		return -1;
	rc = cluster_write_access(pair->to, pair->to_fd, /* for_upgrade= */ true, reterr);
	if (rc == 0 && method == CLUSTER_METHOD_DUMP) {
		report(plan, "copying all rows with pg_dumpall and psql");
		rc = cluster_run_dump(pair, reterr);
	} else if (rc == 0) {
		report(plan, "copying the tables with pg_upgrade");
		rc = cluster_run_pg_upgrade(pair, reterr);
	}
	close(pair->to_fd);
	return rc;
}

/* If pg_upgrade refuses, such as for pages without checksums, falls back to a dump, which needs
 * only the rows. */
static int fill_somehow(const struct cluster_plan *plan, struct cluster_pair *pair, int folder_fd,
			enum cluster_method *method, struct cluster_error *reterr)
{
	char text[sizeof(reterr->text) + 64];
	bool may_dump = *method == CLUSTER_METHOD_AUTO;

	if (may_dump)
		*method = CLUSTER_METHOD_PG_UPGRADE;
	if (fill(plan, pair, folder_fd, *method, reterr) == 0)
		return 0;
	if (!may_dump || cluster_program_is_interrupted())
		return -1;
	snprintf(text, sizeof(text), "not by pg_upgrade: %s", reterr->text);
	report(plan, text);
	*method = CLUSTER_METHOD_DUMP;
	return fill(plan, pair, folder_fd, *method, reterr);
}

/* Starts the new cluster as displayd will, and checks that it is complete. */
static int verify(struct cluster_plan *plan, const char *rows, struct cluster_error *reterr)
{
	char *found;
	int rc;

	report(plan, "comparing both databases");
	if (cluster_start_apart(&plan->to, reterr) < 0)
		return -1;
	found = cluster_count_rows(&plan->to, reterr);
	rc = found ? cluster_analyze(&plan->to, reterr) : -1;
	cluster_stop(&plan->to);
	if (rc == 0 && strcmp(found, rows) != 0)
		rc = cluster_fail(reterr,
				  "the new database does not have the same rows as the old one");
	free(found);
	return rc;
}

static int move(int folder_fd, const char *from, const char *to, struct cluster_error *reterr)
{
	if (renameat(folder_fd, from, folder_fd, to) < 0 || fsync(folder_fd) < 0)
		return cluster_fail(reterr, "cannot rename %s to %s: %s", from, to,
				    strerror(errno));
	return 0;
}

static int take_its_place(const struct cluster *cluster, int folder_fd,
			  struct cluster_error *reterr)
{
	if (cluster_sync(cluster, folder_fd, reterr) < 0)
		return -1;
	if (cluster_program_is_interrupted())
		return cluster_fail(reterr, "interrupted");
	return move(folder_fd, CLUSTER_NEW, CLUSTER_READY, reterr) < 0 ||
		       move(folder_fd, CLUSTER_DATA, CLUSTER_OLD, reterr) < 0 ||
		       move(folder_fd, CLUSTER_READY, CLUSTER_DATA, reterr) < 0
		   ? -1
		   : 0;
}

static int upgrade_in(struct cluster_plan *plan, int folder_fd, int from_fd,
		      enum cluster_method *method, struct cluster_error *reterr)
{
	struct cluster_pair pair = {.from = &plan->from, .to = &plan->to, .from_fd = from_fd};
	char *rows = settle_old(plan, from_fd, reterr);
	int rc = rows ? fill_somehow(plan, &pair, folder_fd, method, reterr) : -1;

	if (rc == 0)
		rc = verify(plan, rows, reterr);
	if (rc == 0)
		rc = take_its_place(&plan->to, folder_fd, reterr);
	free(rows);
	return rc;
}

/* Removes everything that the upgrade has begun; cluster_prepare() also ends programs that still
 * run. */
static void clean_up(struct cluster_plan *plan)
{
	struct cluster_error ignored;

	cluster_program_reset();
	if (cluster_prepare(&plan->from, &ignored) < 0)
		log_warn("cluster", "cannot clean up, the next start will",
			 LOG_TEXT("reason", ignored.text));
}

int cluster_upgrade_run(struct cluster_plan *plan, enum cluster_method method,
			enum cluster_method *ret_method, struct cluster_error *reterr)
{
	int folder_fd, from_fd, rc = -1;

	if (cluster_prepare(&plan->from, reterr) < 0)
		return -1;
	folder_fd = open(plan->from.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	from_fd = folder_fd < 0 ? -1
				: openat(folder_fd, CLUSTER_DATA,
					 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (from_fd < 0)
		rc = cluster_fail(reterr, "cannot open %s: %s", plan->from.folder, strerror(errno));
	else
		rc = upgrade_in(plan, folder_fd, from_fd, &method, reterr);
	if (from_fd >= 0)
		close(from_fd);
	if (folder_fd >= 0)
		close(folder_fd);
	if (rc < 0)
		clean_up(plan);
	*ret_method = method;
	return rc;
}
