#include "authentication.h"
#include "base/limits.h"
#include "session_start.h"
#include "web/access.h"
#include "web/endpoints.h"

/* POST /web/session - signs in with a password. */

struct sign_in_task {
	struct sign_in body; /* first: the pre-handler checks read the request into it */
	struct authentication authentication;
};

static struct step_result proven(struct task *task)
{
	const struct sign_in_task *state = task_state(task);

	if (!state->authentication.fault)
		return web_start_session(task, &state->authentication);
	task_add_field(task, STR("WWW-Authenticate"), STR("Session realm=\"displayd\""));
	return task_fail(task, PROBLEM_CREDENTIALS_INVALID,
			 "the e-mail address or the password is wrong");
}

static struct step_result session_create_begin(struct task *task)
{
	struct sign_in_task *state = task_state(task);
	struct step_result answer;

	if (web_has_no_sessions(task, &answer))
		return answer;
	state->authentication.email = state->body.email;
	state->authentication.password = state->body.password;
	state->authentication.stays_signed_in = state->body.stays_signed_in;
	return web_authenticate(task, &state->authentication, proven);
}

ENDPOINT_SESSION_CREATE(.handler = session_create_begin, .state_size = sizeof(struct sign_in_task));
