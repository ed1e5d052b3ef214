#include "authentication.h"
#include "base/clock.h"
#include "base/limits.h"
#include "challenge.h"
#include "web/access.h"

static struct authentication *authentication_of(struct task *task)
{
	return *web_authentication(task);
}

static struct step_result fail_with(struct task *task, const char *fault)
{
	struct authentication *authentication = authentication_of(task);

	authentication->fault = fault;
	web_attempt_failed(task, &authentication->attempt);
	return task_continue(task, authentication->next);
}

bool web_has_no_passkeys(struct task *task, struct step_result *ret_answer)
{
	if (web_service_of(task)->site.passkey_host[0])
		return false;
	*ret_answer = task_fail(
	    task, PROBLEM_PASSKEYS_UNAVAILABLE,
	    "passkeys are not available: the server needs a public URL with https and a host name");
	return true;
}

struct step_result web_fail_outdated(struct task *task)
{
	return task_fail(task, PROBLEM_CHALLENGE_USED,
			 "the password, passkey or session has changed, or the challenge was "
			 "already answered, try again");
}

struct step_result web_fail_authentication(struct task *task,
					   const struct authentication *authentication,
					   const char *password_name)
{
	return task_fail_field(
	    task, authentication->passkey.credential_id.data ? "passkey" : password_name, "%s",
	    authentication->fault);
}

/* Forgets the attempt if the lane refused it: no password was tried. */
static struct step_result unless_refused(struct task *task, struct step_result result)
{
	if (result.kind == STEP_REPLY)
		web_attempt_forget(task, &authentication_of(task)->attempt);
	return result;
}

/* ---- a password ---- */

static struct step_result password_checked(struct task *task)
{
	struct authentication *authentication = authentication_of(task);
	struct step_result answer;

	if (web_password_failed(task, &authentication->password_job, &answer)) {
		web_attempt_forget(task, &authentication->attempt);
		return answer;
	}
	if (!authentication->password_job.matches)
		return fail_with(task, "is not the password of this account");
	web_attempt_forget(task, &authentication->attempt);
	authentication->account_id = authentication->account.id;
	authentication->password_hash = authentication->account.password_hash;
	return task_continue(task, authentication->next);
}

static struct step_result check_password(struct task *task)
{
	struct authentication *authentication = authentication_of(task);

	authentication->password_job.is_known = authentication->attempt.is_known;
	return unless_refused(
	    task, web_verify_password(task, &authentication->password_job, authentication->password,
				      authentication->account.password_hash, password_checked));
}

static struct step_result account_found(struct task *task)
{
	struct authentication *authentication = authentication_of(task);
	struct id account = id_is_none(authentication->account.id)
				? web_unknown_account(authentication->account.folded)
				: authentication->account.id;

	return web_attempt(task, &authentication->attempt, ATTEMPT_PASSWORD, account,
			   check_password);
}

/* ---- a passkey ---- */

static const char wrong[] = "is not a passkey of this account, or its answer is wrong";

static struct step_result use_noted(struct task *task)
{
	struct authentication *authentication = authentication_of(task);

	if (task_row_count(task) == 0)
		return fail_with(task, "gave an answer that was already used, or is a copy");
	web_attempt_forget(task, &authentication->attempt);
	authentication->account_id = authentication->row.account_id;
	authentication->credential_id = authentication->passkey.credential_id;
	return task_continue(task, authentication->next);
}

static struct step_result passkey_checked(struct task *task)
{
	struct authentication *authentication = authentication_of(task);
	struct challenge challenge;

	if (!authentication->passkey_job->is_right)
		return fail_with(task, wrong);
	if (!challenge_read((const uint8_t *)authentication->row.challenge_key.data,
			    web_session_id(task), clock_common_us() / 1000000, LIMIT_CHALLENGE_S,
			    authentication->challenge, &challenge))
		return fail_with(task, "answered a challenge that is invalid or has expired");
	statement_passkey_used(task_new_query(task),
			       &(struct passkey_used_parameters){
				   .id = authentication->row.id,
				   .sign_count = authentication->passkey_job->sign_count,
				   .challenge = arena_copy(
				       task_arena(task), (struct str){(const char *)challenge.bytes,
								      sizeof(challenge.bytes)}),
				   .life_s = LIMIT_CHALLENGE_S,
			       },
			       &authentication->used);
	return task_query(task, use_noted);
}

/* Whether the passkey belongs to the account that the session and the authenticator name. */
static bool is_of_account(const struct authentication *authentication, struct arena *arena)
{
	struct str handle;

	if (id_is_none(authentication->row.id) ||
	    (!id_is_none(authentication->account_id) &&
	     !id_equal(authentication->account_id, authentication->row.account_id)))
		return false;
	if (!authentication->passkey.user_handle.length)
		return true;
	return passkey_decode(authentication->passkey.user_handle, arena, &handle) &&
	       handle.length == ID_BYTES &&
	       memcmp(handle.data, authentication->row.account_id.bytes, ID_BYTES) == 0;
}

static struct step_result check_passkey(struct task *task)
{
	struct authentication *authentication = authentication_of(task);

	if (!is_of_account(authentication, task_arena(task)))
		return fail_with(task, wrong);
	authentication->passkey_job->algorithm = (int)authentication->row.algorithm;
	authentication->passkey_job->public_key = authentication->row.public_key;
	return unless_refused(task, task_work(task, LANE_KNOWN_PASSWORD,
					      &(struct task_work){
						  .run = passkey_verify,
						  .argument = authentication->passkey_job,
						  .size = 1,
						  .share = web_address_id(task),
						  .network = web_network_id(task),
					      },
					      passkey_checked));
}

static struct step_result passkey_found(struct task *task)
{
	struct authentication *authentication = authentication_of(task);
	struct id account = id_is_none(authentication->row.account_id)
				? web_unknown_account(authentication->passkey.credential_id)
				: authentication->row.account_id;

	return web_attempt(task, &authentication->attempt, ATTEMPT_PASSKEY, account, check_passkey);
}

static struct step_result find_passkey(struct task *task)
{
	struct authentication *authentication = authentication_of(task);
	const struct site *site = &web_service_of(task)->site;
	struct passkey_job *job = arena_zalloc(task_arena(task), sizeof(*job));
	const char *fault;

	authentication->passkey_job = job;
	job->host = site->passkey_host;
	if (!passkey_decode(authentication->passkey.client_data_json, task_arena(task),
			    &job->client_data) ||
	    !passkey_decode(authentication->passkey.authenticator_data, task_arena(task),
			    &job->authenticator_data) ||
	    !passkey_decode(authentication->passkey.signature, task_arena(task), &job->signature))
		return fail_with(task, "is not base64url without padding");
	fault = passkey_read_client(job->client_data, "webauthn.get", site, task_arena(task),
				    &authentication->challenge);
	if (fault)
		return fail_with(task, fault);
	statement_passkey_find(task_new_query(task),
			       &(struct passkey_find_parameters){
				   .credential_id = authentication->passkey.credential_id},
			       &authentication->row);
	return task_query(task, passkey_found);
}

struct step_result web_authenticate(struct task *task, struct authentication *authentication,
				    task_step *next)
{
	bool is_passkey = authentication->passkey.credential_id.data;
	struct step_result answer;

	*web_authentication(task) = authentication;
	authentication->next = next;
	if (is_passkey && web_has_no_passkeys(task, &answer))
		return answer;
	if (web_has_failed_too_often(task, is_passkey ? ATTEMPT_PASSKEY : ATTEMPT_PASSWORD,
				     &answer))
		return answer;
	if (is_passkey)
		return find_passkey(task);
	statement_account_password(
	    task_new_query(task),
	    &(struct account_password_parameters){.email = authentication->email},
	    &authentication->account);
	return task_query(task, account_found);
}

struct step_result web_reauthenticate(struct task *task, struct authentication *authentication,
				      const struct reauthentication *body, task_step *next)
{
	authentication->email = web_person(task)->email;
	authentication->password = body->password;
	authentication->passkey = body->passkey;
	authentication->account_id = task_account_id(task);
	return web_authenticate(task, authentication, next);
}
