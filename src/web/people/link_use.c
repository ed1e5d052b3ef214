#include "attempts.h"
#include "base/limits.h"
#include "domain/key.h"
#include "password.h"
#include "session_start.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* POST /web/links/use - uses a one-time link: makes the account or sets the password, and signs in.
 *
 *   begin -> found: what is it for, and is the body as that needs it?
 *     -> hashed: the password's hash
 *       -> made | set -> ended  (the statement removes the link; only one of two requests gets it)
 *         -> web_start_session() */

struct use {
	struct link_use body; /* first: the pre-handler checks read the request into it */
	uint8_t hash[KEY_HASH_BYTES];
	struct link_entry link;
	struct attempt attempt;
	struct password_job job;
	struct person person;
	struct link_set_password_row set;
};

static struct str token_hash(const struct use *use)
{
	return (struct str){(const char *)use->hash, KEY_HASH_BYTES};
}

static bool is_for_password(const struct use *use)
{
	return str_equal(use->link.kind, STR("password"));
}

static struct step_result made(struct task *task)
{
	const struct use *use = task_state(task);

	if (task_row_count(task) == 0)
		return web_fail_link(task);
	return web_start_session(task, &(struct authentication){
					   .account_id = use->person.id,
					   .password_hash = str_from(use->job.new_hash),
				       });
}

static struct step_result ended(struct task *task)
{
	const struct use *use = task_state(task);

	web_changed(task, use->set.id, "sessions");
	return web_start_session(task, &(struct authentication){
					   .account_id = use->set.id,
					   .password_hash = str_from(use->job.new_hash),
				       });
}

static struct step_result set(struct task *task)
{
	const struct use *use = task_state(task);

	if (task_row_count(task) == 0)
		return web_fail_link(task);
	return web_end_late_sessions(task, use->set.id, (struct id){0}, ended);
}

static struct step_result hashed(struct task *task)
{
	struct use *use = task_state(task);
	struct db_query *query = task_new_query(task);
	struct step_result answer;

	if (web_password_failed(task, &use->job, &answer))
		return answer;
	if (is_for_password(use)) {
		statement_link_set_password(query,
					    &(struct link_set_password_parameters){
						.secret_hash = token_hash(use),
						.password_hash = str_from(use->job.new_hash),
						.address = web_address(task),
					    },
					    &use->set);
		return task_query(task, set);
	}
	statement_link_make_account(query,
				    &(struct link_make_account_parameters){
					.secret_hash = token_hash(use),
					.id = id_new(),
					.email = use->body.email,
					.name = use->body.name,
					.password_hash = str_from(use->job.new_hash),
					.address = web_address(task),
				    },
				    &use->person);
	return task_query(task, made);
}

/* Rejects an address other than that of the link, and takes the link's if none was sent. */
static void check_address(struct use *use, const char *fault, struct faults *faults)
{
	if (use->link.email.length && use->body.email.length &&
	    !str_equal_ignore_case(use->link.email, use->body.email))
		faults_add(faults, STR("email"), "%s", fault);
	if (!use->body.email.length)
		use->body.email = use->link.email;
}

/* Checks the fields that a new account needs. */
static void check_account(struct use *use, struct faults *faults)
{
	check_address(use, "must be the address of the invitation", faults);
	if (!use->body.email.length)
		faults_add(faults, STR("email"), "is required");
	if (!use->body.name.length)
		faults_add(faults, STR("name"), "is required");
	else if (str_equal_ignore_case(use->body.name, use->body.email))
		faults_add(faults, STR("name"), "%s", NAME_IS_ADDRESS);
}

static struct step_result fail_attempt(struct task *task)
{
	struct use *use = task_state(task);

	web_attempt_failed(task, &use->attempt);
	return web_fail_link(task);
}

static struct step_result link_use_found(struct task *task)
{
	struct use *use = task_state(task);
	struct faults *faults = task_faults(task);
	const char *fault;

	if (task_row_count(task) == 0)
		return fail_attempt(task);
	web_attempt_forget(task, &use->attempt);
	if (str_equal(use->link.kind, STR("invitation")) &&
	    web_service_of(task)->registration == REGISTRATION_CLOSED)
		return task_fail(task, PROBLEM_REGISTRATION_CLOSED,
				 "this server does not create new accounts");
	if (is_for_password(use))
		check_address(use, "must be the address of the account", faults);
	else
		check_account(use, faults);
	fault = password_check_for(use->body.password, use->body.email, use->body.name);
	if (fault)
		faults_add(faults, STR("password"), "%s", fault);
	if (faults->count)
		return task_fail_faults(task);
	use->job.is_known = use->attempt.is_known;
	return web_hash_password(task, &use->job, use->body.password, hashed);
}

static struct step_result link_use_begin(struct task *task)
{
	struct use *use = task_state(task);
	struct step_result answer;

	if (web_has_no_sessions(task, &answer) ||
	    web_attempt_of_nobody(task, &use->attempt, &answer))
		return answer;
	if (!token_is_well_formed(use->body.token))
		return fail_attempt(task);
	key_hash(use->body.token, use->hash);
	statement_link_find(task_new_query(task), &(struct link_find_parameters){token_hash(use)},
			    &use->link);
	return task_query(task, link_use_found);
}

ENDPOINT_LINK_USE(.handler = link_use_begin, .state_size = sizeof(struct use),
		  .refused = web_fail_constraint);
