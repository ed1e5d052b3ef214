/* Kinds of access to an endpoint. An endpoint names one kind, or none: then anyone may call.
 *
 *   pre-handler --> check() --> task_admit()  the rate limit, then the other pre-handler checks
 *                           --> task_fail()   this kind's own 401
 *
 * A kind is one file that defines a struct access. This folder has the API key; layers above add
 * others (session, device's key) without changes here. */
#pragma once

#include "metric/metrics.h"
#include "task/rate.h"
#include "task/task.h"

struct access {
	enum metric_access metric; /* credential of the callers */
	/* First of the pre-handler checks: identifies the caller. Ends with task_admit() or
	 * task_admit_visitor() or task_admit_unlimited(), or answers. */
	task_step *check;
	/* Answers an admitted caller whose account was removed a moment later. */
	task_step *refuse;
	size_t state_size; /* size of task_access_state() */
	/* Pages of other origins may call it (--cors-origin). Only if callers add the secret
	 * themselves: browsers add cookies automatically. */
	bool allows_other_origins;
	/* Its endpoints concern the caller's own objects: if the path names neither device nor app,
	 * the operator must name an account. */
	bool is_personal;
};

/* Authorization: Bearer <API key of an account> */
extern const struct access access_api_key;
/* Accepts what access_api_key does, or the bare key: for /v0, whose clients use both forms. Also
 * the own key of a device, if its owner allows that: for endpoints with takes_device_key, and that
 * device. */
extern const struct access access_v0_api_key;

/* Operator of the machine, by HTTP_ROLE_OPERATOR. It replaces the access of each endpoint that is
 * for the operator. Reaching the private socket is enough: no rate limit, no cookie, no check of
 * the origin. The operator has no account. The owner of the path's device or app counts as the
 * account; "Displayd-Account: EMAIL" names one, and 404 is answered if there is no such account. */
extern const struct access access_operator;
/* Returns the session that statements get for the operator's changes. It makes the audit log name
 * displayctl instead of an account (sql/schema/03_audit.sql). */
struct id access_operator_session(void);

/* Bridge to MQTT, by HTTP_ROLE_BRIDGE. It replaces the access of each endpoint that is for the
 * bridge. The listener's peer is a struct bridge_peer: its account is the caller, with the rights
 * and the rate limit of an unrestricted API key. */
extern const struct access access_bridge;
struct bridge_peer {
	struct id account_id;
	bool is_open; /* false: its connections are no longer accepted */
};

/* Account that an access has found, and its bucket of the rate limit. */
struct caller {
	struct id account_id;
	const struct rate_policy *rate; /* policy of the service; per_second 0: no limit */
	struct id rate_id;		/* ID of the bucket: the key's or the session's */
};

/* Continues the pre-handler checks for this caller, which is copied; or answers 429. */
__attribute__((warn_unused_result)) struct step_result task_admit(struct task *task,
								  const struct caller *caller);

/* Continues the pre-handler checks for an anonymous caller: no account, and the rate limit of this
 * bucket; or answers 429. */
__attribute__((warn_unused_result)) struct step_result
task_admit_visitor(struct task *task, const struct rate_policy *policy, struct id rate_id);

/* Continues the pre-handler checks for a caller whose key is not an account's, such as a device, or
 * who needs none: no account, no rate limit. */
__attribute__((warn_unused_result)) struct step_result task_admit_unlimited(struct task *task);

/* Finds the token of the request's only field "Authorization: Bearer <token>". */
__attribute__((warn_unused_result)) bool access_bearer_token(struct task *task,
							     struct str *ret_token);

/* Returns the access's own struct, see state_size; initially zeroed. */
void *task_access_state(struct task *task);
