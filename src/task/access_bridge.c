#include "domain/key.h"
#include "http/listener.h"
#include "task/access.h"
#include "task_private.h"

/* Bridge to MQTT: the socket determines the account. */

struct bridge_access {
	uint8_t hash[KEY_HASH_BYTES]; /* not a key's: the account, for shares */
	struct key_scope scope;
};

static struct step_result access_bridge_refuse(struct task *task)
{
	return task_fail(task, PROBLEM_MQTT_ENDED,
			 "the account no longer has an MQTT connection here");
}

static struct step_result access_bridge_check(struct task *task)
{
	const struct bridge_peer *peer = task->request->listener->peer;
	struct bridge_access *access = task_access_state(task);
	struct caller caller = {.rate = &task->service->key_rate};

	if (!peer->is_open)
		return access_bridge_refuse(task);
	caller.account_id = caller.rate_id = peer->account_id;
	memcpy(access->hash, peer->account_id.bytes, ID_BYTES);
	access->scope.level = KEY_LEVEL_ALL;
	task->key_scope = &access->scope;
	task->key_hash = access->hash;
	return task_admit(task, &caller);
}

const struct access access_bridge = {
    .metric = METRIC_ACCESS_API_KEY,
    .check = access_bridge_check,
    .refuse = access_bridge_refuse,
    .state_size = sizeof(struct bridge_access),
    .is_personal = true,
};
