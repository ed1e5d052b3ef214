#include "authentication.h"
#include "base/clock.h"
#include "base/limits.h"
#include "challenge.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* POST /web/passkeys - a new passkey of the account.
 *
 *   begin -> proven: the password or another passkey
 *     -> key_found: check of the challenge
 *       -> registered  on the password lane
 *         -> created */

struct creation {
	struct passkey_creation body; /* first: the pre-handler checks read the request into it */
	struct authentication authentication;
	struct challenge_key_row row;
	struct challenge challenge;
	struct str challenge_text;
	struct passkey_job job;
	struct passkey_entry entry;
};

static struct step_result created(struct task *task)
{
	const struct creation *creation = task_state(task);

	if (task_row_count(task) == 0)
		return web_fail_outdated(task);
	web_changed(task, task_account_id(task), "account");
	web_changed(task, (struct id){0}, "admin");
	return task_reply_record(task, 201, &passkey_entry_record, &creation->entry);
}

static struct step_result registered(struct task *task)
{
	struct creation *creation = task_state(task);

	if (!creation->job.is_right)
		return task_fail_field(
		    task, "authenticatorData",
		    "is not a passkey for this site, or its user was not verified");
	statement_passkey_create(
	    task_new_query(task),
	    &(struct passkey_create_parameters){
		.account_id = task_account_id(task),
		.password_hash = creation->authentication.password_hash,
		.shown_credential_id = creation->authentication.credential_id,
		.session_id = web_session_id(task),
		.id = id_new(),
		.credential_id = str_from(creation->job.credential_id),
		.algorithm = creation->job.algorithm,
		.public_key = creation->job.found_key,
		.sign_count = creation->job.sign_count,
		.name = creation->body.name,
		.challenge = {(const char *)creation->challenge.bytes, CHALLENGE_BYTES},
		.address = web_address(task),
	    },
	    &creation->entry);
	return task_query(task, created);
}

static struct step_result key_found(struct task *task)
{
	struct creation *creation = task_state(task);

	if (!challenge_read((const uint8_t *)creation->row.challenge_key.data, web_session_id(task),
			    clock_common_us() / 1000000, LIMIT_CHALLENGE_S,
			    creation->challenge_text, &creation->challenge))
		return task_fail_field(task, "clientDataJson",
				       "answers a challenge that is invalid or has expired");
	return task_work(task, LANE_KNOWN_PASSWORD,
			 &(struct task_work){
			     .run = passkey_register,
			     .argument = &creation->job,
			     .size = 1,
			     .share = web_address_id(task),
			     .network = web_network_id(task),
			 },
			 registered);
}

static struct step_result proven(struct task *task)
{
	struct creation *creation = task_state(task);

	if (creation->authentication.fault)
		return web_fail_authentication(task, &creation->authentication, "password");
	statement_challenge_key(task_new_query(task), &creation->row);
	return task_query(task, key_found);
}

static struct step_result passkey_create_begin(struct task *task)
{
	struct creation *creation = task_state(task);
	const struct passkey_creation *body = &creation->body;
	const struct site *site = &web_service_of(task)->site;
	struct passkey_job *job = &creation->job;
	struct step_result answer;
	const char *fault;

	if (web_has_no_passkeys(task, &answer))
		return answer;
	job->host = site->passkey_host;
	if (!passkey_decode(body->client_data_json, task_arena(task), &job->client_data))
		return task_fail_field(task, "clientDataJson", "is not base64url without padding");
	if (!passkey_decode(body->authenticator_data, task_arena(task), &job->authenticator_data))
		return task_fail_field(task, "authenticatorData",
				       "is not base64url without padding");
	fault = passkey_read_client(job->client_data, "webauthn.create", site, task_arena(task),
				    &creation->challenge_text);
	if (fault)
		return task_fail_field(task, "clientDataJson", "%s", fault);
	return web_reauthenticate(task, &creation->authentication, &body->authentication, proven);
}

ENDPOINT_PASSKEY_CREATE(.handler = passkey_create_begin, .state_size = sizeof(struct creation),
			.refused = web_fail_constraint);
