#include "ctl/ctl.h"
#include "db/hosts.h"
#include "db/result.h"
#include "main/state_dir.h"

/* PostgreSQL creates segments of its write-ahead log with this size, and stops if there is no room
 * for one. */
static const uint64_t log_file_bytes = 16 * 1024 * 1024;

static enum ctl_exit fail_full(void)
{
	return ctl_fail(CTL_DATABASE,
			"the database has no room to store anything: its disk is full");
}

enum ctl_exit ctl_fail_lost(const struct ctl *ctl, const char *what, struct str words)
{
	if (!ctl->config.database && cluster_room(&ctl->cluster).left_bytes < log_file_bytes)
		return fail_full();
	return ctl_fail(CTL_DATABASE, "%s: %.*s", what, STR_ARG(words));
}

enum ctl_exit ctl_fail_statement(const struct ctl *ctl, const PGresult *result)
{
	if (result_is_disk_full(result))
		return fail_full();
	/* No statement of displayctl has a time limit: restore cancels them after a signal. */
	if (str_equal(result_sqlstate(result), STR("57014")))
		return ctl_fail(CTL_FAILED, CTL_INTERRUPTED);
	if (!result_sqlstate(result).length || PQstatus(ctl->connection) != CONNECTION_OK)
		return ctl_fail_lost(ctl, "the connection to the database was lost",
				     result_first_line(PQerrorMessage(ctl->connection)));
	return ctl_fail(CTL_FAILED, "the database rejected a statement: %.*s",
			STR_ARG(result_reason(result)));
}

enum ctl_exit ctl_connect(struct ctl *ctl, const char *url)
{
	const struct hosts_use use = HOSTS_USE("displayctl");
	struct hosts_failure failure;

	if (!ctl->accepts_database)
		timeline_set(&ctl->timeline, state_dir_read_timeline(ctl->config.state_dir));
	ctl->connection = hosts_connect_once(url, &use, &ctl->timeline, &failure);
	if (ctl->connection)
		return CTL_DONE;
	return ctl_fail_lost(ctl, "the database cannot be reached", str_from(failure.words));
}
