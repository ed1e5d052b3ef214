#include "proof.h"
#include "base/clock.h"
#include "base/limits.h"
#include "challenge.h"
#include "web/access.h"

static struct proof *proof_of(struct task *task)
{
	return *web_proof(task);
}

static struct step_result fail_with(struct task *task, const char *fault)
{
	struct proof *proof = proof_of(task);

	proof->fault = fault;
	return task_continue(task, proof->next);
}

bool web_has_no_passkeys(struct task *task, struct step_result *ret_answer)
{
	if (web_service_of(task)->site.passkey_host[0])
		return false;
	*ret_answer = task_fail(task, 403,
				"there are no passkeys here: the server needs a public URL with "
				"https and a name");
	return true;
}

struct step_result web_fail_outdated(struct task *task)
{
	return task_fail(task, 409,
			 "the password, passkey or session was changed meanwhile, or the challenge "
			 "was answered before, try again");
}

struct step_result web_fail_proof(struct task *task, const struct proof *proof,
				  const char *password_name)
{
	return task_fail_field(task, proof->passkey.credential_id.data ? "passkey" : password_name,
			       "%s", proof->fault);
}

/* Forgets the attempt if the lane refused it: no password was tried. */
static struct step_result unless_refused(struct task *task, struct step_result result)
{
	if (result.kind == STEP_REPLY)
		web_attempt_forget(task, &proof_of(task)->attempt);
	return result;
}

/* ---- a password ---- */

static struct step_result password_checked(struct task *task)
{
	struct proof *proof = proof_of(task);
	struct step_result answer;

	if (web_password_failed(task, &proof->password_job, &answer)) {
		web_attempt_forget(task, &proof->attempt);
		return answer;
	}
	if (!proof->password_job.matches)
		return fail_with(task, "is not the password of this account");
	web_attempt_forget(task, &proof->attempt);
	proof->account_id = proof->account.id;
	proof->password_hash = proof->account.password_hash;
	return task_continue(task, proof->next);
}

static struct step_result check_password(struct task *task)
{
	struct proof *proof = proof_of(task);

	proof->password_job.is_known = proof->attempt.is_known;
	return unless_refused(task,
			      web_verify_password(task, &proof->password_job, proof->password,
						  proof->account.password_hash, password_checked));
}

static struct step_result account_found(struct task *task)
{
	struct proof *proof = proof_of(task);
	struct id account = id_is_none(proof->account.id)
				? web_unknown_account(proof->account.folded)
				: proof->account.id;

	return web_attempt(task, &proof->attempt, ATTEMPT_PASSWORD, account, check_password);
}

/* ---- a passkey ---- */

static const char wrong[] = "is no passkey of this account, or its answer is wrong";

static struct step_result use_noted(struct task *task)
{
	struct proof *proof = proof_of(task);

	if (task_row_count(task) == 0)
		return fail_with(task, "has given an answer that was used before, or was copied");
	web_attempt_forget(task, &proof->attempt);
	proof->account_id = proof->row.account_id;
	proof->credential_id = proof->passkey.credential_id;
	return task_continue(task, proof->next);
}

static struct step_result passkey_checked(struct task *task)
{
	struct proof *proof = proof_of(task);
	struct challenge challenge;

	if (!proof->passkey_job->is_right)
		return fail_with(task, wrong);
	if (!challenge_read((const uint8_t *)proof->row.challenge_key.data, web_session_id(task),
			    clock_wall_us() / 1000000, LIMIT_CHALLENGE_S, proof->challenge,
			    &challenge))
		return fail_with(task, "has answered a challenge that is not, or no longer, good");
	statement_passkey_used(task_new_query(task),
			       &(struct passkey_used_parameters){
				   .id = proof->row.id,
				   .sign_count = proof->passkey_job->sign_count,
				   .challenge = arena_copy(
				       task_arena(task), (struct str){(const char *)challenge.bytes,
								      sizeof(challenge.bytes)}),
				   .life_s = LIMIT_CHALLENGE_S,
			       },
			       &proof->used);
	return task_query(task, use_noted);
}

/* Whether the passkey belongs to the account that the session and the authenticator name. */
static bool is_of_account(const struct proof *proof, struct arena *arena)
{
	struct str handle;

	if (id_is_none(proof->row.id) ||
	    (!id_is_none(proof->account_id) && !id_equal(proof->account_id, proof->row.account_id)))
		return false;
	if (!proof->passkey.user_handle.length)
		return true;
	return passkey_decode(proof->passkey.user_handle, arena, &handle) &&
	       handle.length == ID_BYTES &&
	       memcmp(handle.data, proof->row.account_id.bytes, ID_BYTES) == 0;
}

static struct step_result check_passkey(struct task *task)
{
	struct proof *proof = proof_of(task);

	if (!is_of_account(proof, task_arena(task)))
		return fail_with(task, wrong);
	proof->passkey_job->algorithm = (int)proof->row.algorithm;
	proof->passkey_job->public_key = proof->row.public_key;
	return unless_refused(task, task_work(task, LANE_KNOWN_PASSWORD,
					      &(struct task_work){
						  .run = passkey_verify,
						  .argument = proof->passkey_job,
						  .size = 1,
						  .share = web_address_id(task),
						  .network = web_network_id(task),
					      },
					      passkey_checked));
}

static struct step_result passkey_found(struct task *task)
{
	struct proof *proof = proof_of(task);
	struct id account = id_is_none(proof->row.account_id)
				? web_unknown_account(proof->passkey.credential_id)
				: proof->row.account_id;

	return web_attempt(task, &proof->attempt, ATTEMPT_PASSKEY, account, check_passkey);
}

static struct step_result find_passkey(struct task *task)
{
	struct proof *proof = proof_of(task);
	const struct site *site = &web_service_of(task)->site;
	struct passkey_job *job = arena_zalloc(task_arena(task), sizeof(*job));
	const char *fault;

	proof->passkey_job = job;
	job->host = site->passkey_host;
	if (!passkey_decode(proof->passkey.client_data_json, task_arena(task), &job->client_data) ||
	    !passkey_decode(proof->passkey.authenticator_data, task_arena(task),
			    &job->authenticator_data) ||
	    !passkey_decode(proof->passkey.signature, task_arena(task), &job->signature))
		return fail_with(task, "is not in base64url without padding");
	fault = passkey_read_client(job->client_data, "webauthn.get", site, task_arena(task),
				    &proof->challenge);
	if (fault)
		return fail_with(task, fault);
	statement_passkey_find(
	    task_new_query(task),
	    &(struct passkey_find_parameters){.credential_id = proof->passkey.credential_id},
	    &proof->row);
	return task_query(task, passkey_found);
}

struct step_result web_prove(struct task *task, struct proof *proof, task_step *next)
{
	bool is_passkey = proof->passkey.credential_id.data;
	struct step_result answer;

	*web_proof(task) = proof;
	proof->next = next;
	if (is_passkey && web_has_no_passkeys(task, &answer))
		return answer;
	if (web_has_failed_too_often(task, is_passkey ? ATTEMPT_PASSKEY : ATTEMPT_PASSWORD,
				     &answer))
		return answer;
	if (is_passkey)
		return find_passkey(task);
	statement_account_password(task_new_query(task),
				   &(struct account_password_parameters){.email = proof->email},
				   &proof->account);
	return task_query(task, account_found);
}

struct step_result web_prove_owner(struct task *task, struct proof *proof,
				   const struct proof_body *body, task_step *next)
{
	proof->email = web_person(task)->email;
	proof->password = body->password;
	proof->passkey = body->passkey;
	proof->account_id = task_account_id(task);
	return web_prove(task, proof, next);
}
