/* Attempts to prove who one is. Those that fail are limited for each address and the networks that
 * it lies in, and for each account at an address. Attempts for one account from many addresses wait
 * for their turn, but not for long, and are never refused: nobody can lock somebody else out.
 *
 * Known browsers (known_browser.h) do not wait behind the strangers of their network: they have a
 * bucket of their own, one they share at each account, and are strangers when either is empty. Nor
 * do passkeys wait behind passwords, which can be guessed: they have buckets of their own. A
 * passkey that fails counts in those of passwords as well.
 *
 * An attempt takes its tokens before anything is computed for it, so that those under way count,
 * and gives them back if it did not fail. */
#pragma once

#include "task/rate.h"
#include "task/task.h"

enum attempt_kind { ATTEMPT_PASSWORD, ATTEMPT_PASSKEY };

enum { ATTEMPT_TOKENS_MAX = 11 };

struct attempt_token {
	const struct rate_policy *policy;
	struct id id;
};

/* Attempt, kept in the endpoint's state. */
struct attempt {
	struct deadline turn;
	struct task *task;
	bool is_known; /* it is no stranger's */
	struct attempt_token taken[ATTEMPT_TOKENS_MAX];
	unsigned taken_count;
};

/* True, with the answer 429, if too many attempts of the caller's address or networks have
 * failed. Takes nothing: before an account is looked for. */
__attribute__((warn_unused_result)) bool
web_has_failed_too_often(struct task *task, enum attempt_kind kind, struct step_result *ret_answer);

/* Begins an attempt, and goes on with next, perhaps after a while; or answers 429. account: stands
 * for an account, also for one that there is not. */
__attribute__((warn_unused_result)) struct step_result
web_attempt(struct task *task, struct attempt *attempt, enum attempt_kind kind, struct id account,
	    task_step *next);

/* Begins one that is for no account. True, with the answer 429: too many have failed. */
__attribute__((warn_unused_result)) bool
web_attempt_of_nobody(struct task *task, struct attempt *attempt, struct step_result *ret_answer);

/* Gives back what the attempt took: it did not fail, or could not be tried. */
void web_attempt_forget(struct task *task, struct attempt *attempt);

/* Stands for the account with this e-mail address, in small letters, if there is none. */
struct id web_unknown_account(struct str folded);
