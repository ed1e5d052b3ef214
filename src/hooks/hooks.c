#include "hooks/hooks.h"
#include "base/log.h"
#include "base/require.h"
#include "db/db.h"
#include "db/statements.h"
#include "metric/metric.h"

#include <stdlib.h>
#include <text/reach.h>

enum {
	SOON_MS = 30,	      /* after a hint: its commit may bring more */
	LOOK_MS = 2 * 1000,   /* while there are webhooks */
	QUIET_MS = 30 * 1000, /* while there are none */
	UNAVAILABLE_MS = 1000,
	LEASE_MS = 60 * 1000, /* longer than any answer of the egress takes */
	UNDER_WAY_MAX = 32,
	EVENTS_KEPT = 10 * 1000,
	DEVICES_A_LOOK = 1000,
	UPKEEP_MAX = 20,	/* statements of upkeep before messages get their turn */
	UPKEEP_MORE_MS = 100,	/* pause before the next ones, if more is due */
	EVENTS_A_MESSAGE = 100, /* and webhooks that are checked together */
};

struct hooks {
	struct hooks_settings settings;
	struct hint_subscription hints;
	struct deadline look; /* set unless a query is under way */
	struct arena arena;
	struct db_query query;
	struct webhook_lease_row row;
	struct webhook_online_row online;
	struct webhook_trim_row trimmed;
	struct id lease, after;
	uint64_t look_ms; /* loop time of look */
	bool is_asking;
	bool is_wanted_again; /* hints have arrived since the query began */
	bool has_webhooks;
	bool is_draining;
	unsigned under_way;
	uint64_t upkeep_ms;   /* loop time of the next upkeep */
	unsigned upkeep_left; /* statements left now */
};

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

static void look_after(struct hooks *hooks, uint64_t ms)
{
	if (hooks->is_draining || hooks->is_asking)
		return;
	hooks->look_ms = loop_now_ms(hooks->settings.loop) + ms;
	deadline_set_at(hooks->settings.loop, &hooks->look, hooks->look_ms);
}

/* Never moves the look to a later time: hints may come without end. */
static void look_soon(struct hooks *hooks)
{
	hooks->is_wanted_again = true;
	if (!deadline_is_set(&hooks->look) ||
	    hooks->look_ms > loop_now_ms(hooks->settings.loop) + SOON_MS)
		look_after(hooks, SOON_MS);
}

/* ---- a message ---- */

/* Signs with the secret, and with the one before it while that is valid: Standard Webhooks
 * separates signatures by spaces. Returns false if the secret was encrypted with another key. */
static bool sign(struct hook_post *post, struct hooks *hooks, const struct hook_target *target,
		 int64_t wall_s, struct str body, struct arena *arena)
{
	char *previous = post->signature + WEBHOOK_SIGNATURE_LENGTH;

	if (!webhook_sign(hooks->settings.key, target->webhook_id, target->encrypted_secret,
			  str_from(post->id), wall_s, body, arena, post->signature))
		return false;
	if (target->previous_secret.length &&
	    webhook_sign(hooks->settings.key, target->webhook_id, target->previous_secret,
			 str_from(post->id), wall_s, body, arena, previous + 1))
		*previous = ' ';
	return true;
}

bool hook_post_send(struct hook_post *post, struct hooks *hooks, const struct hook_target *target,
		    struct id message_id, int64_t wall_us, struct str body, struct arena *arena,
		    void (*done)(struct outbound_request *request))
{
	int64_t wall_s = wall_us / (1000 * 1000);

	id_format(message_id, post->id);
	snprintf(post->timestamp, sizeof(post->timestamp), "%lld", (long long)wall_s);
	if (!sign(post, hooks, target, wall_s, body, arena))
		return false;
	post->headers[0] = (struct outbound_header){"content-type", STR("application/json")};
	post->headers[1] = (struct outbound_header){"user-agent", STR("displayd-webhook")};
	post->headers[2] = (struct outbound_header){"webhook-id", str_from(post->id)};
	post->headers[3] = (struct outbound_header){"webhook-timestamp", str_from(post->timestamp)};
	post->headers[4] = (struct outbound_header){"webhook-signature", str_from(post->signature)};
	post->request = (struct outbound_request){
	    .account = target->account_id,
	    .scope = STR("webhooks"),
	    .url = target->url,
	    .headers = post->headers,
	    .header_count = array_length(post->headers),
	    .body = body,
	    .why_public = reach_sentence(target->lacks),
	    .done = done,
	};
	outbound_post(hooks->settings.outbound, &post->request);
	return true;
}

bool hook_post_is_delivered(const struct hook_post *post)
{
	return post->request.status >= 200 && post->request.status < 300;
}

static void end(struct sending *sending)
{
	struct hooks *hooks = sending->hooks;

	hooks->under_way--;
	arena_finish(&sending->arena);
	free(sending);
	look_soon(hooks);
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
	end(sending);
}

static void on_noted(struct db_query *query, const struct db_result *result)
{
	struct sending *sending = container_of(query, struct sending, query);

	if (result->outcome != DB_OK || result->row_count == 0) {
		end(sending);
		return;
	}
	db_read_row(result, 0, query->record, &sending->arena, &sending->sent);
	if (sending->sent.has_begun_to_fail)
		log_change(sending, LOG_WARN, "cannot deliver to a webhook, trying again");
	if (sending->sent.works_again)
		log_change(sending, LOG_INFO, "a webhook works again");
	if (!sending->sent.is_off) {
		end(sending);
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
	end(container_of(query, struct sending, query));
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

/* Begins to send the leased message. A worker that ends meanwhile gives it back. */
static void hooks_begin(struct hooks *hooks, struct arena *arena)
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

/* ---- due webhooks ---- */

static void look(struct hooks *hooks);

/* Pauses, since nothing is due. */
static void begin_pause(struct hooks *hooks)
{
	uint64_t now_ms = loop_now_ms(hooks->settings.loop), ms = LOOK_MS;

	if (!hooks->has_webhooks) {
		look_after(hooks, QUIET_MS);
		return;
	}
	if (hooks->is_wanted_again)
		ms = SOON_MS;
	else if (hooks->row.wait_ms < LOOK_MS)
		ms = (uint64_t)hooks->row.wait_ms + 1;
	if (now_ms + ms > hooks->upkeep_ms)
		ms = hooks->upkeep_ms > now_ms ? hooks->upkeep_ms - now_ms : 1;
	look_after(hooks, ms);
}

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct hooks *hooks = container_of(query, struct hooks, query);
	bool is_due = false, has_more = false;

	hooks->is_asking = false;
	if (result->outcome == DB_OK && result->row_count) {
		db_read_row(result, 0, query->record, &hooks->arena, &hooks->row);
		hooks->has_webhooks = hooks->row.has_webhooks;
		if (hooks->settings.is_first && id_is_none(hooks->after))
			metric_set(METRIC_WEBHOOKS_WAITING, 0, hooks->row.waiting);
		is_due = !id_is_none(hooks->row.id);
		/* Begins with the first webhook again after each message, so that none is skipped.
		 */
		hooks->after = is_due ? hooks->after : hooks->row.next_after;
		has_more = !id_is_none(hooks->row.next_after);
		if (is_due)
			hooks_begin(hooks, &hooks->arena);
	}
	arena_finish(&hooks->arena);
	if (hooks->is_draining)
		return;
	if ((is_due || has_more) && hooks->under_way < UNDER_WAY_MAX)
		look(hooks);
	else if (result->outcome != DB_OK)
		look_after(hooks, UNAVAILABLE_MS);
	else
		begin_pause(hooks);
}

static void lease(struct hooks *hooks)
{
	hooks->is_asking = hooks->under_way < UNDER_WAY_MAX;
	if (!hooks->is_asking) {
		look_after(hooks, LOOK_MS); /* or when a message ends */
		return;
	}
	hooks->is_wanted_again = false;
	hooks->lease = id_new();
	db_query_init(&hooks->query, &hooks->arena);
	statement_webhook_lease(&hooks->query,
				&(struct webhook_lease_parameters){
				    .lease = hooks->lease,
				    .lease_ms = LEASE_MS,
				    .message_id = id_new(),
				    .after = hooks->after,
				    .row_limit = EVENTS_A_MESSAGE,
				},
				NULL);
	hooks->query.done = on_leased;
	db_submit(hooks->settings.db, &hooks->query);
}

/* ---- upkeep ---- */

/* Whether the same statement runs again: it has found something, and may find more. */
static bool goes_on(struct hooks *hooks, const struct db_result *result)
{
	if (result->outcome != DB_OK || result->row_count == 0)
		return false;
	if (hooks->upkeep_left > 0) {
		hooks->upkeep_left--;
		return true;
	}
	hooks->upkeep_ms = loop_now_ms(hooks->settings.loop) + UPKEEP_MORE_MS;
	return false;
}

static void on_trimmed(struct db_query *query, const struct db_result *result);

static void trim(struct hooks *hooks)
{
	db_query_init(&hooks->query, &hooks->arena);
	statement_webhook_trim(&hooks->query,
			       &(struct webhook_trim_parameters){.row_limit = EVENTS_KEPT},
			       &hooks->trimmed);
	hooks->query.done = on_trimmed;
	db_submit(hooks->settings.db, &hooks->query);
}

static void on_trimmed(struct db_query *query, const struct db_result *result)
{
	struct hooks *hooks = container_of(query, struct hooks, query);

	arena_finish(&hooks->arena);
	hooks->is_asking = false;
	if (hooks->is_draining)
		return;
	hooks->is_asking = true;
	if (goes_on(hooks, result))
		trim(hooks);
	else
		lease(hooks);
}

static void on_online(struct db_query *query, const struct db_result *result);

static void look_who_is_online(struct hooks *hooks)
{
	hooks->is_asking = true;
	db_query_init(&hooks->query, &hooks->arena);
	statement_webhook_online(&hooks->query,
				 &(struct webhook_online_parameters){.row_limit = DEVICES_A_LOOK},
				 &hooks->online);
	hooks->query.done = on_online;
	db_submit(hooks->settings.db, &hooks->query);
}

static void on_online(struct db_query *query, const struct db_result *result)
{
	struct hooks *hooks = container_of(query, struct hooks, query);

	arena_finish(&hooks->arena);
	if (hooks->is_draining)
		hooks->is_asking = false;
	else if (goes_on(hooks, result))
		look_who_is_online(hooks);
	else
		trim(hooks);
}

static void look(struct hooks *hooks)
{
	uint64_t now_ms = loop_now_ms(hooks->settings.loop);

	if (!db_is_up(hooks->settings.db)) {
		look_after(hooks, UNAVAILABLE_MS);
	} else if (hooks->has_webhooks && now_ms >= hooks->upkeep_ms) {
		hooks->upkeep_ms = now_ms + LOOK_MS;
		hooks->upkeep_left = UPKEEP_MAX;
		look_who_is_online(hooks);
	} else {
		lease(hooks);
	}
}

static void on_look(struct deadline *deadline)
{
	look(container_of(deadline, struct hooks, look));
}

/* ---- hints ---- */

/* Called when events were written, or a webhook was changed. */
static void on_hint(struct hint_subscription *hints, struct str text)
{
	struct hooks *hooks = container_of(hints, struct hooks, hints);

	(void)text;
	hooks->has_webhooks = true;
	look_soon(hooks);
}

void hooks_changed(struct hooks *hooks)
{
	hooks->has_webhooks = true;
	look_soon(hooks);
	db_hint(hooks->settings.db, STR("webhook:changed"));
}

/* ---- all ---- */

struct hooks *hooks_create(const struct hooks_settings *settings)
{
	struct hooks *hooks = memory_zalloc(sizeof(*hooks));

	hooks->settings = *settings;
	deadline_init(&hooks->look, on_look);
	look_after(hooks, UNAVAILABLE_MS);
	hooks->hints = (struct hint_subscription){.kind = "webhook", .on_hint = on_hint};
	db_subscribe(settings->db, &hooks->hints);
	return hooks;
}

void hooks_drain(struct hooks *hooks)
{
	hooks->is_draining = true;
	deadline_clear(hooks->settings.loop, &hooks->look);
}

bool hooks_are_at_work(const struct hooks *hooks)
{
	return hooks->is_asking || hooks->under_way > 0;
}

void hooks_destroy(struct hooks *hooks)
{
	require(hooks->under_way == 0 && !hooks->is_asking);
	db_unsubscribe(&hooks->hints);
	free(hooks);
}
