/* Attempts to prove who one is are limited for each address, and for each account at an address.
 * Attempts for one account from many addresses wait for their turn, but not for long, and are never
 * refused: nobody can lock somebody else out. */
#pragma once

#include "task/task.h"

struct attempt {
	struct deadline turn;
	struct task *task;
};

/* True, with the answer 429, where the caller's address has made too many attempts. Takes one. */
__attribute__((warn_unused_result)) bool web_attempts_of_address(struct task *task,
								 struct verdict *ret_answer);

/* Goes on with next, perhaps after a while, or answers 429. account: stands for an account, also
 * for one that there is not. attempt: in the state of the endpoint. */
__attribute__((warn_unused_result)) struct verdict
web_attempt(struct task *task, struct attempt *attempt, struct id account, task_step *next);

/* Stands for the account with this e-mail address, in small letters, where there is none. */
struct id web_unknown_account(struct str folded);
