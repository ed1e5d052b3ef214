#include "db/migrate.h"
#include "ctl/ctl.h"
#include "ctl/server/text.h"
#include "main/state_dir.h"

#include <unistd.h>

static enum ctl_exit migrate(struct ctl *ctl, const char *url, void *context)
{
	struct migrate_error why;
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
	return ctl_print_members(ctl, CTL_MEMBERS(ctl_number(ctl, "applied", applied)));
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
