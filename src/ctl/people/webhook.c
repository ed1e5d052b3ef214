#include "domain/webhook.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"

enum ctl_exit ctl_webhook_test(struct ctl *ctl)
{
	struct webhook_outcome outcome = {0};
	struct str json = {0};
	enum ctl_exit code = ctl_ask_plain(ctl, NULL, &json);

	if (code == CTL_DONE)
		code = ctl_read_row(ctl, json, &webhook_outcome_record, &outcome);
	if (code == CTL_DONE)
		code = ctl_print_json(ctl, json);
	if (code != CTL_DONE || (outcome.status >= 200 && outcome.status < 300))
		return code;
	return outcome.status
		   ? ctl_fail(CTL_REFUSED, "the receiver answered %lld", (long long)outcome.status)
		   : ctl_fail(CTL_REFUSED, "%.*s", STR_ARG(outcome.problem));
}
