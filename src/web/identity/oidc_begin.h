/* Beginnings of what an identity provider takes part in: a sign-in, or a connection with an
 * account.
 */
#pragma once

#include "flow.h"
#include "issuer.h"
#include "task/task.h"

/* State of such a beginning, in that of the endpoint. */
struct oidc_beginning {
	struct issuer_wait wait;
	struct task *task;
	struct flow flow;
	struct str url;
};

/* Returns true, with the answer, if the server has no identity provider. */
__attribute__((warn_unused_result)) bool oidc_is_missing(struct task *task,
							 struct step_result *ret_answer);

/* Answers 503: the provider cannot be used, with the reason. */
task_step oidc_fail_unavailable;

/* Learns where the provider is, for oidc_reply(), which next calls. beginning->flow has what it is
 * for.
 */
__attribute__((warn_unused_result)) struct step_result
oidc_begin(struct task *task, struct oidc_beginning *beginning, task_step *next);

/* Answers with the provider's address and the cookie of a new flow, or 503. */
__attribute__((warn_unused_result)) struct step_result oidc_reply(struct task *task,
								  struct oidc_beginning *beginning);

/* Returns the page to which the provider leads back. */
struct str oidc_return_url(struct task *task);

/* Returns the text with everything percent-encoded that is not unreserved (RFC 3986). */
struct str oidc_encode(struct arena *arena, struct str text);
