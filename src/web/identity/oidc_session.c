#include "base/clock.h"
#include "base/limits.h"
#include "domain/person.h"
#include "id_token.h"
#include "oidc_begin.h"
#include "record/json_memory.h"
#include "record/json_text.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"
#include "web/people/attempts.h"
#include "web/people/cookie.h"
#include "web/people/session_start.h"

#include <sodium.h>

/* POST /web/oidc/session - ends what oidc_begin.c has begun.
 *
 *   begin: the cookie's flow and the state
 *     -> places_known -> exchanged: the code for a token, by the egress
 *       -> keys_known -> verified: the signature, on a worker thread
 *         -> found: a session of the identity's account, or a new account
 *         -> connected: the identity is the signed-in account's from now on */

enum { NAME_CHARACTERS = 100, NAME_BYTES = 4 * NAME_CHARACTERS, EXCHANGE_BYTES_MAX = 64 * 1024 };

/* Work for a thread, which may touch only this. */
struct signature {
	struct issuer_key key;
	struct str text, bytes;
	bool is_right;
};

struct ending {
	struct oidc_answer body; /* first: the pre-handler checks read the request into it */
	struct attempt attempt;
	struct issuer_wait wait;
	struct task *task;
	struct flow flow;
	struct outbound_header headers[4];
	struct outbound_request request;
	struct str answer; /* of the exchange, copied */
	struct id_token token;
	bool asked_for_new_keys;
	struct signature signature;
	struct identity_find_row owner;
	struct identity_register_row registered;
	struct identity_connect_row connected;
};

static struct step_result refuse(struct task *task, const char *reason)
{
	struct ending *ending = task_state(task);

	web_attempt_failed(task, &ending->attempt);
	task_add_field(task, STR("WWW-Authenticate"), STR("Session realm=\"displayd\""));
	return task_fail(task, PROBLEM_IDENTITY_REFUSED, "the sign-in %s; begin again", reason);
}

static struct step_result fail_unavailable(struct task *task)
{
	struct ending *ending = task_state(task);

	web_attempt_forget(task, &ending->attempt);
	return oidc_fail_unavailable(task);
}

static struct str issuer_url(struct task *task)
{
	return str_from(issuer_settings(web_service_of(task)->issuer)->url);
}

/* Returns a name by which the owner knows the identity. */
static struct str label_of(const struct id_token *token)
{
	if (token->email.length && !email_check(token->email))
		return token->email;
	return token->name.length && !device_name_check(token->name) ? token->name
								     : STR("an identity");
}

/* ---- the account ---- */

static struct step_result start_session(struct task *task, struct id account_id)
{
	const struct ending *ending = task_state(task);

	return web_start_session(task, &(struct authentication){
					   .account_id = account_id,
					   .issuer = issuer_url(task),
					   .subject = ending->token.subject,
					   .stays_signed_in = ending->flow.stays_signed_in,
				       });
}

static struct step_result registered(struct task *task)
{
	const struct ending *ending = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(
		    task, PROBLEM_FIRST_ACCOUNT_NEEDED,
		    "create the first account with the link that the server printed at its start");
	return start_session(task, ending->registered.id);
}

/* Makes an account, if anybody may. */
static struct step_result register_identity(struct task *task)
{
	struct ending *ending = task_state(task);
	const struct id_token *token = &ending->token;
	bool has_name = token->name.length && !device_name_check(token->name) &&
			!str_equal_ignore_case(token->name, token->email);

	if (web_service_of(task)->registration != REGISTRATION_OPEN)
		return task_fail(task, PROBLEM_IDENTITY_UNKNOWN,
				 "no account is connected with this identity: sign in with your "
				 "password or passkey, and connect it in your account");
	if (!token->email.length || email_check(token->email))
		return task_fail(task, PROBLEM_IDENTITY_UNKNOWN,
				 "no account is connected with this identity, and the provider has "
				 "verified no e-mail address of it");
	statement_identity_register(task_new_query(task),
				    &(struct identity_register_parameters){
					.id = id_new(),
					.email = token->email,
					.name = has_name ? token->name : STR("Somebody new"),
					.identity_id = id_new(),
					.issuer = issuer_url(task),
					.subject = token->subject,
					.address = web_address(task),
				    },
				    &ending->registered);
	return task_query(task, registered);
}

static struct step_result identity_found(struct task *task)
{
	const struct ending *ending = task_state(task);

	if (task_row_count(task) == 0)
		return register_identity(task);
	return start_session(task, ending->owner.account_id);
}

static struct step_result connected(struct task *task)
{
	if (task_row_count(task) == 0)
		return refuse(task, "was begun in a session that has ended");
	web_changed(task, web_person(task)->id, "account");
	return task_reply_record(task, 200, &person_record, web_person(task));
}

static struct step_result use_identity(struct task *task)
{
	struct ending *ending = task_state(task);

	web_attempt_forget(task, &ending->attempt);
	if (id_is_none(ending->flow.session)) {
		statement_identity_find(task_new_query(task),
					&(struct identity_find_parameters){
					    .issuer = issuer_url(task),
					    .subject = ending->token.subject,
					    .label = label_of(&ending->token),
					},
					&ending->owner);
		return task_query(task, identity_found);
	}
	statement_identity_connect(task_new_query(task),
				   &(struct identity_connect_parameters){
				       .account_id = web_person(task)->id,
				       .session_id = web_session_id(task),
				       .id = id_new(),
				       .issuer = issuer_url(task),
				       .subject = ending->token.subject,
				       .label = label_of(&ending->token),
				       .address = web_address(task),
				   },
				   &ending->connected);
	return task_query(task, connected);
}

/* ---- the token ---- */

static bool verify(void *argument)
{
	struct signature *signature = argument;

	signature->is_right =
	    issuer_key_verifies(&signature->key, signature->text, signature->bytes);
	return false; /* there are no more steps */
}

static struct step_result verified(struct task *task)
{
	const struct ending *ending = task_state(task);

	if (!ending->signature.is_right)
		return refuse(task, "has a token with a wrong signature");
	return use_identity(task);
}

static struct step_result keys_known(struct task *task);

static struct step_result want_keys(struct task *task, enum issuer_part part)
{
	struct ending *ending = task_state(task);

	if (issuer_has(web_service_of(task)->issuer, part, &ending->wait))
		return task_continue(task, keys_known);
	return task_wait(task, keys_known);
}

static struct step_result keys_known(struct task *task)
{
	struct ending *ending = task_state(task);
	const struct id_token *token = &ending->token;
	const struct issuer_keys *keys = issuer_known_keys(web_service_of(task)->issuer);
	const struct issuer_key *key;

	if (!keys)
		return fail_unavailable(task);
	key = issuer_keys_find(keys, token->algorithm, token->key_id);
	if (!key && !ending->asked_for_new_keys) {
		ending->asked_for_new_keys = true;
		return want_keys(task, ISSUER_NEW_KEYS);
	}
	if (!key)
		return refuse(task, "has a token that is signed by an unknown key");
	ending->signature =
	    (struct signature){.key = *key, .text = token->signed_text, .bytes = token->signature};
	return task_work(task, LANE_KNOWN_PASSWORD,
			 &(struct task_work){
			     .run = verify,
			     .argument = &ending->signature,
			     .size = 1,
			     .share = web_address_id(task),
			     .network = web_network_id(task),
			 },
			 verified);
}

static struct str token_of(struct task *task, struct str json)
{
	yyjson_doc *doc =
	    json.length > EXCHANGE_BYTES_MAX
		? NULL
		: yyjson_read_opts((char *)json.data, json.length, 0, &json_memory, NULL);
	struct str text = json_text(yyjson_obj_get(yyjson_doc_get_root(doc), "id_token"));

	if (text.data)
		text = arena_copy(task_arena(task), text);
	yyjson_doc_free(doc);
	return text;
}

static struct step_result exchanged(struct task *task)
{
	struct ending *ending = task_state(task);
	const struct web_issuer *settings = issuer_settings(web_service_of(task)->issuer);
	char nonce[FLOW_TEXT_LENGTH + 1];
	const char *fault;

	if (ending->request.status == 0 || ending->request.status >= 500) {
		web_attempt_forget(task, &ending->attempt);
		return task_fail_busy(task, PROBLEM_IDENTITY_PROVIDER_UNAVAILABLE, ISSUER_AGAIN_S,
				      "%s does not answer: %s", settings->name,
				      ending->request.problem[0] ? ending->request.problem
								 : "it has an error");
	}
	if (ending->request.status != 200)
		return refuse(task, "was not confirmed by the identity provider");
	fault = id_token_read(token_of(task, ending->answer), settings->client_id, task_arena(task),
			      &ending->token);
	flow_text(&ending->flow, FLOW_NONCE, nonce);
	if (!fault)
		fault = id_token_check(&ending->token, &(struct id_token_wanted){
							   .issuer = settings->url,
							   .client_id = settings->client_id,
							   .nonce = str_from(nonce),
							   .now_s = clock_common_us() / 1000000,
						       });
	if (fault)
		return refuse(
		    task,
		    ARENA_JOIN(task_arena(task), STR("has a token that "), str_from(fault)).data);
	return want_keys(task, ISSUER_KEYS);
}

/* ---- the exchange ---- */

static void on_exchanged(struct outbound_request *request)
{
	struct ending *ending = container_of(request, struct ending, request);

	/* A larger answer has no token that is used. */
	if (request->answer.length && request->answer.length <= EXCHANGE_BYTES_MAX)
		ending->answer = arena_copy(task_arena(ending->task), request->answer);
	task_resume(ending->task);
}

/* Returns the value of Authorization (RFC 6749 section 2.3.1). */
static struct str basic(struct arena *arena, const struct web_issuer *settings)
{
	struct str id = oidc_encode(arena, str_from(settings->client_id));
	struct str secret = oidc_encode(arena, str_from(settings->client_secret));
	struct str pair = ARENA_JOIN(arena, id, STR(":"), secret);
	size_t size = sodium_base64_ENCODED_LEN(pair.length, sodium_base64_VARIANT_ORIGINAL);
	char *text = arena_alloc(arena, size);

	sodium_bin2base64(text, size, (const uint8_t *)pair.data, pair.length,
			  sodium_base64_VARIANT_ORIGINAL);
	return ARENA_JOIN(arena, STR("Basic "), str_from(text));
}

static struct str exchange_body(struct task *task, bool shows_secret)
{
	const struct ending *ending = task_state(task);
	const struct web_issuer *settings = issuer_settings(web_service_of(task)->issuer);
	struct arena *arena = task_arena(task);
	struct str code = oidc_encode(arena, ending->body.code);
	struct str back = oidc_encode(arena, oidc_return_url(task));
	struct str client = oidc_encode(arena, str_from(settings->client_id));
	struct str secret = oidc_encode(arena, str_from(settings->client_secret));
	char verifier[FLOW_TEXT_LENGTH + 1];

	flow_text(&ending->flow, FLOW_VERIFIER, verifier);
	return arena_printf(arena,
			    "grant_type=authorization_code&code=%.*s&redirect_uri=%.*s"
			    "&client_id=%.*s&code_verifier=%s%s%.*s",
			    STR_ARG(code), STR_ARG(back), STR_ARG(client), verifier,
			    shows_secret ? "&client_secret=" : "",
			    shows_secret ? (int)secret.length : 0, secret.data);
}

static struct step_result places_known(struct task *task)
{
	struct ending *ending = task_state(task);
	const struct issuer *issuer = web_service_of(task)->issuer;
	const struct issuer_places *places = issuer_places(issuer);
	bool has_secret = issuer_settings(issuer)->client_secret[0];
	unsigned count = 0;

	if (!places)
		return fail_unavailable(task);
	ending->headers[count++] =
	    (struct outbound_header){"content-type", STR("application/x-www-form-urlencoded")};
	ending->headers[count++] = (struct outbound_header){"accept", STR("application/json")};
	ending->headers[count++] = (struct outbound_header){"user-agent", STR("displayd")};
	if (has_secret && !places->takes_secret_in_body)
		ending->headers[count++] = (struct outbound_header){
		    "authorization", basic(task_arena(task), issuer_settings(issuer))};
	ending->request = (struct outbound_request){
	    .scope = STR("sign-in"),
	    .url = arena_copy(task_arena(task), str_from(places->token)),
	    .headers = ending->headers,
	    .header_count = count,
	    .body = exchange_body(task, has_secret && places->takes_secret_in_body),
	    .done = on_exchanged,
	};
	outbound_send(issuer_outbound(issuer), &ending->request);
	return task_wait(task, exchanged);
}

static void on_part(struct issuer_wait *wait)
{
	task_resume(container_of(wait, struct ending, wait)->task);
}

/* Whether the browser has begun this flow, and the session that has asked is still its own. */
static bool is_ours(struct task *task)
{
	struct ending *ending = task_state(task);
	const struct web_service *web = web_service_of(task);
	struct str cookie =
	    cookie_find(task_request(task), str_from(site_issuer_cookie_name(&web->site)));

	return flow_read(web->api.settings_key, clock_common_us() / 1000000, cookie,
			 &ending->flow) &&
	       flow_has_state(&ending->flow, ending->body.state) &&
	       (id_is_none(ending->flow.session) ||
		(web_person(task) && id_equal(ending->flow.session, web_session_id(task))));
}

static struct step_result oidc_session_begin(struct task *task)
{
	struct ending *ending = task_state(task);
	const struct web_service *web = web_service_of(task);
	struct step_result answer;

	if (oidc_is_missing(task, &answer) || web_has_no_sessions(task, &answer) ||
	    web_attempt_of_nobody(task, &ending->attempt, &answer))
		return answer;
	ending->task = task;
	ending->wait.done = on_part;
	if (!is_ours(task))
		return refuse(task, "was not begun in this browser, or too long ago");
	web_add_cookie(task, site_issuer_cookie_name(&web->site), (struct str){0}, 0, "Strict");
	if (issuer_has(web->issuer, ISSUER_PLACES, &ending->wait))
		return task_continue(task, places_known);
	return task_wait(task, places_known);
}

ENDPOINT_OIDC_SESSION(.handler = oidc_session_begin, .state_size = sizeof(struct ending),
		      .refused = web_fail_constraint);
