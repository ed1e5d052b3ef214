#include "base/clock.h"
#include "base/limits.h"
#include "domain/device_reference.h"
#include "task/key_cache.h"
#include "task_private.h"

/* What comes before every handler, in the API's order of checks:
 *
 *   key (401) -> rate (429) -> body size (413) -> media type (415) -> JSON syntax (400)
 *     -> resource exists (404) -> permission (403) -> device's rate (429) -> body fields (400)
 *     -> handler
 */

static task_step check_rate;
static task_step read_body;
static task_step find_resource;
static task_step check_body;

/* ---- key ---- */

/* A field that may stand only once; its value is ambiguous where it stands more often. */
enum field_count { FIELD_ABSENT, FIELD_SINGLE, FIELD_REPEATED };

static enum field_count single_field(const struct http_request *request, struct str name,
				     struct str *ret_value)
{
	enum field_count count = FIELD_ABSENT;

	for (unsigned i = 0; i < request->field_count; i++) {
		if (!str_equal_ignore_case(request->fields[i].name, name))
			continue;
		if (count != FIELD_ABSENT)
			return FIELD_REPEATED;
		*ret_value = request->fields[i].value;
		count = FIELD_SINGLE;
	}
	return count;
}

static struct verdict refuse_key(struct task *task, bool was_sent)
{
	task_add_field(task, STR("WWW-Authenticate"),
		       was_sent ? STR("Bearer realm=\"displayd\", error=\"invalid_token\"")
				: STR("Bearer realm=\"displayd\""));
	return task_fail(task, 401,
			 was_sent ? "the API key is not valid"
				  : "an API key is needed: Authorization: Bearer <key>");
}

struct verdict task_fail_key(struct task *task)
{
	return refuse_key(task, /* was_sent= */ true);
}

static const struct record_field key_fields[] = {
    RECORD_ID(struct task, account_id, .column = "account_id"),
};
static const struct record key_record = RECORD(key_fields);

static struct verdict on_key_found(struct task *task)
{
	if (task->row_count == 0)
		return task_fail_key(task);
	key_cache_insert(task->service->keys, task->key_hash, task->account_id, task->key_epoch);
	return task_continue(task, check_rate);
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

static struct verdict check_key(struct task *task)
{
	struct str value, token;

	switch (single_field(task->request, STR("authorization"), &value)) {
	case FIELD_ABSENT:
		return refuse_key(task, /* was_sent= */ false);
	case FIELD_REPEATED:
		/* RFC 9110 section 5.3: never sent by who means well, and whose would count? */
		return task_fail_key(task);
	case FIELD_SINGLE:
		break;
	}
	if (!bearer_token(value, &token))
		return refuse_key(task, /* was_sent= */ false);
	if (!api_key_is_well_formed(token))
		return task_fail_key(task);
	key_hash(token, task->key_hash);
	if (key_cache_find(task->service->keys, task->key_hash, &task->account_id))
		return task_continue(task, check_rate);
	task->key_epoch = key_cache_epoch(task->service->keys);
	db_add_bytes(task_parameters(task),
		     (struct str){(const char *)task->key_hash, sizeof(task->key_hash)});
	return task_query(task, STATEMENT_KEY_FIND, &key_record, task, on_key_found);
}

/* ---- rate ---- */

/* The fields of the IETF httpapi draft "RateLimit header fields for HTTP". A second policy stands
 * in the same fields as the first. */
static void add_rate_fields(struct task *task, const struct rate_policy *policy,
			    const struct rate_result *result)
{
	struct http_response *response = &task->response;
	struct arena *arena = task_arena(task);
	unsigned window_s = (policy->burst + policy->per_second - 1) / policy->per_second;
	struct str name = str_from(policy->name);
	struct str quota =
	    ARENA_JOIN(arena, STR("\""), name, STR("\";q="), arena_decimal(arena, policy->burst),
		       STR(";w="), arena_decimal(arena, window_s));
	struct str state = ARENA_JOIN(arena, STR("\""), name, STR("\";r="),
				      arena_decimal(arena, result->remaining), STR(";t="),
				      arena_decimal(arena, result->reset_s));

	for (unsigned i = 0; i + 1 < response->field_count; i++) {
		struct http_field *field = &response->fields[i];

		if (str_equal(field->name, STR("RateLimit-Policy"))) {
			field[0].value = ARENA_JOIN(arena, field[0].value, STR(", "), quota);
			field[1].value = ARENA_JOIN(arena, field[1].value, STR(", "), state);
			return;
		}
	}
	task_add_field(task, STR("RateLimit-Policy"), quota);
	task_add_field(task, STR("RateLimit"), state);
}

static bool take_token(struct task *task, const struct rate_policy *policy, struct id id,
		       unsigned *ret_retry_after_s)
{
	struct rate_result result;

	if (policy->per_second == 0)
		return true;
	result = rate_take(task->service->rates, policy, id, clock_monotonic_us());
	add_rate_fields(task, policy, &result);
	*ret_retry_after_s = result.retry_after_s;
	return result.is_allowed;
}

static struct verdict fail_rate(struct task *task, const struct rate_policy *policy,
				unsigned retry_after_s, const char *of_what)
{
	task_add_field(task, STR("Retry-After"), arena_decimal(task_arena(task), retry_after_s));
	return task_fail(task, 429, "more than %u requests a second %s", policy->per_second,
			 of_what);
}

static struct verdict check_rate(struct task *task)
{
	const struct rate_policy *policy = &task->service->key_rate;
	char text[ID_TEXT_LENGTH + 1];
	unsigned retry_after_s;
	struct id key_id;

	id_format(task->account_id, text);
	task->request->log_account = arena_copy(task_arena(task), str_from(text));
	/* The first bytes of the key's hash stand for the key. */
	memcpy(key_id.bytes, task->key_hash, sizeof(key_id.bytes));
	if (!take_token(task, policy, key_id, &retry_after_s))
		return fail_rate(task, policy, retry_after_s, "with this key");
	return task_continue(task, read_body);
}

/* ---- body ---- */

static bool is_json(const struct http_request *request)
{
	struct str value, type;

	if (single_field(request, STR("content-type"), &value) != FIELD_SINGLE)
		return false;
	type = (struct str){value.data, str_find(value, ';')};
	return str_equal_ignore_case(str_trim(type), STR("application/json"));
}

static struct verdict parse_body(struct task *task)
{
	struct str reason;

	if (!is_json(task->request))
		return task_fail(task, 415,
				 "the body must be JSON, with Content-Type: "
				 "application/json");
	if (!json_parse(task->request->body, task_arena(task), &task->document, &reason))
		return task_fail(task, 400, "%.*s", STR_ARG(reason));
	return task_continue(task, find_resource);
}

static struct verdict fail_body(struct task *task)
{
	switch (task->body_status) {
	case 413:
		return task_fail(task, 413, "the body is larger than %zu bytes", task->body_max);
	case 408:
		return task_fail(task, 408, "the body came too slowly");
	case 503:
		return task_fail_busy(task, 1, "too many large bodies are under way, try again");
	default:
		return task_fail(task, 400, "the body's transfer coding is malformed or cut off");
	}
}

static void on_body(struct http_request *request, int status)
{
	struct task *task = request->handler_data;

	task->body_status = status;
	task_run(task, status ? fail_body : parse_body);
}

static struct verdict read_body(struct task *task)
{
	const struct endpoint *endpoint = task->endpoint;

	if (!endpoint->body)
		return task_continue(task, find_resource);
	task->body_max =
	    endpoint->body_max_bytes ? endpoint->body_max_bytes : LIMIT_REQUEST_BODY_BYTES;
	if (!task->request->has_body)
		return task_continue(task, parse_body);
	http_request_read_body(task->request, task->body_max, on_body);
	return task_wait(task, NULL);
}

/* ---- device ---- */

static struct verdict fail_no_device(struct task *task)
{
	return task_fail(task, 404, "there is no such device");
}

static struct verdict on_device_found(struct task *task)
{
	char text[ID_TEXT_LENGTH + 1];

	if (task->row_count == 0)
		return fail_no_device(task);
	id_format(task->device.id, text);
	task->request->log_device = arena_copy(task_arena(task), str_from(text));
	if (!id_equal(task->device.account_id, task->account_id))
		return task_fail(task, 403, "the device belongs to another account");
	return task_continue(task, check_body);
}

static struct verdict find_device(struct task *task)
{
	struct db_parameters *parameters;
	struct device_reference reference;
	enum statement statement;

	reference = device_reference_parse(task_path_parameter(task, 0));
	parameters = task_parameters(task);
	switch (reference.kind) {
	case DEVICE_REFERENCE_ID:
		db_add_id(parameters, reference.id);
		statement = STATEMENT_DEVICE_BY_ID;
		break;
	case DEVICE_REFERENCE_SERIAL:
		db_add_text(parameters, reference.serial);
		statement = STATEMENT_DEVICE_BY_SERIAL;
		break;
	case DEVICE_REFERENCE_MAC:
		db_add_bytes(parameters,
			     arena_copy(task_arena(task), (struct str){(const char *)reference.mac,
								       sizeof(reference.mac)}));
		statement = STATEMENT_DEVICE_BY_MAC;
		break;
	default:
		return fail_no_device(task);
	}
	return task_query(task, statement, &device_record, &task->device, on_device_found);
}

/* ---- app ---- */

static const struct record_field app_fields[] = {
    RECORD_ID(struct task_app, id, .column = "id"),
    RECORD_ID(struct task_app, account_id, .column = "account_id"),
    RECORD_BOOL(struct task_app, is_private, .column = "is_private"),
};
static const struct record app_record = RECORD(app_fields);

static struct verdict on_app_found(struct task *task)
{
	if (task->row_count == 0)
		return task_fail(task, 404, "there is no such app");
	if (!id_equal(task->app.account_id, task->account_id))
		return task_fail(task, 403, "the app belongs to another account");
	return task_continue(task, check_body);
}

static struct verdict find_app(struct task *task)
{
	struct db_parameters *parameters = task_parameters(task);
	struct str name = task_path_parameter(task, 0);
	enum statement statement = STATEMENT_APP_BY_SLUG;
	struct id id;

	if (id_parse(name, &id)) {
		db_add_id(parameters, id);
		statement = STATEMENT_APP_BY_ID;
	} else {
		db_add_text(parameters, name);
	}
	return task_query(task, statement, &app_record, &task->app, on_app_found);
}

static struct verdict find_resource(struct task *task)
{
	switch (task->endpoint->resource) {
	case RESOURCE_DEVICE:
		return task_continue(task, find_device);
	case RESOURCE_APP:
		return task_continue(task, find_app);
	default:
		return task_continue(task, check_body);
	}
}

/* ---- body fields, and the device's own rate ---- */

static struct verdict check_body(struct task *task)
{
	const struct rate_policy *policy = &task->service->push_rate;
	unsigned retry_after_s;
	uint64_t present;

	if (task->endpoint->is_device_limited &&
	    !take_token(task, policy, task->device.id, &retry_after_s))
		return fail_rate(task, policy, retry_after_s, "to this device");
	if (task->endpoint->body) {
		record_read_json(task->endpoint->body, task->document.root, task->state, &present,
				 &task->faults);
		if (task->faults.count && !task->endpoint->handles_faults)
			return task_fail_faults(task);
		task->present = present;
	}
	return task_continue(task, task->endpoint->handler);
}

struct verdict task_prologue(struct task *task)
{
	if (task->endpoint->access == ACCESS_PUBLIC)
		return task_continue(task, task->endpoint->handler);
	return task_continue(task, check_key);
}
