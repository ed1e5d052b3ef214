#include "session_start.h"
#include "base/clock.h"
#include "base/limits.h"
#include "cookie.h"
#include "domain/key.h"
#include "known_browser.h"
#include "known_sessions.h"
#include "web/access.h"
#include "web/changed.h"

#include <sodium.h>

enum { USER_AGENT_MAX = 200 };

/* Returns the browser's User-Agent; each character that is not plain ASCII becomes a
 * placeholder. */
static struct str user_agent(struct task *task)
{
	struct str said = http_request_field(task_request(task), STR("user-agent"));
	size_t length = said.length < USER_AGENT_MAX ? said.length : USER_AGENT_MAX;
	char *text = arena_alloc(task_arena(task), length + 1);

	for (size_t i = 0; i < length; i++)
		text[i] = said.data[i] >= ' ' && said.data[i] <= '~' ? said.data[i] : '?';
	text[length] = '\0';
	return (struct str){text, length};
}

void web_add_cookie(struct task *task, const char *name, struct str value, int age_s,
		    const char *same_site)
{
	task_add_field(
	    task, STR("Set-Cookie"),
	    arena_printf(task_arena(task), "%s=%.*s; Path=/; Max-Age=%d; %sHttpOnly; SameSite=%s",
			 name, STR_ARG(value), age_s,
			 web_service_of(task)->site.is_https ? "Secure; " : "", same_site));
}

void web_set_cookie(struct task *task, struct str token, bool is_lasting)
{
	int age_s = is_lasting ? LIMIT_SESSION_LASTING_S : LIMIT_SESSION_S;

	task_add_field(task, STR("Cache-Control"), STR("no-store"));
	web_add_cookie(task, site_cookie_name(&web_service_of(task)->site), token,
		       token.length ? age_s : 0, "Lax");
}

/* Marks the browser as known, or for longer. The number of new browsers of an account is limited:
 * else an attacker could use an own account to get any number of buckets. */
static void know_browser(struct task *task, struct id account_id)
{
	static const struct rate_policy new_browsers = {
	    .name = "browsers",
	    .burst = LIMIT_NEW_BROWSERS,
	    .seconds_each = LIMIT_NEW_BROWSERS_S,
	};
	const struct web_service *web = web_service_of(task);
	const char *name = site_browser_cookie_name(&web->site);
	char text[KNOWN_BROWSER_LENGTH + 1];
	int64_t now_s = clock_common_us() / 1000000;
	struct id id;

	if (!known_browser_read(web->api.settings_key, now_s,
				cookie_find(task_request(task), str_from(name)), &id)) {
		if (web->limits_attempts && !rate_take(task_service(task)->rates, &new_browsers,
						       account_id, clock_monotonic_us())
						 .is_allowed)
			return;
		randombytes_buf(id.bytes, sizeof(id.bytes));
	}
	known_browser_write(web->api.settings_key, now_s, id, text);
	web_add_cookie(task, name, str_from(text), LIMIT_KNOWN_BROWSER_S, "Strict");
}

struct step_result web_end_late_sessions(struct task *task, struct id account_id,
					 struct id session_id, task_step *next)
{
	statement_session_end_others(task_new_query(task), &(struct session_end_others_parameters){
							       .account_id = account_id,
							       .id = session_id,
							       .address = web_address(task),
							       .session_id = web_session_id(task),
							   });
	return task_query(task, next);
}

bool web_has_no_sessions(struct task *task, struct step_result *ret_answer)
{
	if (web_service_of(task)->site.can_sign_in)
		return false;
	*ret_answer = task_fail(
	    task, PROBLEM_HTTPS_NEEDED,
	    "signing in is not possible over plain http: the server needs a public URL with https");
	return true;
}

/* Parts of the answer, outside of the endpoint's own state. */
struct started {
	struct person person;
	char token[TOKEN_LENGTH + 1];
	uint8_t hash[KEY_HASH_BYTES];
	bool is_lasting;
};

static struct step_result started(struct task *task)
{
	const struct started *fresh = *web_fresh_session(task);

	/* The account was just changed elsewhere. */
	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_CHALLENGE_USED,
				 "the password or passkey has changed in the meantime, try again");
	known_sessions_add(web_service_of(task)->sessions, fresh->hash, fresh->person.id,
			   clock_monotonic_us());
	web_changed(task, fresh->person.id, "sessions");
	web_changed(task, (struct id){0}, "admin");
	web_set_cookie(task, str_from(fresh->token), fresh->is_lasting);
	know_browser(task, fresh->person.id);
	return task_reply_record(task, 200, &person_record, &fresh->person);
}

struct step_result web_start_session(struct task *task, const struct authentication *authentication)
{
	struct started *fresh = arena_zalloc(task_arena(task), sizeof(*fresh));

	*web_fresh_session(task) = fresh;
	fresh->is_lasting = authentication->stays_signed_in;
	token_new(fresh->token);
	key_hash(str_from(fresh->token), fresh->hash);
	statement_session_start(task_new_query(task),
				&(struct session_start_parameters){
				    .account_id = authentication->account_id,
				    .id = id_new(),
				    .secret_hash = {(const char *)fresh->hash, KEY_HASH_BYTES},
				    .old_secret_hash = web_session_hash(task),
				    .password_hash = authentication->password_hash,
				    .credential_id = authentication->credential_id,
				    .issuer = authentication->issuer,
				    .subject = authentication->subject,
				    .address = web_address(task),
				    .user_agent = user_agent(task),
				    .is_lasting = fresh->is_lasting,
				    .idle_s = LIMIT_SESSION_IDLE_S,
				    .lasting_s = LIMIT_SESSION_LASTING_S,
				    .sessions_max = LIMIT_SESSIONS,
				},
				&fresh->person);
	return task_query(task, started);
}
