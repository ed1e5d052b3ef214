/* Checks what a person shows to prove that an account is theirs: its password or one of its
 * passkeys.
 *
 *   web_authenticate() -> failed attempts of the address -> look-up -> the attempt, which may wait
 *     -> a lane for passwords -> (a passkey's challenge and count are noted) -> next
 *
 * Unknown accounts and passkeys take the same steps. */
#pragma once

#include "attempts.h"
#include "db/statements.h"
#include "domain/person.h"
#include "passkey.h"
#include "password.h"

struct authentication {
	/* Given. A passkey's answer if its credential_id is there, else the password. */
	struct str email;
	struct str password;
	struct assertion passkey;
	struct id account_id; /* whose it must be; none: anybody's, and found */

	/* Found. */
	const char *fault; /* NULL: it is theirs. Else why not: "is not ..." */
	/* Kept for the statement that then makes the change, and compares them once more. */
	struct str password_hash; /* data is NULL: a passkey was shown */
	struct str credential_id; /* data is NULL: the password was */

	/* Kept between the steps. */
	task_step *next;
	struct attempt attempt;
	struct account_password_row account;
	struct password_job password_job;
	struct passkey_find_row row;
	struct passkey_used_row used;
	struct passkey_job *passkey_job;
	struct str challenge; /* of the client data */
};

/* authentication: in the state of the endpoint, its given part filled in, the rest zero. Goes on
 * with next, which looks at fault; or answers 403, 429 or 503. */
__attribute__((warn_unused_result)) struct step_result
web_authenticate(struct task *task, struct authentication *authentication, task_step *next);

/* Checks as web_authenticate(), and that the signed-in account is the authenticated one. */
__attribute__((warn_unused_result)) struct step_result
web_reauthenticate(struct task *task, struct authentication *authentication,
		   const struct reauthentication *body, task_step *next);

/* Answers 400: what was wrong, at the member that was given. password_name: of the member. */
__attribute__((warn_unused_result)) struct step_result
web_fail_authentication(struct task *task, const struct authentication *authentication,
			const char *password_name);

/* Answers 409: the authentication held when it was checked, but no longer when the statement used
 * it. */
task_step web_fail_outdated;

/* True, with the answer 403, if the site has no passkeys. */
__attribute__((warn_unused_result)) bool web_has_no_passkeys(struct task *task,
							     struct step_result *ret_answer);
