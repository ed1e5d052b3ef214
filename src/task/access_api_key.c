#include "base/clock.h"
#include "domain/key.h"
#include "task/access.h"
#include "task/failed_attempts.h"
#include "task/key_cache.h"
#include "task/key_hashes.h"
#include "task/key_uses.h"
#include "task_private.h"

/* API key, of which the database has the SHA-256. */

struct key_access {
	uint8_t hash[KEY_HASH_BYTES];
	struct key_moment asked;
	struct key_find_row found;
	struct device_key_find_row device; /* device whose own key it is */
	struct key_scope scope;
};

/* RFC 6750 section 3: an error code only if a key was sent. */
static struct step_result refuse_missing(struct task *task)
{
	task_add_field(task, STR("WWW-Authenticate"), STR("Bearer realm=\"displayd\""));
	return task_fail(task, PROBLEM_KEY_MISSING,
			 "an API key is needed: Authorization: Bearer <key>");
}

static struct step_result refuse_invalid(struct task *task)
{
	task_add_field(task, STR("WWW-Authenticate"),
		       STR("Bearer realm=\"displayd\", error=\"invalid_token\""));
	return task_fail(task, PROBLEM_KEY_INVALID, "the API key is not valid");
}

static struct step_result admit(struct task *task, const struct key_known *known)
{
	struct key_access *key = task_access_state(task);
	struct caller caller = {.account_id = known->account_id, .rate = &task->service->key_rate};

	key->scope = known->scope;
	key->scope.devices = arena_copy(task_arena(task), known->scope.devices);
	task->key_scope = &key->scope;
	task->key_hash = key->hash;

	/* The first bytes of the key's hash stand for the key. */
	memcpy(caller.rate_id.bytes, key->hash, sizeof(caller.rate_id.bytes));
	return task_admit(task, &caller);
}

static struct step_result on_key_found(struct task *task)
{
	struct key_access *key = task_access_state(task);
	struct key_known known;

	if (task_row_count(task) == 0) {
		key_cache_forget(task->service->keys, key->hash);
		failed_attempts_count(task->service, task->request->remote_address);
		return refuse_invalid(task);
	}
	key_uses_note(task->service->key_uses, key->found.id);
	known = (struct key_known){
	    .account_id = key->found.account_id,
	    .scope = {.devices = key->found.devices, .ends_at_us = key->found.ends_at},
	};
	/* A newer program has made the key, with an unknown scope. */
	if (!key_level_parse(key->found.scope, &known.scope.level))
		return refuse_invalid(task);
	key_cache_insert(task->service->keys, key->hash, &known, key->asked);
	return admit(task, &known);
}

/* The token of "Bearer <token>"; the scheme is case-insensitive (RFC 9110 section 11.1). */
static bool bearer_token(struct str value, struct str *ret_token)
{
	struct str scheme = {value.data, str_find(value, ' ')};

	if (!str_equal_ignore_case(scheme, STR("bearer")) || scheme.length == value.length)
		return false;
	*ret_token = str_trim(str_from_offset(value, scheme.length));
	return true;
}

bool access_bearer_token(struct task *task, struct str *ret_token)
{
	struct str value;

	return task_single_field(task, STR("authorization"), &value) == FIELD_SINGLE &&
	       bearer_token(value, ret_token);
}

/* Reads a key that an older client sends without a scheme. A value of two words has another scheme.
 */
static bool bare_token(struct str value, struct str *ret_token)
{
	*ret_token = value;
	return value.length && str_find(value, ' ') == value.length;
}

/* ---- a device's own key ---- */

static struct step_result on_device_found(struct task *task)
{
	struct key_access *key = task_access_state(task);
	struct caller caller = {.account_id = key->device.account_id,
				.rate = &task->service->key_rate,
				.rate_id = key->device.id};

	if (task_row_count(task) == 0) {
		failed_attempts_count(task->service, task->request->remote_address);
		return refuse_invalid(task);
	}
	key->scope = (struct key_scope){
	    .level = KEY_LEVEL_DEVICES,
	    .devices = {(const char *)key->device.id.bytes, ID_BYTES},
	};
	task->key_scope = &key->scope;
	task->has_device_key = true;
	return task_admit(task, &caller);
}

static struct step_result find_device(struct task *task, struct str token)
{
	struct key_access *key = task_access_state(task);
	struct step_result answer;

	if (task_fails_too_often(task, "keys", &answer))
		return answer;
	key_hash_again(token, key->hash);
	statement_device_key_find(task_new_query(task),
				  &(struct device_key_find_parameters){
				      .link_key_hash = {(const char *)key->hash, KEY_HASH_BYTES}},
				  &key->device);
	return task_query(task, on_device_found);
}

/* ---- the request's key ---- */

static struct step_result access_api_key_check(struct task *task, bool is_v0)
{
	struct key_access *key = task_access_state(task);
	const struct key_known *known;
	struct str value, token;
	struct step_result answer;

	switch (task_single_field(task, STR("authorization"), &value)) {
	case FIELD_ABSENT:
		return refuse_missing(task);
	case FIELD_REPEATED:
		/* RFC 9110 section 5.3: with two fields it is unclear which counts, and no honest
		 * client sends two. */
		return refuse_invalid(task);
	case FIELD_SINGLE:
		break;
	}
	if (!bearer_token(value, &token) && !(is_v0 && bare_token(value, &token)))
		return refuse_missing(task);
	if (is_v0 && link_key_is_well_formed(token))
		return find_device(task, token);
	if (!api_key_is_well_formed(token))
		return refuse_invalid(task);
	key_hash_again(token, key->hash);
	known = key_cache_find(task->service->keys, key->hash, clock_common_us());
	if (known)
		return admit(task, known);
	if (!key_cache_knows(task->service->keys, key->hash) &&
	    task_fails_too_often(task, "keys", &answer))
		return answer;
	key->asked = key_cache_now(task->service->keys);
	statement_key_find(
	    task_new_query(task),
	    &(struct key_find_parameters){.secret_hash = {(const char *)key->hash, KEY_HASH_BYTES}},
	    &key->found);
	return task_query(task, on_key_found);
}

static struct step_result check_key(struct task *task)
{
	return access_api_key_check(task, false);
}

static struct step_result check_key_or_bare_key(struct task *task)
{
	return access_api_key_check(task, true);
}

const struct access access_api_key = {
    .metric = METRIC_ACCESS_API_KEY,
    .check = check_key,
    .refuse = refuse_invalid,
    .state_size = sizeof(struct key_access),
    .allows_other_origins = true,
    .is_personal = true,
};

const struct access access_v0_api_key = {
    .metric = METRIC_ACCESS_API_KEY,
    .check = check_key_or_bare_key,
    .refuse = refuse_invalid,
    .state_size = sizeof(struct key_access),
    .allows_other_origins = true,
    .is_personal = true,
};
