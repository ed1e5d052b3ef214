#include "db/migrate.h"
#include "ctl/ctl.h"
#include "main/state_dir.h"

#include <errno.h>
#include <unistd.h>

struct migrate_row {
	int64_t applied;
};

static const struct record_field fields[] = {
    RECORD_INT(struct migrate_row, applied, .name = "applied"),
};
static const struct record record = RECORD(struct migrate_row, fields);

static enum ctl_exit migrate(struct ctl *ctl, const char *url)
{
	struct migrate_error why;
	struct migrate_row row;
	int applied = 0;

	if (migrate_run(url, &applied, &why) < 0)
		return ctl_fail(why.fault == MIGRATE_AWAY    ? CTL_DATABASE
				: why.fault == MIGRATE_NEWER ? CTL_REFUSED
							     : CTL_FAILED,
				"%s", why.text);
	row.applied = applied;
	return ctl_print_row(ctl, &record, &row);
}

/* No server runs: the database is started for this alone, under the server's lock. */
static enum ctl_exit migrate_alone(struct ctl *ctl)
{
	struct cluster_error why;
	struct reason reason;
	enum ctl_exit code;
	pid_t owner;
	int lock = state_dir_lock(ctl->config.state_dir, &owner, &reason);

	if (lock < 0)
		return ctl_fail(CTL_DATABASE, "%s", reason.text);
	if (cluster_start(ctl->config.state_dir, &ctl->cluster, &why) < 0) {
		code = ctl_fail(CTL_DATABASE, "%s", why.text);
	} else {
		code = migrate(ctl, ctl->cluster.url);
		cluster_stop(&ctl->cluster);
	}
	close(lock);
	return code;
}

enum ctl_exit ctl_migrate(struct ctl *ctl)
{
	struct cluster_error why;

	if (ctl->config.database)
		return migrate(ctl, ctl->config.database);
	if (state_dir_is_locked(ctl->config.state_dir) == 0)
		return migrate_alone(ctl);
	if (cluster_url(ctl->config.state_dir, &ctl->cluster, &why) < 0)
		return ctl_fail(CTL_DATABASE, "%s", why.text);
	return migrate(ctl, ctl->cluster.url);
}
