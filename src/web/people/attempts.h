/* Limits failed attempts to sign in or to reauthenticate: for each address and its networks, and
 * for each account at an address. Attempts for one account from many addresses wait for their turn,
 * but not for long, and are never refused: so nobody can lock out the owner.
 *
 * Known browsers (known_browser.h) do not wait behind unknown ones of their network: each has a
 * bucket of its own, and all share one at each account; they count as unknown if either is empty.
 * Passkeys do not wait behind passwords, which can be guessed: they have buckets of their own. A
 * failed passkey also counts in those of passwords.
 *
 * An attempt takes its tokens before anything is computed for it, so that attempts under way count,
 * and gives them back if it did not fail. If it failed, those of other instances are taken, too. */
#pragma once

#include "attempt_hints.h"
#include "task/task.h"

enum attempt_kind { ATTEMPT_PASSWORD, ATTEMPT_PASSKEY };

enum { ATTEMPT_TOKENS_MAX = 11 };

/* Attempt, kept in the endpoint's state. */
struct attempt {
	struct deadline turn;
	struct task *task;
	bool is_known; /* from a known browser */
	struct attempt_token taken[ATTEMPT_TOKENS_MAX];
	unsigned taken_count;
};

/* Returns true, with the answer 429, if too many attempts of the caller's address or networks have
 * failed. Takes no tokens. Call it before looking up an account. */
__attribute__((warn_unused_result)) bool
web_has_failed_too_often(struct task *task, enum attempt_kind kind, struct step_result *ret_answer);

/* Begins an attempt, and continues with next, perhaps after a while; or answers 429. account: that
 * of the attempt, or web_unknown_account(). */
__attribute__((warn_unused_result)) struct step_result
web_attempt(struct task *task, struct attempt *attempt, enum attempt_kind kind, struct id account,
	    task_step *next);

/* Begins an attempt without an account. Returns true, with the answer 429, if too many have failed.
 */
__attribute__((warn_unused_result)) bool
web_attempt_of_nobody(struct task *task, struct attempt *attempt, struct step_result *ret_answer);

/* Gives back the tokens of an attempt that did not fail, or could not be tried. */
void web_attempt_forget(struct task *task, struct attempt *attempt);
/* Keeps the tokens of an attempt that failed, in other instances, too. */
void web_attempt_failed(struct task *task, struct attempt *attempt);

/* Hears of failed attempts at other instances. The caller destroys the hints. */
struct attempt_hints *web_attempt_hints(struct db *db, struct rate_table *visitors,
					struct id instance);

/* Returns an ID for an unknown account, by its e-mail address in lower case. */
struct id web_unknown_account(struct str folded);
