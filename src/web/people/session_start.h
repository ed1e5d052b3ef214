/* Signs somebody in whose password or passkey was just checked or set, and ends what this browser
 * had. */
#pragma once

#include "authentication.h"

/* Answers 200 with the account and the cookie of a new session. If what was found is no longer
 * so: 409. */
__attribute__((warn_unused_result)) struct step_result
web_start_session(struct task *task, const struct authentication *authentication);

/* A sign-in with the old password that was under way while the password was changed: the statement
 * that changed it has waited for it, and has not seen its session. Goes on with next when all
 * sessions of the account but this one (none: all) have ended. */
__attribute__((warn_unused_result)) struct step_result web_end_late_sessions(struct task *task,
									     struct id account_id,
									     struct id session_id,
									     task_step *next);

/* True, with the answer 403, if this server has no sessions. */
__attribute__((warn_unused_result)) bool web_has_no_sessions(struct task *task,
							     struct step_result *ret_answer);

/* Sets the session's cookie; an empty token takes it away. */
void web_set_cookie(struct task *task, struct str token);
