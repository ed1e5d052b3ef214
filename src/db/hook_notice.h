/* Finds out that a write has stored events for webhooks.
 *
 * The triggers that store them send the client a message with an SQLSTATE of their own
 * (webhook_due() in sql/migration). A NOTIFY by a trigger would break the rule of hint.h. The
 * message comes before the commit, so it counts only once the write's sync was answered. If it is
 * lost with the connection, workers find the events when they look (hooks/hooks.h). */
#pragma once

#include <libpq-fe.h>
#include <stdbool.h>

struct hook_notice {
	bool *is_due; /* set when events are committed; NULL: nobody wants to know */
	bool is_seen; /* events were stored by a write that may not be committed yet */
};

/* Watches the messages of a new connection. The notice must outlive it; is_due stays. */
void hook_notice_watch(struct hook_notice *notice, PGconn *pg);

/* Call it when a sync was answered: the writes before it are committed, or undone. */
void hook_notice_synced(struct hook_notice *notice);
