/* Tests access to endpoints: checks and answers of API keys, a kind of access from another layer,
 * and the rate limit of each. Requests have no connection; answers and statements end here. */
#include "../cmocka_test.h"
#include "db/storage.h"
#include "domain/key.h"
#include "http/listener.h"
#include "http/response.h"
#include "task/access.h"
#include "task/key_cache.h"
#include "task/key_uses.h"
#include "task/service.h"

#include <sodium.h>

/* ---- a server that is none ---- */

struct answer {
	int status;
	char detail[200];
	char challenge[200];
	char limit[200];
	bool has_retry_after;
};

static struct loop loop;
static struct region_map *map;
static struct service service;
static struct answer answer;
static struct db_query *query; /* the query that waits for its result */
static struct id handler_account;

static void copy(char *to, size_t size, struct str from)
{
	snprintf(to, size, "%.*s", STR_ARG(from));
}

static void note_answer(int status, struct str detail, const struct http_response *response)
{
	answer.status = status;
	copy(answer.detail, sizeof(answer.detail), detail);
	for (unsigned i = 0; i < response->field_count; i++) {
		const struct http_field *field = &response->fields[i];

		if (str_equal(field->name, STR("WWW-Authenticate")))
			copy(answer.challenge, sizeof(answer.challenge), field->value);
		if (str_equal(field->name, STR("RateLimit-Policy")))
			copy(answer.limit, sizeof(answer.limit), field->value);
		if (str_equal(field->name, STR("Retry-After")))
			answer.has_retry_after = true;
	}
}

bool __wrap_http_request_is_abandoned(const struct http_request *request);
void __wrap_http_respond(struct http_request *request, const struct http_response *response);
void __wrap_http_respond_problem(struct http_request *request, const struct problem_kind *kind,
				 struct str detail, struct str extra_members,
				 const struct http_response *base);
void __wrap_db_submit(struct db *db, struct db_query *submitted);
struct storage *__wrap_db_storage(struct db *db);
bool __wrap_db_is_read_only(const struct db *db);

bool __wrap_http_request_is_abandoned(const struct http_request *request)
{
	(void)request;
	return false;
}

void __wrap_http_respond(struct http_request *request, const struct http_response *response)
{
	(void)request;
	note_answer(response->status, (struct str){0}, response);
}

void __wrap_http_respond_problem(struct http_request *request, const struct problem_kind *kind,
				 struct str detail, struct str extra_members,
				 const struct http_response *base)
{
	(void)request;
	(void)extra_members;
	note_answer(kind->status, detail, base);
}

void __wrap_db_submit(struct db *db, struct db_query *submitted)
{
	(void)db;
	assert_null(query);
	query = submitted;
}

struct storage *__wrap_db_storage(struct db *db)
{
	(void)db;
	return region_common(map, &storage_region);
}

bool __wrap_db_is_read_only(const struct db *db)
{
	(void)db;
	return false;
}

static int open_service(void **state)
{
	const struct region *const regions[] = {&rate_region, &failed_attempt_region,
						&storage_region};

	(void)state;
	map = region_map_create(regions, array_length(regions), 1);
	if (!map || loop_init(&loop) < 0)
		return -1;
	service = (struct service){
	    .loop = &loop,
	    .keys = key_cache_create(&loop),
	    .key_uses = key_uses_create(&loop, NULL),
	    .rates = region_common(map, &rate_region),
	    .failed_attempts = region_common(map, &failed_attempt_region),
	    .failed_attempt_rate = {.name = "address",
				    .of_what = "from there",
				    .per_second = 1,
				    .burst = 3},
	    .key_rate = {.name = "key", .of_what = "with it", .per_second = 1, .burst = 2},
	};
	key_cache_subscription(service.keys)->on_up(key_cache_subscription(service.keys), true);
	return 0;
}

static int close_service(void **state)
{
	(void)state;
	assert_int_equal(service.task_count, 0);
	key_cache_destroy(service.keys);
	key_uses_destroy(service.key_uses);
	loop_finish(&loop);
	region_map_destroy(map);
	return 0;
}

/* ---- requests ---- */

static struct step_result handle(struct task *task)
{
	handler_account = task_account_id(task);
	return task_reply_empty(task, 200);
}

static const struct endpoint for_keys = {
    .name = "keys", .handler = handle, .access = &access_api_key};

/* Makes one request. Values of its Authorization fields follow, NULL at the end. It may wait for
 * the database: then finish() must end it. */
static struct http_request request;
static const char *remote_address = "unix";

static void begin(const struct endpoint *endpoint, const char *const values[])
{
	static struct http_field fields[4];
	static const struct route route = {HTTP_GET, "/", NULL};
	static const struct http_listener_settings listener = {.role = HTTP_ROLE_PUBLIC};
	struct route_match match = {.route = &route};

	request = (struct http_request){.method = HTTP_GET,
					.listener = &listener,
					.request_id = STR("r"),
					.remote_address = str_from(remote_address),
					.fields = fields};
	for (; values[request.field_count]; request.field_count++)
		fields[request.field_count] = (struct http_field){
		    STR("Authorization"), str_from(values[request.field_count])};
	answer = (struct answer){0};
	query = NULL;
	handler_account = (struct id){0};
	task_start(&service, &request, endpoint, &match);
}

static void finish(void)
{
	arena_finish(&request.arena);
}

static void call(const struct endpoint *endpoint, const char *value)
{
	begin(endpoint, (const char *const[]){value, NULL});
}

static void assert_refused(const char *challenge)
{
	assert_int_equal(answer.status, 401);
	assert_string_equal(answer.challenge, challenge);
	assert_true(id_equal(handler_account, (struct id){0}));
	assert_null(query);
	finish();
}

static const char nothing_sent[] = "Bearer realm=\"displayd\"";
static const char not_valid[] = "Bearer realm=\"displayd\", error=\"invalid_token\"";

static struct id account(uint8_t number)
{
	return (struct id){.bytes = {number}};
}

/* Returns a key that the cache knows: "Bearer <key>". */
static void make_known(char ret_value[static 200], struct id account_id)
{
	const struct key_known known = {.account_id = account_id, .scope.level = KEY_LEVEL_ALL};
	uint8_t hash[KEY_HASH_BYTES];
	char key[API_KEY_LENGTH + 1];

	api_key_new(key);
	key_hash(str_from(key), hash);
	key_cache_insert(service.keys, hash, &known, key_cache_now(service.keys));
	snprintf(ret_value, 200, "Bearer %s", key);
}

#define CASE(name) TEST_IN(name, open_service, close_service)

/* ---- cases ---- */

CASE(no_key_is_asked_for_one)
{
	begin(&for_keys, (const char *const[]){NULL});
	assert_string_equal(answer.detail, "an API key is needed: Authorization: Bearer <key>");
	assert_refused(nothing_sent);
	call(&for_keys, "Basic dXNlcjpwYXNz");
	assert_refused(nothing_sent);
	call(&for_keys, "Bearer");
	assert_refused(nothing_sent);
}

CASE(what_is_no_key_is_refused_without_the_database)
{
	call(&for_keys, "Bearer ");
	assert_refused(not_valid);
	call(&for_keys, "Bearer not-a-key");
	assert_string_equal(answer.detail, "the API key is not valid");
	assert_refused(not_valid);
}

CASE(two_keys_are_refused)
{
	char value[200];

	make_known(value, account(1));
	begin(&for_keys, (const char *const[]){value, value, NULL});
	assert_refused(not_valid);
}

CASE(a_known_key_is_admitted)
{
	char value[200];

	make_known(value, account(7));
	call(&for_keys, value);
	assert_int_equal(answer.status, 200);
	assert_true(id_equal(handler_account, account(7)));
	assert_string_equal(answer.limit, "\"key\";q=2;w=2");
	assert_null(query);
	finish();
	value[0] = 'b'; /* the scheme's case does not matter */
	call(&for_keys, value);
	assert_int_equal(answer.status, 200);
	finish();
}

CASE(a_key_that_the_database_does_not_know)
{
	struct db_result nothing = {.outcome = DB_OK}, unavailable = {.outcome = DB_UNAVAILABLE};
	char value[200];

	make_known(value, account(7));
	key_cache_subscription(service.keys)
	    ->on_up(key_cache_subscription(service.keys), true); /* forgets all */
	call(&for_keys, value);
	assert_int_equal(answer.status, 0);
	assert_non_null(query);
	assert_int_equal(query->statement, STATEMENT_KEY_FIND);
	query->done(query, &nothing);
	query = NULL;
	assert_refused(not_valid);
	call(&for_keys, value);
	query->done(query, &unavailable);
	assert_int_equal(answer.status, 503);
	finish();
}

/* Sends an invalid key from an address. Returns the status. */
static int attempt(const char *address)
{
	const struct db_result nothing = {.outcome = DB_OK};
	char key[API_KEY_LENGTH + 1], value[200];

	api_key_new(key);
	snprintf(value, sizeof(value), "Bearer %s", key);
	remote_address = address;
	call(&for_keys, value);
	if (query)
		query->done(query, &nothing);
	query = NULL;
	remote_address = "unix";
	finish();
	return answer.status;
}

CASE(too_many_failed_attempts_from_one_address)
{
	for (int i = 0; i < 3; i++)
		assert_int_equal(attempt("192.0.2.1"), 401);
	assert_int_equal(attempt("192.0.2.1"), 429);
	assert_string_equal(answer.detail, "too many wrong keys from there, try again");
	assert_string_equal(answer.limit, "\"address\";q=3;w=3");
	assert_true(answer.has_retry_after);
	assert_int_equal(attempt("192.0.2.2"), 401);
	/* A network of 64 bits belongs to one subscriber. */
	for (int i = 0; i < 3; i++)
		assert_int_equal(attempt(i % 2 ? "2001:db8::1" : "2001:db8::ffff:1:1:1"), 401);
	assert_int_equal(attempt("2001:db8::2"), 429);
	assert_int_equal(attempt("2001:db8:0:1::2"), 401);
	/* The address is unknown, or shared by all. */
	for (int i = 0; i < 10; i++) {
		assert_int_equal(attempt("unix"), 401);
		assert_int_equal(attempt("unknown"), 401);
	}
}

CASE(what_costs_no_look_up_is_no_attempt)
{
	char known[200];

	make_known(known, account(7));
	remote_address = "192.0.2.1";
	for (int i = 0; i < 10; i++) {
		call(&for_keys, "Bearer not-a-key");
		assert_refused(not_valid);
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(attempt("192.0.2.1"), 401);
	assert_int_equal(attempt("192.0.2.1"), 429);
	remote_address = "192.0.2.1";
	call(&for_keys, known);
	assert_int_equal(answer.status, 200);
	finish();
	/* The same key, known but expired: it is looked up in spite of the neighbour. */
	loop.uv.time += 6 * 60 * 1000;
	call(&for_keys, known);
	assert_non_null(query);
	query->done(query, &(struct db_result){.outcome = DB_UNAVAILABLE});
	assert_int_equal(answer.status, 503);
	finish();
	remote_address = "unix";
}

CASE(without_rate_limits_anybody_may_fail)
{
	service.failed_attempt_rate.per_second = 0;
	for (int i = 0; i < 10; i++)
		assert_int_equal(attempt("192.0.2.1"), 401);
}

CASE(each_key_has_its_own_rate)
{
	char one[200], other[200];

	make_known(one, account(1));
	make_known(other, account(1));
	for (int i = 0; i < 3; i++) {
		call(&for_keys, one);
		assert_int_equal(answer.status, i < 2 ? 200 : 429);
		finish();
	}
	assert_true(answer.has_retry_after);
	assert_string_equal(answer.detail, "more than 1 requests a second with it");
	assert_true(id_equal(handler_account, (struct id){0}));
	call(&for_keys, other);
	assert_int_equal(answer.status, 200);
	finish();
}

/* ---- a kind that another layer brings ---- */

struct badge_access {
	unsigned checks;
};

static const struct rate_policy badge_rate = {
    .name = "badge", .of_what = "with this badge", .per_second = 1, .burst = 1};

static struct step_result refuse_badge(struct task *task)
{
	task_add_field(task, STR("WWW-Authenticate"), STR("Badge"));
	return task_fail(task, PROBLEM_NOT_SIGNED_IN, "show a badge");
}

static struct step_result check_badge(struct task *task)
{
	struct str badge = http_request_field(task_request(task), STR("authorization"));
	struct badge_access *own = task_access_state(task);
	struct caller caller = {.account_id = account(9), .rate = &badge_rate};

	assert_int_equal(own->checks++, 0);
	if (!str_equal(badge, STR("badge")))
		return refuse_badge(task);
	caller.rate_id = account(10);
	return task_admit(task, &caller);
}

static const struct access badge = {
    .check = check_badge, .refuse = refuse_badge, .state_size = sizeof(struct badge_access)};

static struct step_result handle_gone(struct task *task)
{
	return task_refuse(task);
}

CASE(another_kind_has_its_own_answers_and_rate)
{
	struct endpoint endpoint = {.name = "badge", .handler = handle, .access = &badge};

	call(&endpoint, "nothing");
	assert_string_equal(answer.detail, "show a badge");
	assert_refused("Badge");
	call(&endpoint, "badge");
	assert_int_equal(answer.status, 200);
	assert_true(id_equal(handler_account, account(9)));
	assert_string_equal(answer.limit, "\"badge\";q=1;w=1");
	finish();
	call(&endpoint, "badge");
	assert_int_equal(answer.status, 429);
	assert_string_equal(answer.detail, "more than 1 requests a second with this badge");
	finish();
}

CASE(an_endpoint_for_other_callers)
{
	static const struct endpoint for_badges = {
	    .name = "for_badges", .access = &badge, .same_as = &for_keys};

	call(&for_badges, "nothing");
	assert_refused("Badge");
	call(&for_badges, "badge");
	assert_int_equal(answer.status, 200);
	assert_true(id_equal(handler_account, account(9)));
	finish();
}

CASE(a_caller_whose_account_is_gone)
{
	struct endpoint endpoint = {
	    .name = "gone", .handler = handle_gone, .access = &access_api_key};
	char value[200];

	make_known(value, account(1));
	call(&endpoint, value);
	assert_refused(not_valid);
}

CASE(without_access_anyone_may)
{
	struct endpoint endpoint = {.name = "public", .handler = handle};

	begin(&endpoint, (const char *const[]){NULL});
	assert_int_equal(answer.status, 200);
	assert_string_equal(answer.limit, "");
	finish();
}

int main(void)
{
	if (sodium_init() < 0)
		return 1;
	return run_all_tests(NULL, NULL);
}
