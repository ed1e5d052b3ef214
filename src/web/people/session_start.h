/* Signs in a person whose password or passkey was just checked or set, and ends this browser's old
 * session. */
#pragma once

#include "authentication.h"

/* Answers 200 with the account and the cookie of a new session. Answers 409 if the account has
 * changed meanwhile. */
__attribute__((warn_unused_result)) struct step_result
web_start_session(struct task *task, const struct authentication *authentication);

/* Ends sessions that were made with the old password while it was being changed: the changing
 * statement has waited for them, but does not see them. Continues with next when all sessions of
 * the account except this one (none: all) have ended. */
__attribute__((warn_unused_result)) struct step_result web_end_late_sessions(struct task *task,
									     struct id account_id,
									     struct id session_id,
									     task_step *next);

/* Returns true, with the answer 403, if this server has no sessions. */
__attribute__((warn_unused_result)) bool web_has_no_sessions(struct task *task,
							     struct step_result *ret_answer);

/* Adds a cookie that scripts cannot read, for all paths. age_s: 0 removes it. same_site: "Lax" or
 * "Strict". */
void web_add_cookie(struct task *task, const char *name, struct str value, int age_s,
		    const char *same_site);

/* Sets the session's cookie; an empty token removes it. is_lasting: the person stays signed in. */
void web_set_cookie(struct task *task, struct str token, bool is_lasting);
