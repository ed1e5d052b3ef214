#include "oidc_begin.h"
#include "base/clock.h"
#include "web/access.h"
#include "web/endpoints.h"
#include "web/people/authentication.h"
#include "web/people/session_start.h"

#include <sodium.h>

/* POST /web/oidc/start - begins a sign-in by the identity provider.
 * POST /web/oidc/connection - begins to connect an identity with the signed-in account. */

static const struct record_field place_fields[] = {
    RECORD_STR(struct oidc_beginning, url, .name = "url"),
};
static const struct record place_record = RECORD(struct oidc_beginning, place_fields);

bool oidc_is_missing(struct task *task, struct step_result *ret_answer)
{
	if (web_service_of(task)->issuer)
		return false;
	*ret_answer = task_fail(task, PROBLEM_IDENTITY_PROVIDER_MISSING,
				"this server has no identity provider");
	return true;
}

struct step_result oidc_fail_unavailable(struct task *task)
{
	const struct issuer *issuer = web_service_of(task)->issuer;

	return task_fail_busy(task, PROBLEM_IDENTITY_PROVIDER_UNAVAILABLE, ISSUER_AGAIN_S,
			      "%s cannot be used now: %s", issuer_settings(issuer)->name,
			      issuer_problem(issuer)[0] ? issuer_problem(issuer) : "try again");
}

struct str oidc_encode(struct arena *arena, struct str text)
{
	static const char plain[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
	static const char digits[] = "0123456789ABCDEF";
	char *encoded = arena_alloc(arena, 3 * text.length + 1);
	size_t length = 0;

	for (size_t i = 0; i < text.length; i++) {
		unsigned char c = (unsigned char)text.data[i];

		if (c && strchr(plain, c)) {
			encoded[length++] = (char)c;
			continue;
		}
		encoded[length++] = '%';
		encoded[length++] = digits[c >> 4];
		encoded[length++] = digits[c & 15];
	}
	encoded[length] = '\0';
	return (struct str){encoded, length};
}

struct str oidc_return_url(struct task *task)
{
	return ARENA_JOIN(task_arena(task), str_from(web_service_of(task)->site.public_url),
			  STR("/sign-in"));
}

/* Writes the authentication request (Core 1.0 section 3.1.2.1). */
static struct str request_url(struct task *task, const struct flow *flow)
{
	const struct issuer *issuer = web_service_of(task)->issuer;
	const char *place = issuer_places(issuer)->authorization;
	char state[FLOW_TEXT_LENGTH + 1], nonce[FLOW_TEXT_LENGTH + 1], hash[FLOW_TEXT_LENGTH + 1];
	struct arena *arena = task_arena(task);
	struct str client = str_from(issuer_settings(issuer)->client_id);
	struct str back = oidc_encode(arena, oidc_return_url(task));

	client = oidc_encode(arena, client);
	flow_text(flow, FLOW_STATE, state);
	flow_text(flow, FLOW_NONCE, nonce);
	flow_challenge(flow, hash);
	return arena_printf(arena,
			    "%s%cresponse_type=code&scope=openid%%20email%%20profile&client_id=%.*s"
			    "&redirect_uri=%.*s&state=%s&nonce=%s&code_challenge=%s"
			    "&code_challenge_method=S256",
			    place, strchr(place, '?') ? '&' : '?', STR_ARG(client), STR_ARG(back),
			    state, nonce, hash);
}

struct step_result oidc_reply(struct task *task, struct oidc_beginning *beginning)
{
	const struct web_service *web = web_service_of(task);
	char cookie[FLOW_LENGTH + 1];

	if (!issuer_places(web->issuer))
		return oidc_fail_unavailable(task);
	flow_write(web->api.settings_key, &beginning->flow, cookie);
	web_add_cookie(task, site_issuer_cookie_name(&web->site), str_from(cookie), FLOW_LIFE_S,
		       "Strict");
	task_add_field(task, STR("Cache-Control"), STR("no-store"));
	beginning->url = request_url(task, &beginning->flow);
	return task_reply_record(task, 200, &place_record, beginning);
}

static void on_places(struct issuer_wait *wait)
{
	task_resume(container_of(wait, struct oidc_beginning, wait)->task);
}

struct step_result oidc_begin(struct task *task, struct oidc_beginning *beginning, task_step *next)
{
	beginning->task = task;
	beginning->wait.done = on_places;
	beginning->flow.began_s = clock_common_us() / 1000000;
	randombytes_buf(beginning->flow.secret, sizeof(beginning->flow.secret));
	if (issuer_has(web_service_of(task)->issuer, ISSUER_PLACES, &beginning->wait))
		return task_continue(task, next);
	return task_wait(task, next);
}

/* ---- a sign-in ---- */

struct start_task {
	struct oidc_start body; /* first: the pre-handler checks read the request into it */
	struct oidc_beginning beginning;
};

static struct step_result start_places_known(struct task *task)
{
	struct start_task *state = task_state(task);

	return oidc_reply(task, &state->beginning);
}

static struct step_result oidc_start_begin(struct task *task)
{
	struct start_task *state = task_state(task);
	struct step_result answer;

	if (oidc_is_missing(task, &answer) || web_has_no_sessions(task, &answer))
		return answer;
	state->beginning.flow.stays_signed_in = state->body.stays_signed_in;
	return oidc_begin(task, &state->beginning, start_places_known);
}

ENDPOINT_OIDC_START(.handler = oidc_start_begin, .state_size = sizeof(struct start_task));

/* ---- a connection ---- */

struct connect_task {
	struct reauthentication body; /* first: the pre-handler checks read the request into it */
	struct authentication authentication;
	struct oidc_beginning beginning;
};

static struct step_result connect_places_known(struct task *task)
{
	struct connect_task *state = task_state(task);

	return oidc_reply(task, &state->beginning);
}

static struct step_result proven(struct task *task)
{
	struct connect_task *state = task_state(task);

	if (state->authentication.fault)
		return web_fail_authentication(task, &state->authentication, "password");
	state->beginning.flow.session = web_session_id(task);
	return oidc_begin(task, &state->beginning, connect_places_known);
}

static struct step_result oidc_connect_begin(struct task *task)
{
	struct connect_task *state = task_state(task);
	struct step_result answer;

	if (oidc_is_missing(task, &answer))
		return answer;
	return web_reauthenticate(task, &state->authentication, &state->body, proven);
}

ENDPOINT_OIDC_CONNECT(.handler = oidc_connect_begin, .state_size = sizeof(struct connect_task));
