/* Checks a person's proof of owning an account: its password or one of its passkeys.
 *
 *   web_authenticate() -> failed attempts of the address -> look-up -> the attempt, which may wait
 *     -> a lane for passwords -> (a passkey's challenge and count are noted) -> next
 *
 * Unknown accounts and passkeys take the same steps, and so the same time. */
#pragma once

#include "attempts.h"
#include "db/statements.h"
#include "domain/person.h"
#include "passkey.h"
#include "password.h"

struct authentication {
	/* Given: a passkey's assertion if credential_id is set, else the password. */
	struct str email;
	struct str password;
	struct assertion passkey;
	struct id account_id; /* required account; none: any, which is found */
	bool stays_signed_in; /* a session that starts lasts for LIMIT_SESSION_LASTING_S */

	/* Results: */
	const char *fault; /* NULL: it is the owner. Else the fault: "is not ..." */
	/* For the statement that makes the change, which compares them again: */
	struct str password_hash; /* data is NULL: a passkey was used */
	struct str credential_id; /* data is NULL: the password was used */
	/* Identity that signs in instead of both; data is NULL: none. */
	struct str issuer, subject;

	/* State between the steps: */
	task_step *next;
	struct attempt attempt;
	struct account_password_row account;
	struct password_job password_job;
	struct passkey_find_row row;
	struct passkey_used_row used;
	struct passkey_job *passkey_job;
	struct str challenge; /* challenge of the client data */
};

/* Checks the proof. authentication: in the state of the endpoint, with its given part filled in,
 * the rest zero. Continues with next, which checks fault; or answers 403, 429 or 503. */
__attribute__((warn_unused_result)) struct step_result
web_authenticate(struct task *task, struct authentication *authentication, task_step *next);

/* Works as web_authenticate(), and checks that the signed-in account is the authenticated one. */
__attribute__((warn_unused_result)) struct step_result
web_reauthenticate(struct task *task, struct authentication *authentication,
		   const struct reauthentication *body, task_step *next);

/* Answers 400 with the fault, at the member that was given. password_name: name of the password's
 * member. */
__attribute__((warn_unused_result)) struct step_result
web_fail_authentication(struct task *task, const struct authentication *authentication,
			const char *password_name);

/* Answers 409: the authentication was valid when checked, but no longer when the statement used it.
 */
task_step web_fail_outdated;

/* Returns true, with the answer 403, if the site has no passkeys. */
__attribute__((warn_unused_result)) bool web_has_no_passkeys(struct task *task,
							     struct step_result *ret_answer);
