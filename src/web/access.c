#include "access.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/require.h"
#include "db/statements.h"
#include "domain/key.h"
#include "fields.h"
#include "task/failed_attempts.h"
#include "web/people/cookie.h"
#include "web/people/known_browser.h"
#include "web/people/known_sessions.h"

#include <text/address.h>

enum { ADDRESS_NETWORK_BYTES = 8 };

struct session_access {
	uint8_t hash[KEY_HASH_BYTES];
	bool has_secret;
	bool is_found;
	task_step *found; /* next step of the kind, even if there is no session */
	struct session_find_row row;
	struct started *fresh;		       /* state of session_start.c */
	struct authentication *authentication; /* state of authentication.c */
};

struct web_service *web_service_of(struct task *task)
{
	return container_of(task_service(task), struct web_service, api.service);
}

/* Returns NULL if the caller is the operator, who has no session. */
static struct session_access *state(struct task *task)
{
	return task_is_of_operator(task) ? NULL : task_access_state(task);
}

const struct person *web_person(struct task *task)
{
	const struct session_access *access = state(task);

	return access && access->is_found ? &access->row.person : NULL;
}

struct id web_session_id(struct task *task)
{
	const struct session_access *access = state(task);

	return access ? access->row.session_id : access_operator_session();
}

bool web_session_is_lasting(struct task *task)
{
	const struct session_access *access = state(task);

	return access && access->row.is_lasting;
}

struct str web_session_hash(struct task *task)
{
	const struct session_access *access = state(task);

	if (!access || !access->has_secret)
		return (struct str){0};
	return (struct str){(const char *)access->hash, KEY_HASH_BYTES};
}

struct started **web_fresh_session(struct task *task)
{
	struct session_access *access = state(task);

	require(access);
	return &access->fresh;
}

struct authentication **web_authentication(struct task *task)
{
	struct session_access *access = state(task);

	require(access);
	return &access->authentication;
}

struct str web_address(struct task *task)
{
	return task_request(task)->remote_address;
}

struct id web_address_id(struct task *task)
{
	struct address address;
	struct network mapped = {.bits = 96};
	struct id id = {.bytes = {0xff}}; /* for peers of unix sockets: no address begins so */

	if (!address_read(web_address(task), &address))
		return id;
	mapped.address.bytes[10] = mapped.address.bytes[11] = 0xff;
	memcpy(id.bytes, address.bytes, sizeof(id.bytes));
	if (!network_has(&mapped, &address)) {
		memset(id.bytes + ADDRESS_NETWORK_BYTES, 0, ID_BYTES - ADDRESS_NETWORK_BYTES);
		id.bytes[ID_BYTES - 1] = 1; /* not all zero, which means no ID */
	}
	return id;
}

struct id web_network_id(struct task *task)
{
	struct address address;
	struct id id = {0};

	if (!address_read(web_address(task), &address))
		return id;
	address_cut_to_network(&address);
	memcpy(id.bytes, address.bytes, sizeof(id.bytes));
	return id;
}

bool web_known_browser(struct task *task, struct id *ret_id)
{
	const struct web_service *web = web_service_of(task);

	if (known_browser_read(
		web->api.settings_key, clock_common_us() / 1000000,
		cookie_find(task_request(task), str_from(site_browser_cookie_name(&web->site))),
		ret_id))
		return true;
	if (!web_person(task))
		return false;
	/* Count by account, not by session: each sign-in makes a session, which would allow more
	 * attempts at other accounts. */
	*ret_id = web_person(task)->id;
	return true;
}

struct step_result web_refuse(struct task *task)
{
	task_add_field(task, STR("WWW-Authenticate"), STR("Session realm=\"displayd\""));
	return task_fail(task, PROBLEM_NOT_SIGNED_IN, "nobody is signed in");
}

struct step_result web_refuse_member(struct task *task)
{
	return task_fail(task, PROBLEM_NOT_ADMINISTRATOR, "only administrators may do this");
}

struct step_result web_refuse_all_but_operator(struct task *task)
{
	return task_fail(task, PROBLEM_NOT_OPERATOR,
			 "only the operator of the machine may do this, with displayctl");
}

/* ---- the check ---- */

static struct step_result admit(struct task *task)
{
	struct caller caller = {
	    .account_id = web_person(task)->id,
	    .rate = &web_service_of(task)->session_rate,
	    .rate_id = web_session_id(task),
	};

	return task_admit(task, &caller);
}

static struct step_result admit_signed_in(struct task *task)
{
	return web_person(task) ? admit(task) : web_refuse(task);
}

static struct step_result admit_administrator(struct task *task)
{
	const struct person *person = web_person(task);

	if (!person)
		return web_refuse(task);
	if (!person->is_administrator)
		return web_refuse_member(task);
	return admit(task);
}

static struct step_result admit_reviewer(struct task *task)
{
	const struct person *person = web_person(task);

	if (!person)
		return web_refuse(task);
	if (!person->is_reviewer)
		return task_fail(task, PROBLEM_NOT_REVIEWER, "only reviewers may do this");
	return admit(task);
}

static struct step_result admit_visitor(struct task *task)
{
	struct id id;

	if (!web_known_browser(task, &id))
		id = web_address_id(task);
	return task_admit_visitor(task, &web_service_of(task)->visitor_rate, id);
}

static struct step_result touched(struct task *task)
{
	struct session_access *access = task_access_state(task);

	return task_continue(task, access->found);
}

static struct step_result looked_up(struct task *task)
{
	struct session_access *access = task_access_state(task);
	struct known_sessions *known = web_service_of(task)->sessions;

	access->is_found = task_row_count(task) > 0;
	if (access->is_found) {
		known_sessions_add(known, access->hash, access->row.person.id,
				   clock_monotonic_us());
	} else {
		known_sessions_forget(known, access->hash);
		failed_attempts_count(task_service(task), web_address(task));
	}
	if (!access->is_found || !access->row.is_due)
		return task_continue(task, access->found);
	statement_session_used(task_new_query(task),
			       &(struct session_used_parameters){access->row.session_id});
	return task_query(task, touched);
}

/* Limits the reads that invented sessions cause: for an address that has sent many, only known
 * sessions are looked up. A visitor is then anonymous, and may still sign in. */
static bool has_failed_too_often(struct task *task, struct step_result *ret_answer)
{
	struct session_access *access = task_access_state(task);

	if (known_sessions_has(web_service_of(task)->sessions, access->hash))
		return false;
	if (access->found != admit_visitor)
		return task_fails_too_often(task, "session cookies", ret_answer);
	if (failed_attempts_allow(task_service(task), web_address(task)).is_allowed)
		return false;
	*ret_answer = task_continue(task, admit_visitor);
	return true;
}

static struct step_result look_up(struct task *task, task_step *found)
{
	struct session_access *access = task_access_state(task);
	const struct site *site = &web_service_of(task)->site;
	const char *constraint_error = site_refuses(site, task_request(task));
	struct str secret = cookie_find(task_request(task), str_from(site_cookie_name(site)));
	struct step_result answer;

	web_add_fields(task);
	if (constraint_error)
		return task_fail(task, PROBLEM_SITE_REFUSED, "%s", constraint_error);
	access->found = found;
	if (!token_is_well_formed(secret))
		return task_continue(task, found);
	key_hash(secret, access->hash);
	access->has_secret = true;
	if (has_failed_too_often(task, &answer))
		return answer;
	statement_session_find(task_new_query(task),
			       &(struct session_find_parameters){
				   .secret_hash = web_session_hash(task),
				   .idle_s = LIMIT_SESSION_IDLE_S,
				   .life_s = LIMIT_SESSION_S,
				   .lasting_s = LIMIT_SESSION_LASTING_S,
			       },
			       &access->row);
	return task_query(task, looked_up);
}

static struct step_result check_session(struct task *task)
{
	return look_up(task, admit_signed_in);
}

static struct step_result check_administrator(struct task *task)
{
	return look_up(task, admit_administrator);
}

static struct step_result check_reviewer(struct task *task)
{
	return look_up(task, admit_reviewer);
}

static struct step_result check_visitor(struct task *task)
{
	return look_up(task, admit_visitor);
}

const struct access access_session = {
    .metric = METRIC_ACCESS_SESSION,
    .check = check_session,
    .refuse = web_refuse,
    .state_size = sizeof(struct session_access),
    .is_personal = true,
};
const struct access access_administrator = {
    .metric = METRIC_ACCESS_SESSION,
    .check = check_administrator,
    .refuse = web_refuse,
    .state_size = sizeof(struct session_access),
};
const struct access access_reviewer = {
    .metric = METRIC_ACCESS_SESSION,
    .check = check_reviewer,
    .refuse = web_refuse,
    .state_size = sizeof(struct session_access),
};
const struct access access_visitor = {
    .check = check_visitor,
    .refuse = web_refuse,
    .state_size = sizeof(struct session_access),
};
