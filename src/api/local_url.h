/* Refuses URLs of local addresses that the account may not reach, when they are set: a webhook or
 * an MQTT connection to such an address would fail later. A name that resolves to one fails then,
 * with the same sentence. */
#pragma once

#include "db/statements.h"
#include "task/task.h"

/* Part of an endpoint's state. */
struct local_url {
	struct str url;
	unsigned lacks;
	struct account_reach_row row;
	task_step *next;
};

/* Continues with next, or answers 400 for the body's member "url". host: that of the URL, without
 * brackets. webhook_id: all zero for the MQTT connection. A URL that is stored already is accepted.
 */
__attribute__((warn_unused_result)) struct step_result
local_url_check(struct task *task, struct local_url *local, struct str url, struct str host,
		struct id webhook_id, task_step *next);
