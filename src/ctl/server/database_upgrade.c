/* displayctl database upgrade: moves the private PostgreSQL to the newest installed version. This
 * never happens by itself: displayd keeps the version that a database has. */
#include "cluster/upgrade.h"
#include "ctl/ctl.h"
#include "ctl/exchange/new_file.h"
#include "ctl/server/text.h"
#include "main/state_dir.h"

#include <errno.h>
#include <unistd.h>

enum { MIB = 1024 * 1024 };

static const char *const methods[] = {
    [CLUSTER_METHOD_AUTO] = "none",
    [CLUSTER_METHOD_PG_UPGRADE] = "pg_upgrade",
    [CLUSTER_METHOD_DUMP] = "dump",
};

static void report(const char *text)
{
	fprintf(stderr, "displayctl: %s\n", text);
}

static enum cluster_method wanted_method(const struct ctl *ctl)
{
	struct str word = ctl_value(ctl, "method");

	for (unsigned i = CLUSTER_METHOD_PG_UPGRADE; i < sizeof(methods) / sizeof(*methods); i++)
		if (str_equal(word, str_from(methods[i])))
			return (enum cluster_method)i;
	return CLUSTER_METHOD_AUTO;
}

static enum ctl_exit print(struct ctl *ctl, const struct cluster_plan *plan,
			   enum cluster_method method)
{
	bool is_done = method != CLUSTER_METHOD_AUTO;

	return ctl_print_members(
	    ctl, CTL_MEMBERS(ctl_number(ctl, "from", plan->from.version),
			     ctl_number(ctl, "to", plan->to.version),
			     ctl_text("method", str_from(methods[method])),
			     ctl_text("old", is_done ? str_from(plan->old) : STR(""))));
}

static enum ctl_exit check_room(const struct cluster_plan *plan)
{
	long long wanted_mib = (long long)(plan->wanted_bytes / MIB) + 1;
	long long free_mib = (long long)(plan->free_bytes / MIB);

	if (plan->is_old_there)
		return ctl_fail(CTL_REFUSED,
				"the old database of the last upgrade is still in %s; remove it "
				"first (rm -r), if the present one is good",
				plan->old);
	if (plan->free_bytes < plan->wanted_bytes)
		return ctl_fail(
		    CTL_REFUSED,
		    "not enough space in %s: up to %lld MiB are needed, %lld MiB are free",
		    plan->from.folder, wanted_mib, free_mib);
	fprintf(stderr,
		"displayctl: from PostgreSQL %d to %d: this needs up to %lld MiB of space in %s, "
		"where %lld MiB are free\n",
		plan->from.version, plan->to.version, wanted_mib, plan->from.folder, free_mib);
	return CTL_DONE;
}

/* Reports the failure. If the disk failed between the renames, the new cluster may be in force; the
 * next start is consistent in either case. */
static enum ctl_exit fail_upgrade(const struct cluster_plan *plan, const char *why)
{
	char old[CLUSTER_PATH_BYTES];

	if (cluster_has_old(&plan->from, old))
		return ctl_fail(
		    CTL_FAILED,
		    "%s; the new database is in use nevertheless, and the old one is kept in %s",
		    why, old);
	return ctl_fail(CTL_FAILED, "%s; the database is unchanged", why);
}

static enum ctl_exit upgrade(struct ctl *ctl, struct cluster_plan *plan)
{
	enum cluster_method method = wanted_method(ctl);
	struct cluster_error why;
	enum ctl_exit code;

	if (plan->to.version == plan->from.version && method != CLUSTER_METHOD_DUMP) {
		fprintf(stderr,
			"displayctl: the database has PostgreSQL %d, the newest installed version; "
			"nothing was changed\n",
			plan->from.version);
		return print(ctl, plan, CLUSTER_METHOD_AUTO);
	}
	code = check_room(plan);
	if (code == CTL_DONE)
		code = ctl_confirm(ctl,
				   "This creates the database again, and keeps the old one in %s.",
				   plan->old);
	if (code != CTL_DONE)
		return code;
	/* Stop the child processes on Ctrl-C. */
	ctl_catch_signals(cluster_upgrade_interrupt);
	plan->report = report;
	if (cluster_upgrade_run(plan, method, &method, &why) < 0)
		return fail_upgrade(plan, why.text);
	code = print(ctl, plan, method);
	fprintf(stderr,
		"displayctl: the old database is kept in %s; remove it (rm -r) when the new one "
		"has proved good\n",
		plan->old);
	return code;
}

static enum ctl_exit upgrade_locked(struct ctl *ctl)
{
	struct cluster_plan plan = {0};
	struct cluster_error why;
	bool is_there = true;
	enum ctl_exit code;

	if (cluster_upgrade_plan(ctl->config.state_dir, &plan, &is_there, &why) < 0)
		code = ctl_fail(is_there ? CTL_DATABASE : CTL_NOT_FOUND, "%s", why.text);
	else
		code = upgrade(ctl, &plan);
	cluster_plan_finish(&plan);
	return code;
}

enum ctl_exit ctl_database_upgrade(struct ctl *ctl)
{
	const char *state_dir = ctl->config.state_dir;
	struct reason reason;
	enum ctl_exit code;
	pid_t owner;
	int lock;

	if (ctl->config.database)
		return ctl_fail(CTL_REFUSED,
				"this instance uses --database, which displayctl does not upgrade; "
				"use the tools of that PostgreSQL server");
	if (access(state_dir, F_OK) < 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no state directory %s: %s", state_dir,
				strerror(errno));
	lock = state_dir_lock(state_dir, &owner, &reason);
	if (lock < 0)
		return ctl_fail(CTL_DATABASE, "%s", reason.text);
	code = upgrade_locked(ctl);
	close(lock);
	return code;
}
