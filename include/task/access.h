/* Kinds of access to an endpoint. An endpoint's line names one of these, or none: then anyone may
 * call.
 *
 *   pre-handler checks -> check() -> task_admit()    the rate limit, then the rest of the
 * pre-handler checks
 *                       -> task_fail()     this kind's own 401
 *
 * A kind is one file that defines a struct access. This folder has the API key; a layer above adds
 * its own (a session, a device's key) and nothing here changes. */
#pragma once

#include "metric/metrics.h"
#include "task/rate.h"
#include "task/task.h"

struct access {
	enum metric_access metric; /* what callers show */
	/* The first step of the pre-handler checks: finds out who calls. Ends with task_admit() or
	 * task_admit_visitor() or task_admit_unlimited(), or answers. */
	task_step *check;
	/* Answers an admitted caller whose account was gone a moment later. */
	task_step *refuse;
	size_t state_size; /* of task_access_state() */
	/* Pages of other origins may call it (--cors-origin). Only where the caller sends a secret
	 * by itself: a browser adds cookies without being asked. */
	bool allows_other_origins;
	/* Its endpoints are about the caller's own things: where the path names neither device nor
	 * app, the operator must name an account. */
	bool is_personal;
};

/* Authorization: Bearer <API key of an account> */
extern const struct access access_api_key;
/* The same, or the bare key: for /v0, whose clients know both; or the own key of a device whose
 * owner allows that: it opens what takes_device_key, for that device. */
extern const struct access access_v0_api_key;

/* The operator of the machine, by HTTP_ROLE_OPERATOR: replaces the access of each endpoint that is
 * for the operator. Reaching the private socket is enough: no rate limit, no cookie, no check of
 * the origin. The operator has no account. The owner of the path's device or app counts as the
 * account; "Displayd-Account: EMAIL" names one, and 404 is answered if there is no such account. */
extern const struct access access_operator;
/* The session that statements get for the operator's changes: by it the audit log names displayctl
 * instead of an account (sql/migration/0036_operator.sql). */
struct id access_operator_session(void);

/* The bridge to MQTT, by HTTP_ROLE_BRIDGE: replaces the access of each endpoint that is for the
 * bridge. The listener's peer is a struct bridge_peer: its account calls, with all that an API key
 * of it may do and the rate limit of one. */
extern const struct access access_bridge;
struct bridge_peer {
	struct id account_id;
	bool is_open; /* false: its connections are for nothing any more */
};

/* The account that an access has found, and the bucket of the rate limit that it uses. */
struct caller {
	struct id account_id;
	const struct rate_policy *rate; /* of the service; per_second 0: no limit */
	struct id rate_id;		/* of the bucket: the key's or the session's */
};

/* Goes on with the pre-handler checks for this caller, which is copied; or answers 429. */
__attribute__((warn_unused_result)) struct step_result task_admit(struct task *task,
								  const struct caller *caller);

/* Goes on with the pre-handler checks for somebody who need not be known: no account, and the rate
 * limit of this bucket; or answers 429. */
__attribute__((warn_unused_result)) struct step_result
task_admit_visitor(struct task *task, const struct rate_policy *policy, struct id rate_id);

/* Goes on with the pre-handler checks for somebody who has shown a key that is no account's, such
 * as a device, or needs none: no account, no rate limit. */
__attribute__((warn_unused_result)) struct step_result task_admit_unlimited(struct task *task);

/* The token of the request's one field "Authorization: Bearer <token>". */
__attribute__((warn_unused_result)) bool access_bearer_token(struct task *task,
							     struct str *ret_token);

/* The access's own struct, see state_size; zeroed at the start. */
void *task_access_state(struct task *task);
