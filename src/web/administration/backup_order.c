#include "backup_token.h"
#include "base/clock.h"
#include "domain/person.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"
#include "web/people/authentication.h"

#include <sodium.h>

/* POST /web/admin/backups - an administrator orders a backup, with a pass phrase and the own
 * password or passkey. It is made when it is downloaded (backup_download.c).
 *
 *   proven -> key_made, on the lane of passwords -> ordered, in the audit log -> its address */

struct backup_job {
	struct str phrase;
	struct age_key key;
	bool is_made;
};

struct ordering {
	struct backup_order body; /* first: the pre-handler checks read the request into it */
	struct authentication authentication;
	struct backup_job job;
	struct backup_order_row row;
};

static struct step_result ordered(struct task *task)
{
	struct ordering *ordering = task_state(task);
	struct backup_token token = {
	    .ends_s = clock_common_us() / 1000000 + BACKUP_TOKEN_LIFE_S,
	    .session_id = web_session_id(task),
	    .key = ordering->job.key,
	};
	char text[BACKUP_TOKEN_LENGTH + 1];
	struct backup_place place;

	if (task_row_count(task) == 0)
		return web_fail_outdated(task);
	if (ordering->row.is_busy)
		return task_fail(task, PROBLEM_BACKUP_RUNNING,
				 "another backup is being made, try again when it is done");
	backup_token_write(web_service_of(task)->api.settings_key, &token, text);
	sodium_memzero(&token, sizeof(token));
	sodium_memzero(&ordering->job.key, sizeof(ordering->job.key));
	web_changed(task, (struct id){0}, "admin");
	place.url = ARENA_JOIN(task_arena(task), STR("web/admin/backups/"), str_from(text));
	return task_reply_record(task, 201, &backup_place_record, &place);
}

static struct step_result key_made(struct task *task)
{
	struct ordering *ordering = task_state(task);

	if (!ordering->job.is_made)
		return task_fail_busy(task, PROBLEM_MEMORY_FULL, 1,
				      "no memory is left for the pass phrase, try again");
	statement_backup_order(task_new_query(task),
			       &(struct backup_order_parameters){
				   .actor_id = task_account_id(task),
				   .password_hash = ordering->authentication.password_hash,
				   .credential_id = ordering->authentication.credential_id,
				   .session_id = web_session_id(task),
				   .address = web_address(task),
			       },
			       &ordering->row);
	return task_query(task, ordered);
}

static bool backup_order_run(void *argument)
{
	struct backup_job *job = argument;

	job->is_made = age_key_make(job->phrase, &job->key);
	return false;
}

static struct step_result proven(struct task *task)
{
	struct ordering *ordering = task_state(task);

	if (ordering->authentication.fault)
		return web_fail_authentication(task, &ordering->authentication, "password");
	ordering->job.phrase = ordering->body.pass_phrase;
	return task_work(task, LANE_KNOWN_PASSWORD,
			 &(struct task_work){
			     .run = backup_order_run,
			     .argument = &ordering->job,
			     .size = 1,
			     .share = web_address_id(task),
			     .network = web_network_id(task),
			 },
			 key_made);
}

static struct step_result backup_order_begin(struct task *task)
{
	struct ordering *ordering = task_state(task);

	return web_reauthenticate(task, &ordering->authentication, &ordering->body.authentication,
				  proven);
}

ENDPOINT_BACKUP_ORDER(.handler = backup_order_begin, .state_size = sizeof(struct ordering));
