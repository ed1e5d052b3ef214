#include "api/operator_note.h"
#include "domain/webhook.h"
#include "endpoints.h"
#include "hooks/hooks.h"
#include "local_url.h"

/* /v1/webhooks and /v1/webhooks/{webhookId} - an account's webhooks. hooks/hooks.h sends to them.
 */

struct webhook_change {
	struct webhook_body body; /* first: the pre-handler checks read the request into it */
	struct id id;
	struct local_url local;
	struct webhook webhook;
	char secret[WEBHOOK_SECRET_LENGTH + 1];
	struct buffer encrypted;
};

static void webhooks_finish(void *state)
{
	struct webhook_change *change = state;

	buffer_finish(&change->encrypted);
}

static struct step_result webhooks_fail(struct task *task)
{
	return task_fail(task, PROBLEM_WEBHOOK_NOT_FOUND, "there is no such webhook");
}

static struct step_result refused(struct task *task)
{
	switch (task_constraint_error(task)) {
	case CONSTRAINT_TOO_MANY_WEBHOOKS:
		return task_fail(task, PROBLEM_WEBHOOKS_TOO_MANY,
				 "the account has 10 webhooks already, remove one first");
	case CONSTRAINT_WEBHOOKS_TOO_OFTEN:
		task_add_field(task, STR("Retry-After"), STR("1"));
		return task_fail(task, PROBLEM_REQUESTS_TOO_MANY,
				 "the account's webhooks change too often: at most 20 times in a "
				 "row, then once a second");
	case CONSTRAINT_ACCOUNT_GONE:
	case CONSTRAINT_KEY_ENDED:
		return task_refuse(task);
	default:
		return task_fail_constraint(task);
	}
}

static bool read_id(struct task *task, struct id *ret_id)
{
	return id_parse(task_path_parameter(task, 0), ret_id);
}

static struct step_result reply_with_secret(struct task *task, int status)
{
	struct webhook_change *change = task_state(task);

	change->webhook.secret = str_from(change->secret);
	return task_reply_record(task, status, &new_webhook_record, &change->webhook);
}

static struct step_result created(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_is_of_operator(task)
			   ? task_fail(task, PROBLEM_ACCOUNT_NOT_FOUND, "there is no such account")
			   : task_refuse(task);
	hooks_changed(api_service(task)->hooks);
	return reply_with_secret(task, 201);
}

static struct step_result create(struct task *task)
{
	struct webhook_change *change = task_state(task);

	webhook_secret_new(api_service(task)->settings_key, change->id, change->secret,
			   &change->encrypted);
	statement_webhook_create(
	    task_new_query(task),
	    &(struct webhook_create_parameters){
		.id = change->id,
		.account_id = task_account_id(task),
		.key_hash = api_maker(task),
		.url = change->body.url,
		.events = (int32_t)change->body.events,
		.is_enabled = !change->body.has_enabled || change->body.is_enabled,
		.secret = buffer_view(&change->encrypted),
		.address = task_request(task)->remote_address,
		.session_id = api_noted_session(task),
	    },
	    &change->webhook);
	return task_query(task, created);
}

static struct step_result begin_create(struct task *task)
{
	struct webhook_change *change = task_state(task);
	struct str url = change->body.url;

	change->id = id_new();
	return local_url_check(task, &change->local, url, webhook_url_host(url), change->id,
			       create);
}

ENDPOINT_WEBHOOK_CREATE(.handler = begin_create, .state_size = sizeof(struct webhook_change),
			.refused = refused, .finish = webhooks_finish);

static struct step_result updated(struct task *task)
{
	struct webhook_change *change = task_state(task);

	if (task_row_count(task) == 0)
		return webhooks_fail(task);
	hooks_changed(api_service(task)->hooks);
	return task_reply_record(task, 200, &webhook_record, &change->webhook);
}

static struct step_result update(struct task *task)
{
	struct webhook_change *change = task_state(task);

	statement_webhook_update(
	    task_new_query(task),
	    &(struct webhook_update_parameters){
		.id = change->id,
		.account_id = task_account_id(task),
		.key_hash = api_maker(task),
		.url = change->body.url,
		.events = (int32_t)change->body.events,
		.enabled = change->body.has_enabled ? change->body.is_enabled : -1,
		.address = task_request(task)->remote_address,
		.session_id = api_noted_session(task),
	    },
	    &change->webhook);
	return task_query(task, updated);
}

static struct step_result begin_update(struct task *task)
{
	struct webhook_change *change = task_state(task);
	struct str url = change->body.url;

	if (!read_id(task, &change->id))
		return webhooks_fail(task);
	if (!url.data)
		return update(task);
	return local_url_check(task, &change->local, url, webhook_url_host(url), change->id,
			       update);
}

ENDPOINT_WEBHOOK_UPDATE(.handler = begin_update, .state_size = sizeof(struct webhook_change),
			.refused = refused, .finish = webhooks_finish);

static struct step_result renewed(struct task *task)
{
	return task_row_count(task) == 0 ? webhooks_fail(task) : reply_with_secret(task, 200);
}

static struct step_result begin_secret(struct task *task)
{
	struct webhook_change *change = task_state(task);
	struct id id;

	if (!read_id(task, &id))
		return webhooks_fail(task);
	webhook_secret_new(api_service(task)->settings_key, id, change->secret, &change->encrypted);
	statement_webhook_secret(task_new_query(task),
				 &(struct webhook_secret_parameters){
				     .id = id,
				     .account_id = task_account_id(task),
				     .key_hash = api_maker(task),
				     .secret = buffer_view(&change->encrypted),
				     .address = task_request(task)->remote_address,
				     .session_id = api_noted_session(task),
				 },
				 &change->webhook);
	return task_query(task, renewed);
}

ENDPOINT_WEBHOOK_SECRET(.handler = begin_secret, .state_size = sizeof(struct webhook_change),
			.refused = refused, .finish = webhooks_finish);
