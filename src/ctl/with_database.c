#include "ctl/ctl.h"
#include "main/state_dir.h"

#include <errno.h>
#include <unistd.h>

/* Requires the lock of the state directory. */
static enum ctl_exit run_locked(struct ctl *ctl, ctl_use_url *run, void *context)
{
	enum ctl_exit code;
	struct cluster_error why;

	if (ctl->config.database)
		return run(ctl, ctl->config.database, context);
	if (cluster_start(ctl->config.state_dir, &ctl->cluster, &why) < 0)
		code = ctl_fail(CTL_DATABASE, "%s", why.text);
	else
		code = run(ctl, ctl->cluster.url, context);
	cluster_stop(&ctl->cluster);
	if (code != CTL_DONE && ctl->cluster.is_new)
		cluster_discard(&ctl->cluster);
	return code;
}

/* Removes a state directory that this program has created, unless it contains other files than the
 * lock. */
static void discard_directory(const char *state_dir)
{
	char *lock = NULL;

	if (asprintf(&lock, "%s/lock", state_dir) < 0)
		return;
	(void)unlink(lock);
	(void)rmdir(state_dir);
	free(lock);
}

static enum ctl_exit run_alone(struct ctl *ctl, ctl_use_url *run, void *context)
{
	struct reason reason;
	enum ctl_exit code;
	pid_t owner;
	bool is_new = access(ctl->config.state_dir, F_OK) < 0 && errno == ENOENT;
	int lock = state_dir_lock(ctl->config.state_dir, &owner, &reason);

	if (lock == -EBUSY)
		code = ctl_fail(CTL_DATABASE, "%s; stop it, run this again, then start it",
				reason.text);
	else if (lock < 0)
		code = ctl_fail(CTL_DATABASE, "%s", reason.text);
	else
		code = run_locked(ctl, run, context);
	if (code != CTL_DONE && is_new)
		discard_directory(ctl->config.state_dir);
	if (lock >= 0)
		close(lock);
	return code;
}

enum ctl_exit ctl_with_url(struct ctl *ctl, ctl_use_url *run, void *context)
{
	struct cluster_error why;

	if (ctl->config.database)
		return run(ctl, ctl->config.database, context);
	if (state_dir_is_locked(ctl->config.state_dir) == 0)
		return run_alone(ctl, run, context);
	if (cluster_url(ctl->config.state_dir, &ctl->cluster, &why) < 0)
		return ctl_fail(CTL_DATABASE, "%s", why.text);
	return run(ctl, ctl->cluster.url, context);
}

struct connected_context {
	enum ctl_exit (*run)(struct ctl *ctl, void *context);
	void *context;
};

static enum ctl_exit call_connected(struct ctl *ctl, const char *url, void *context)
{
	const struct connected_context *wanted = context;
	enum ctl_exit code = ctl_connect(ctl, url);

	if (code == CTL_DONE)
		code = wanted->run(ctl, wanted->context);
	PQfinish(ctl->connection);
	ctl->connection = NULL;
	return code;
}

enum ctl_exit ctl_with_database(struct ctl *ctl, bool alone,
				enum ctl_exit (*run)(struct ctl *ctl, void *context), void *context)
{
	struct connected_context wanted = {run, context};

	return (alone ? run_alone : ctl_with_url)(ctl, call_connected, &wanted);
}

enum ctl_exit ctl_look_for_database(struct ctl *ctl)
{
	struct cluster_error why;
	int error = 0;

	if (!ctl->config.database) {
		error = cluster_url(ctl->config.state_dir, &ctl->cluster, &why);
		cluster_close(&ctl->cluster);
	}
	return error < 0 ? ctl_fail(CTL_DATABASE, "%s", why.text) : CTL_DONE;
}
