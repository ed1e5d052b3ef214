/* displayctl database accept: what displayd knows of its database's servers begins anew. */
#include "ctl/ctl.h"
#include "ctl/server/text.h"
#include "db/hosts.h"
#include "main/state_dir.h"

#include <inttypes.h>

static enum ctl_exit keep(const struct ctl *ctl, struct timeline timeline)
{
	int error = state_dir_write_timeline(ctl->config.state_dir, timeline);

	if (error < 0)
		return ctl_fail(CTL_FAILED, "cannot write to the state directory %s: %s",
				ctl->config.state_dir, strerror(-error));
	if (state_dir_is_locked(ctl->config.state_dir) > 0)
		fprintf(stderr, "displayctl: displayd runs; reload it, so that it uses this "
				"database\n");
	return CTL_DONE;
}

/* Chooses as an instance that knows nothing yet. */
static enum ctl_exit accept_best(struct ctl *ctl, struct hosts *hosts)
{
	const struct hosts_use use = HOSTS_USE_OF_PRIMARY("displayctl");
	struct timeline_known known = {0};
	struct hosts_failure failure;
	struct timeline timeline;
	struct str host, system;
	enum ctl_exit code;

	hosts_fence(hosts, &known);
	ctl->connection = hosts_connect(hosts, &use, &failure);
	if (!ctl->connection)
		return ctl_fail(CTL_DATABASE, "the database cannot be reached: %s", failure.words);
	timeline = timeline_get(&known);
	if (!timeline.system)
		return ctl_fail(CTL_FAILED, "this server does not tell its timeline; displayd "
					    "compares none then");
	host = str_from(PQhost(ctl->connection));
	system = arena_printf(&ctl->arena, "%" PRIu64, timeline.system);
	code = ctl_confirm(ctl,
			   "displayd will use the database on %s (system %s, timeline %u), and no "
			   "other one or older copy of it.",
			   host.data, system.data, (unsigned)timeline.number);
	if (code == CTL_DONE)
		code = keep(ctl, timeline);
	if (code != CTL_DONE)
		return code;
	return ctl_print_members(ctl,
				 CTL_MEMBERS(ctl_text("host", host), ctl_text("system", system),
					     ctl_number(ctl, "timeline", timeline.number)));
}

enum ctl_exit ctl_database_accept(struct ctl *ctl)
{
	struct hosts *hosts = ctl->config.database ? hosts_create(ctl->config.database) : NULL;
	enum ctl_exit code;

	if (ctl->config.database && !hosts)
		code = ctl_fail(CTL_USAGE, "--database is not a valid connection string");
	else if (!hosts || !hosts_are_fenced(hosts))
		code = ctl_fail(CTL_REFUSED, "displayd compares databases only if --database names "
					     "several servers");
	else
		code = accept_best(ctl, hosts);
	PQfinish(ctl->connection);
	ctl->connection = NULL;
	hosts_destroy(hosts);
	return code;
}
