#include "hook_notice.h"

#include <string.h>

static const char sqlstate_due[] = "01D01";

/* Ignores all other messages, as hosts.c does. */
static void on_message(void *context, const PGresult *message)
{
	struct hook_notice *notice = context;
	const char *sqlstate = PQresultErrorField(message, PG_DIAG_SQLSTATE);

	if (sqlstate && strcmp(sqlstate, sqlstate_due) == 0)
		notice->is_seen = true;
}

void hook_notice_watch(struct hook_notice *notice, PGconn *pg)
{
	notice->is_seen = false;
	PQsetNoticeReceiver(pg, on_message, notice);
}

void hook_notice_synced(struct hook_notice *notice)
{
	if (notice->is_seen && notice->is_due)
		*notice->is_due = true;
	notice->is_seen = false;
}
