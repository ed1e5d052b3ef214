/* Passwords: argon2id with 19 MiB and two passes (OWASP's choice), on the password lane. */
#pragma once

#include "task/task.h"

#include <sodium.h>

struct password_job {
	bool is_known; /* given: from a known browser, so it does not wait behind others */
	struct str password;
	const char *hash; /* hash to compare with; NULL: make a new one */
	char new_hash[crypto_pwhash_STRBYTES];
	bool matches;
	bool has_failed; /* no memory is left */
};

/* Compares a password with a hash. An empty hash, for an unknown account or one without a password,
 * takes the same time and never matches. next finds job->matches. Answers 503 if too many wait.
 */
__attribute__((warn_unused_result)) struct step_result
web_verify_password(struct task *task, struct password_job *job, struct str password,
		    struct str hash, task_step *next);

/* Makes a hash: next finds job->new_hash. Answers 503 if too many wait. */
__attribute__((warn_unused_result)) struct step_result web_hash_password(struct task *task,
									 struct password_job *job,
									 struct str password,
									 task_step *next);

/* Returns true, with the answer, if the finished job has failed. */
__attribute__((warn_unused_result)) bool web_password_failed(struct task *task,
							     const struct password_job *job,
							     struct step_result *ret_answer);
