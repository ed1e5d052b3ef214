#include "base/log.h"
#include "metric/metric.h"
#include "state.h"

#include <stdlib.h>
#include <text/reach.h>

/* Message that is being sent. */
struct sending {
	struct hooks *hooks;
	struct hook_post post;
	struct hook_target target;
	struct id lease;
	int64_t event_count;
	struct arena arena;
	struct db_query query;
	struct webhook_sent_row sent;
	struct str problem; /* why the message was not delivered */
};

static void sending_end(struct sending *sending)
{
	struct hooks *hooks = sending->hooks;

	hooks->under_way--;
	arena_finish(&sending->arena);
	free(sending);
	hooks->on_sent(hooks);
}

/* Writes a line for each change, not for each try. */
static void log_change(const struct sending *sending, enum log_level level, const char *message)
{
	char webhook[ID_TEXT_LENGTH + 1], account[ID_TEXT_LENGTH + 1];

	id_format(sending->target.webhook_id, webhook);
	id_format(sending->target.account_id, account);
	LOG_AT(level, "hooks", message, LOG_TEXT("webhook", webhook), LOG_TEXT("account", account),
	       LOG_INT("status", sending->post.request.status),
	       LOG_STR("problem", sending->problem));
}

static void on_off(struct db_query *query, const struct db_result *result)
{
	struct sending *sending = container_of(query, struct sending, query);

	if (result->outcome == DB_OK && result->row_count)
		log_change(sending, LOG_WARN,
			   "switched off a webhook that failed for three days or answered 410");
	sending_end(sending);
}

static void on_noted(struct db_query *query, const struct db_result *result)
{
	struct sending *sending = container_of(query, struct sending, query);

	if (result->outcome != DB_OK || result->row_count == 0) {
		sending_end(sending);
		return;
	}
	db_read_row(result, 0, query->record, &sending->arena, &sending->sent);
	if (sending->sent.has_begun_to_fail)
		log_change(sending, LOG_WARN, "cannot deliver to a webhook, trying again");
	if (sending->sent.works_again)
		log_change(sending, LOG_INFO, "a webhook works again");
	if (!sending->sent.is_off) {
		sending_end(sending);
		return;
	}
	db_query_init(query, &sending->arena);
	statement_webhook_off(
	    query, &(struct webhook_off_parameters){.id = sending->target.webhook_id}, NULL);
	query->done = on_off;
	db_submit(sending->hooks->settings.db, query);
}

static void note(struct sending *sending, bool is_delivered, int status, const char *problem)
{
	sending->problem = arena_copy(&sending->arena, str_from(problem));
	db_query_init(&sending->query, &sending->arena);
	statement_webhook_sent(&sending->query,
			       &(struct webhook_sent_parameters){
				   .id = sending->target.webhook_id,
				   .lease = sending->lease,
				   .is_delivered = is_delivered,
				   .status = status,
				   .problem = problem[0] ? sending->problem : (struct str){0},
			       },
			       NULL);
	sending->query.done = on_noted;
	db_submit(sending->hooks->settings.db, &sending->query);
}

static void on_freed(struct db_query *query, const struct db_result *result)
{
	(void)result;
	sending_end(container_of(query, struct sending, query));
}

static void give_back(struct sending *sending)
{
	db_query_init(&sending->query, &sending->arena);
	statement_webhook_free(&sending->query, &(struct webhook_free_parameters){
						    .id = sending->target.webhook_id,
						    .lease = sending->lease,
						});
	sending->query.done = on_freed;
	db_submit(sending->hooks->settings.db, &sending->query);
}

static void on_posted(struct outbound_request *request)
{
	struct hook_post *post = container_of(request, struct hook_post, request);
	struct sending *sending = container_of(post, struct sending, post);
	bool is_delivered = hook_post_is_delivered(post);

	if (request->is_dropped) {
		give_back(sending);
		return;
	}
	metric_add(METRIC_WEBHOOK_POSTS, is_delivered ? METRIC_HOOK_DELIVERED : METRIC_HOOK_FAILED,
		   1);
	if (is_delivered)
		metric_add(METRIC_WEBHOOK_EVENTS, 0, (uint64_t)sending->event_count);
	note(sending, is_delivered, request->status, request->problem);
}

void sending_begin(struct hooks *hooks, struct arena *arena)
{
	const struct webhook_lease_row *row = &hooks->row;
	struct sending *sending = memory_zalloc(sizeof(*sending));

	hooks->under_way++;
	sending->hooks = hooks;
	sending->arena = *arena;
	*arena = (struct arena){0};
	sending->lease = hooks->lease;
	sending->event_count = row->event_count;
	sending->target = (struct hook_target){
	    .webhook_id = row->id,
	    .account_id = row->account_id,
	    .url = row->url,
	    .encrypted_secret = row->secret,
	    .previous_secret = row->previous_secret,
	    .lacks = reach_lacks(row->is_local_closed, row->is_marked),
	};
	if (hooks->is_draining)
		give_back(sending);
	else if (!hook_post_send(&sending->post, hooks, &sending->target, row->message_id,
				 row->wall_time, row->body, &sending->arena, on_posted))
		note(sending, false, 0,
		     "its secret was encrypted with another key; create a new secret");
}
