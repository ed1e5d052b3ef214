#include "db/migrate.h"
#include "ctl/ctl.h"
#include "main/state_dir.h"

#include <unistd.h>

struct migrate_row {
	int64_t applied;
};

static const struct record_field fields[] = {
    RECORD_INT(struct migrate_row, applied, .name = "applied"),
};
static const struct record record = RECORD(struct migrate_row, fields);

static enum ctl_exit migrate(struct ctl *ctl, const char *url, void *context)
{
	struct migrate_error why;
	struct migrate_row row;
	int applied = 0;

	(void)context;
	timeline_set(&ctl->timeline, state_dir_read_timeline(ctl->config.state_dir));
	if (migrate_run(url, &ctl->timeline, &applied, &why) < 0)
		return ctl_fail(why.fault == MIGRATE_UNAVAILABLE ? CTL_DATABASE
				: why.fault == MIGRATE_NEWER	 ? CTL_REFUSED
				: why.fault == MIGRATE_OLDER	 ? CTL_REFUSED
				: why.fault == MIGRATE_FOREIGN	 ? CTL_REFUSED
								 : CTL_FAILED,
				"%s", why.text);
	row.applied = applied;
	return ctl_print_row(ctl, &record, &row);
}

enum ctl_exit ctl_migrate(struct ctl *ctl)
{
	const char *folder = ctl->config.state_dir;

	/* Makes no database where nobody expects one. */
	if (!ctl->config.database && access(folder, F_OK) < 0)
		return ctl_fail(
		    CTL_DATABASE,
		    "there is no state directory %s; --state-dir names that of the server", folder);
	return ctl_with_url(ctl, migrate, NULL);
}
