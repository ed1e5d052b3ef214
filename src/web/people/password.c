#include "password.h"
#include "domain/password.h"
#include "web/access.h"

#include <errno.h>

/* Matches no password. Checking it takes as long as checking a real hash. */
static const char nobody[] = "$argon2id$v=19$m=19456,t=2,p=1$XRvawnMwB4yCKFx9eEb/tQ$"
			     "lf5CHnYfOX+RjXSlg+4GIQD+fOX2WU+zkNPcm2cVN3I";

/* libsodium sets errno to EINVAL if the password is wrong, but not if it has no memory.
 */
static void verify(struct password_job *job)
{
	errno = 0;
	job->matches =
	    crypto_pwhash_str_verify(job->hash, job->password.data, job->password.length) == 0 &&
	    job->hash != nobody;
	job->has_failed = !job->matches && errno == ENOMEM;
}

static bool password_run(void *argument)
{
	struct password_job *job = argument;

	if (job->hash)
		verify(job);
	else
		job->has_failed =
		    crypto_pwhash_str(job->new_hash, job->password.data, job->password.length,
				      PASSWORD_PASSES, PASSWORD_MEMORY_BYTES) < 0;
	return false;
}

static struct step_result work(struct task *task, struct password_job *job, task_step *next)
{
	job->matches = job->has_failed = false;
	return task_work(task, job->is_known ? LANE_KNOWN_PASSWORD : LANE_PASSWORD,
			 &(struct task_work){
			     .run = password_run,
			     .argument = job,
			     .size = 1,
			     .share = web_address_id(task),
			     .network = web_network_id(task),
			 },
			 next);
}

struct step_result web_verify_password(struct task *task, struct password_job *job,
				       struct str password, struct str hash, task_step *next)
{
	job->password = password;
	job->hash = hash.length ? hash.data : nobody;
	return work(task, job, next);
}

struct step_result web_hash_password(struct task *task, struct password_job *job,
				     struct str password, task_step *next)
{
	job->password = password;
	job->hash = NULL;
	return work(task, job, next);
}

bool web_password_failed(struct task *task, const struct password_job *job,
			 struct step_result *ret_answer)
{
	if (job->has_failed)
		*ret_answer = task_fail_busy(task, PROBLEM_MEMORY_FULL, 1,
					     "no memory is left to check the password, try again");
	return job->has_failed;
}
