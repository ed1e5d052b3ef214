#include "domain/webhook.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"

static struct ctl_request request_of(struct ctl *ctl, const char *method, const char *rest)
{
	struct str id = ctl_encode(ctl, ctl->positionals[0]);

	return (struct ctl_request){
	    .method = method,
	    .path = ARENA_JOIN(&ctl->arena, STR("/v1/webhooks/"), id, str_from(rest)),
	    .account = ctl_value(ctl, "account"),
	    .sentences = {{404, PROBLEM_WEBHOOK_NOT_FOUND, STR("the account has no webhook %")}},
	    .subject = ctl->positionals[0],
	};
}

enum ctl_exit ctl_webhook_list(struct ctl *ctl)
{
	return ctl_list(ctl,
			&(struct ctl_request){.path = STR("/v1/webhooks"),
					      .account = ctl_value(ctl, "account")},
			&webhook_record);
}

enum ctl_exit ctl_webhook_show(struct ctl *ctl)
{
	struct ctl_request request = request_of(ctl, NULL, "");

	return ctl_show(ctl, &request, &webhook_record);
}

enum ctl_exit ctl_webhook_create(struct ctl *ctl)
{
	struct ctl_request request = {
	    .method = "POST", .path = STR("/v1/webhooks"), .account = ctl_value(ctl, "account")};
	struct ctl_member more[] = {
	    {"url", ctl->positionals[0], false},
	    {"events", STR("[\"online\",\"pushed\",\"changed\",\"failed\"]"), true},
	    {0},
	};

	if (ctl_value(ctl, "event").data)
		more[1] = (struct ctl_member){0};
	request.body = ctl_body_of_options(ctl, more);
	return ctl_show(ctl, &request, &new_webhook_record);
}

enum ctl_exit ctl_webhook_update(struct ctl *ctl)
{
	struct ctl_request request = request_of(ctl, "PATCH", "");

	request.body = ctl_body_of_options(ctl, NULL);
	return ctl_show(ctl, &request, &webhook_record);
}

enum ctl_exit ctl_webhook_remove(struct ctl *ctl)
{
	struct ctl_request request = request_of(ctl, NULL, "");
	struct webhook webhook = {0};
	enum ctl_exit code = ctl_ask_row(ctl, &request, &webhook_record, &webhook);

	if (code == CTL_DONE)
		code = ctl_confirm(ctl, "This removes the webhook %.*s and its waiting events.",
				   STR_ARG(webhook.url));
	if (code != CTL_DONE)
		return code;
	request.method = "DELETE";
	code = ctl_ask_row(ctl, &request, NULL, NULL);
	return code == CTL_DONE ? ctl_print_row(ctl, &webhook_record, &webhook) : code;
}

enum ctl_exit ctl_webhook_test(struct ctl *ctl)
{
	struct ctl_request request = request_of(ctl, "POST", "/test");
	struct webhook_outcome outcome = {0};
	enum ctl_exit code = ctl_ask_row(ctl, &request, &webhook_outcome_record, &outcome);

	if (code == CTL_DONE)
		code = ctl_print_row(ctl, &webhook_outcome_record, &outcome);
	if (code != CTL_DONE || (outcome.status >= 200 && outcome.status < 300))
		return code;
	return outcome.status
		   ? ctl_fail(CTL_REFUSED, "the receiver answered %lld", (long long)outcome.status)
		   : ctl_fail(CTL_REFUSED, "%.*s", STR_ARG(outcome.problem));
}
