/* Tests when apps are rendered: leases, engine runs and stores, with a scripted database and
 * scripted engines. */
#include "db/statements.h"
#include "render/renders.h"
#include "served.h"

#include <errno.h>
#include <string.h>

static struct script_app clock_app;
static struct renders *renders;
static int engines_address;
static struct engines *const engines = (struct engines *)(void *)&engines_address;
static struct engine_job *jobs[8];
static unsigned job_count;
static int submit_error;
static bool has_engines;

/* ---- engines ---- */

int engines_submit(struct engines *them, struct engine_job *job, unsigned *ret_retry_after_s)
{
	assert_ptr_equal(them, engines);
	*ret_retry_after_s = 7;
	if (submit_error)
		return submit_error;
	assert_true(job_count < array_length(jobs));
	jobs[job_count++] = job;
	return 0;
}

static struct str hosts; /* hosts that the next script contacts */

static void answer_job(enum engine_problem_kind kind, const char *picture)
{
	struct engine_job *job = jobs[0];

	memmove(jobs, jobs + 1, --job_count * sizeof(jobs[0]));
	job->answer = (struct engine_answer){
	    .problem = {.kind = kind, .message = STR("something is wrong")},
	    .picture = picture ? str_from(picture) : (struct str){0},
	    .log = STR("printed\n"),
	    .max_age_s = 60,
	    .hosts = hosts,
	};
	job->done(job);
}

void engines_cancel(struct engines *them, struct engine_job *job)
{
	assert_ptr_equal(them, engines);
	assert_ptr_equal(job, jobs[0]);
	answer_job(ENGINE_CANCELLED, NULL);
}

void engine_job_finish(struct engine_job *job)
{
	job->answer = (struct engine_answer){0};
}

bool engines_has(const struct engines *them, enum engine_language language,
		 const char **ret_why_not)
{
	assert_ptr_equal(them, engines);
	*ret_why_not = "not built in";
	return has_engines || language == ENGINE_STARLARK;
}

/* ---- scene ---- */

static int begin(void **state)
{
	serve_begin(state);
	clock_app = (struct script_app){
	    .render_key = "the place of a clock in Zagreb..",
	    .app_id = id_of(500),
	    .version_id = id_of(501),
	    .generation = 1,
	};
	hosts = STR("");
	job_count = 0;
	submit_error = 0;
	has_engines = false;
	renders = renders_create(&(struct renders_settings){
	    .loop = &script_loop, .db = script_db, .delivery = served, .engines = engines});
	return 0;
}

static int end(void **state)
{
	delivery_drain(served);
	renders_drain(renders);
	run_turns();
	for (enum statement i = 0; i < STATEMENT_COUNT; i++)
		answer_all(i, DB_UNAVAILABLE);
	close_sockets();
	run_turns();
	renders_destroy(renders);
	return serve_end(state);
}

static struct script_device *clock_panel(void)
{
	struct script_device *device = add_device();

	add_app(device, "clock", &clock_app);
	connect_device(device);
	return device;
}

static void add_claim_column(const char *column, bool is_leased, int64_t wait_ms)
{
	if (strcmp(column, "is_leased") == 0)
		add_bool(is_leased);
	else if (strcmp(column, "is_supported") == 0 || strcmp(column, "reaches_local") == 0)
		add_bool(true);
	else if (strcmp(column, "wait_ms") == 0)
		add_integer(wait_ms);
	else if (strcmp(column, "device_id") == 0)
		add_bytes(id_of(1).bytes, ID_BYTES);
	else if (strcmp(column, "settings") == 0)
		add_value_text("{\"a\":\"b\"}");
	else if (strcmp(column, "timezone") == 0)
		add_value_text("Europe/Zagreb");
	else if (strcmp(column, "duration_s") == 0)
		add_integer(30);
	else if (strcmp(column, "picture_limit_bytes") == 0)
		add_integer(60000);
	else if (strcmp(column, "script_language") == 0)
		add_value_text("STARLARK");
	else if (strcmp(column, "script_content") == 0)
		add_value_text("def main(): pass");
	else if (strcmp(column, "secret_settings") == 0 || strcmp(column, "javascript") == 0)
		add_null();
	else
		add_value_text("text");
}

static void answer_lease(bool is_leased, int64_t wait_ms)
{
	const struct statement_entry *entry = &statements[STATEMENT_RENDER_LEASE];

	begin_rows(entry->column_count);
	for (unsigned i = 0; i < entry->column_count; i++)
		add_claim_column(entry->column_names[i], is_leased, wait_ms);
	answer(asked(STATEMENT_RENDER_LEASE));
	run_turns();
}

static void answer_store(int64_t generation)
{
	begin_rows(4);
	add_integer(generation);
	add_integer(0);
	add_integer(0);
	add_bytes(clock_app.app_id.bytes, ID_BYTES);
	answer(asked(STATEMENT_RENDER_STORE));
	run_turns();
}

static unsigned claims(void)
{
	run_turns();
	return asked_count(STATEMENT_RENDER_LEASE);
}

/* A parameter of the statement's only open query. */
static struct str parameter(enum statement statement, unsigned number)
{
	const struct db_query *query = asked(statement);

	return (struct str){
	    query->parameters.values[number],
	    query->parameters.values[number] ? (size_t)query->parameters.lengths[number] : 0};
}

#define SCENE(function) TEST_IN(function, begin, end)

/* ---- tests ---- */

SCENE(what_comes_next_is_claimed_rendered_stored_and_told)
{
	const struct engine_job *job;

	clock_panel();
	assert_int_equal(claims(), 1);
	assert_int_equal(job_count, 0); /* not before it is leased */
	answer_lease(true, 0);
	assert_int_equal(job_count, 1);
	job = jobs[0];
	assert_true(str_equal(job->config, STR("{\"a\":\"b\"}")));
	assert_true(str_equal(job->timezone, STR("Europe/Zagreb")));
	assert_int_equal(job->max_duration_ms, 30000);
	assert_int_equal(job->max_whole_ms, 3600000);
	assert_int_equal(job->max_bytes, 60000);
	assert_true(job->has_network && !job->is_preview);
	assert_int_equal(job->now_ms, script_wall_us() / 1000);
	hints_sent();
	answer_job(ENGINE_DONE, "12:00");
	assert_true(str_equal(parameter(STATEMENT_RENDER_STORE, 4), STR("\1")));
	assert_true(str_equal(parameter(STATEMENT_RENDER_STORE, 6), STR("12:00")));
	assert_string_equal(hints_sent(), ""); /* not before it is stored */
	answer_store(9);
	assert_non_null(strstr(hints_sent(), "render:74686520706c616365206f66206120636c6f636b20696"
					     "e205a61677265622e2e:9 "));
	assert_int_equal(asked_count(STATEMENT_RENDER_KEYS), 1);
	assert_int_equal(asked_count(STATEMENT_APP_HOSTS_NOTE), 0);
}

SCENE(hosts_that_were_asked_are_noted_once_it_is_stored)
{
	clock_panel();
	claims();
	answer_lease(true, 0);
	hosts = STR("asked.example.org");
	answer_job(ENGINE_DONE, "12:00");
	assert_int_equal(asked_count(STATEMENT_APP_HOSTS_NOTE), 0);
	answer_store(9);
	assert_memory_equal(parameter(STATEMENT_APP_HOSTS_NOTE, 0).data, id_of(500).bytes,
			    ID_BYTES);
	assert_true(str_equal(parameter(STATEMENT_APP_HOSTS_NOTE, 1), hosts));
}

SCENE(many_panels_have_one_render)
{
	for (unsigned i = 0; i < 8; i++)
		clock_panel();
	assert_int_equal(claims(), 1);
	answer_lease(true, 0);
	pass_ms(7000);
	assert_int_equal(claims(), 0); /* it is under way */
	assert_int_equal(job_count, 1);
}

SCENE(what_another_worker_has_claimed_is_left_to_it)
{
	clock_panel();
	assert_int_equal(claims(), 1);
	answer_lease(false, 12 * 1000);
	assert_int_equal(job_count, 0);
	pass_ms(11 * 1000);
	assert_int_equal(claims(), 0);
	/* The worker has died: its lease has expired. */
	pass_ms(6 * 1000);
	assert_int_equal(claims(), 1);
}

/* A lease that is said to last longer may end early: that is looked at once a minute. */
SCENE(what_another_worker_has_for_long_is_looked_at_again)
{
	clock_panel();
	claims();
	answer_lease(false, 600 * 1000);
	pass_ms(58 * 1000);
	assert_int_equal(claims(), 0);
	pass_ms(10 * 1000);
	assert_int_equal(claims(), 1);
}

SCENE(pictures_of_an_older_engine_are_looked_for)
{
	pass_ms(5000);
	answer_all(STATEMENT_RENDER_OUTDATED, DB_UNAVAILABLE);
	pass_ms(20 * 1000 - 1);
	assert_int_equal(asked_count(STATEMENT_RENDER_OUTDATED), 0);
	pass_ms(1);
	/* None are left: workers of the program before may make some. */
	answer_nothing(asked(STATEMENT_RENDER_OUTDATED), DB_OK);
	pass_ms(15 * 60 * 1000 - 1);
	assert_int_equal(asked_count(STATEMENT_RENDER_OUTDATED), 0);
	pass_ms(1);
	answer_nothing(asked(STATEMENT_RENDER_OUTDATED), DB_OK);
	pass_ms(60 * 60 * 1000);
	assert_int_equal(asked_count(STATEMENT_RENDER_OUTDATED), 0);
}

SCENE(a_busy_engine_gets_it_later_and_the_claim_goes_back)
{
	submit_error = -EAGAIN;
	clock_panel();
	claims();
	answer_lease(true, 0);
	assert_int_equal(asked_count(STATEMENT_RENDER_LET_GO), 1);
	answer_all(STATEMENT_RENDER_LET_GO, DB_OK);
	pass_ms(6500);
	assert_int_equal(claims(), 0);
	pass_ms(5000);
	assert_int_equal(claims(), 1);
}

SCENE(nobody_is_blamed_where_a_process_could_not_be_started)
{
	clock_panel();
	claims();
	answer_lease(true, 0);
	answer_job(ENGINE_NOT_AVAILABLE, NULL);
	assert_int_equal(asked_count(STATEMENT_RENDER_STORE), 0);
	assert_int_equal(asked_count(STATEMENT_RENDER_LET_GO), 1);
}

SCENE(what_has_failed_is_stored_with_its_blame)
{
	static const struct {
		enum engine_problem_kind kind;
		const char *blamed, *said;
	} cases[] = {
	    {ENGINE_WRONG_SCRIPT, "\0", "{\"kind\":\"script\",\"message\":\"something is wrong\""},
	    {ENGINE_CRASH, "\1", "{\"kind\":\"crash\",\"message\":\"something is wrong\""},
	    {ENGINE_LIMIT, "\1", "{\"kind\":\"limit\",\"message\":\"something is wrong\""},
	};

	for (unsigned i = 0; i < array_length(cases); i++) {
		clock_app.render_key[0] = (char)('a' + i);
		clock_panel();
		claims();
		answer_lease(true, 0);
		answer_job(cases[i].kind, NULL);
		assert_true(str_equal(parameter(STATEMENT_RENDER_STORE, 4), STR("\0")));
		assert_memory_equal(parameter(STATEMENT_RENDER_STORE, 5).data, cases[i].blamed, 1);
		assert_null(parameter(STATEMENT_RENDER_STORE, 6).data);
		assert_memory_equal(parameter(STATEMENT_RENDER_STORE, 17).data, cases[i].said,
				    strlen(cases[i].said));
		answer_store(i + 1);
		close_sockets();
		answer_all(STATEMENT_RENDER_KEYS, DB_UNAVAILABLE);
	}
}

SCENE(what_the_database_refuses_is_not_tried_again_at_once)
{
	clock_panel();
	claims();
	answer_lease(true, 0);
	answer_job(ENGINE_DONE, "12:00");
	answer_all(STATEMENT_RENDER_STORE, DB_FAILED);
	pass_ms(290 * 1000);
	assert_int_equal(claims(), 0);
	pass_ms(20 * 1000);
	assert_int_equal(claims(), 1);
}

SCENE(nothing_to_show_is_stored_without_a_picture)
{
	clock_panel();
	claims();
	answer_lease(true, 0);
	answer_job(ENGINE_DONE, NULL);
	assert_true(str_equal(parameter(STATEMENT_RENDER_STORE, 4), STR("\1")));
	assert_null(parameter(STATEMENT_RENDER_STORE, 6).data);
	assert_null(parameter(STATEMENT_RENDER_STORE, 17).data);
}

enum { A_FEW = 20 }; /* RENDER_JOBS_OF_ACCOUNT_MAX */

SCENE(a_few_are_under_way_at_a_time)
{
	for (unsigned i = 0; i < A_FEW + 3; i++) {
		clock_app.render_key[0] = (char)('a' + i);
		clock_panel();
	}
	assert_int_equal(claims(), A_FEW);
	answer_lease(true, 0);
	answer_job(ENGINE_DONE, "picture");
	answer_store(1);
	assert_int_equal(claims(), A_FEW);
}

SCENE(slow_ones_leave_room_for_another_account)
{
	struct script_device *device;

	for (unsigned i = 0; i < A_FEW + 3; i++) {
		clock_app.render_key[0] = (char)('a' + i);
		clock_panel();
	}
	assert_int_equal(claims(), A_FEW);
	clock_app.render_key[0] = 'z';
	device = add_device();
	device->account = 1;
	add_app(device, "clock", &clock_app);
	connect_device(device);
	assert_int_equal(claims(), A_FEW + 1);
}

SCENE(a_worker_that_stops_gives_its_claims_back)
{
	clock_panel();
	claims();
	answer_lease(true, 0);
	renders_drain(renders);
	assert_int_equal(asked_count(STATEMENT_RENDER_LET_GO), 1);
}

static void answer_renewal(bool is_leased)
{
	begin_rows(1);
	if (is_leased)
		add_integer(1);
	answer(asked(STATEMENT_RENDER_RENEW));
	run_turns();
}

SCENE(a_render_that_takes_long_renews_its_claim)
{
	clock_panel();
	claims();
	answer_lease(true, 0);
	for (unsigned i = 0; i < 6; i++) {
		pass_ms(9900);
		assert_int_equal(asked_count(STATEMENT_RENDER_RENEW), 0);
		pass_ms(200);
		answer_renewal(true);
	}
	pass_ms(10 * 1000);
	assert_int_equal(asked_count(STATEMENT_RENDER_RENEW), 1);
	answer_job(ENGINE_DONE, "12:00");
	assert_int_equal(asked_count(STATEMENT_RENDER_STORE), 0); /* one after the other */
	answer_renewal(true);
	answer_store(9);
	pass_ms(20 * 1000);
	assert_int_equal(asked_count(STATEMENT_RENDER_RENEW), 0);
}

SCENE(a_claim_that_is_lost_ends_its_render)
{
	clock_panel();
	claims();
	answer_lease(true, 0);
	pass_ms(10 * 1000);
	answer_renewal(false);
	assert_int_equal(job_count, 0);
	assert_int_equal(asked_count(STATEMENT_RENDER_LET_GO), 1);
}

SCENE(leftovers_are_removed_in_portions)
{
	pass_ms(21 * 1000);
	answer_nothing(asked(STATEMENT_RENDER_SETTLE), DB_OK);
	begin_rows(2);
	add_integer(150);
	add_bool(true);
	answer(asked(STATEMENT_RENDER_REMOVE));
	begin_rows(3);
	add_integer(1);
	add_bytes(id_of(500).bytes, ID_BYTES);
	add_bool(false);
	answer(asked(STATEMENT_APP_HOSTS_FORGET));
	pass_ms(200);
	answer_nothing(asked(STATEMENT_RENDER_SETTLE), DB_UNAVAILABLE);
	answer_nothing(asked(STATEMENT_RENDER_REMOVE), DB_OK);
	assert_memory_equal(parameter(STATEMENT_APP_HOSTS_FORGET, 0).data, id_of(500).bytes,
			    ID_BYTES);
	answer_nothing(asked(STATEMENT_APP_HOSTS_FORGET), DB_UNAVAILABLE);
	pass_ms(5 * 1000);
	assert_int_equal(asked_count(STATEMENT_RENDER_REMOVE), 0);
}

/* ---- checks of uploaded versions ---- */

static const char *const uploaded = "version:f5010000-0000-0000-0000-000000000001:0";

/* Answers the oldest lease with a version of this account, or with none that is due. */
static void answer_check_lease(unsigned account, bool is_due, int64_t tries)
{
	begin_rows(7);
	add_bytes(id_of(account).bytes, ID_BYTES);
	if (is_due) {
		add_bytes(id_of(501).bytes, ID_BYTES);
		add_bytes(id_of(account).bytes, ID_BYTES);
		add_value_text("def main(): pass");
		add_value_text("sha256:1");
	} else {
		add_null();
		add_null();
		add_null();
		add_null();
	}
	add_null();
	add_integer(tries);
	answer(asked(STATEMENT_VERSION_CHECK_LEASE));
	run_turns();
}

/* Begins a check: the hint wakes one of the two that an idle worker can make. */
static void begin_check(int64_t tries)
{
	hint("%s", uploaded);
	pass_ms(0);
	assert_int_equal(asked_count(STATEMENT_VERSION_CHECK_LEASE), 1);
	answer_check_lease(7, true, tries);
	assert_int_equal(jobs[0]->what, ENGINE_SCHEMA);
	assert_true(jobs[0]->has_network && jobs[0]->is_refused && !jobs[0]->is_preview);
}

static bool is_stored_as_bad(void)
{
	return str_equal(parameter(STATEMENT_VERSION_CHECK_STORE, 1), STR("\1"));
}

SCENE(a_version_that_cannot_run_is_stored_and_told)
{
	struct str verdict;

	begin_check(1);
	answer_job(ENGINE_WRONG_SCRIPT, NULL);
	assert_int_equal(job_count, 0);
	assert_true(is_stored_as_bad());
	verdict = parameter(STATEMENT_VERSION_CHECK_STORE, 2);
	assert_true(verdict.data && strstr(verdict.data, "something is wrong"));
	hints_sent();
	begin_rows(2);
	add_value_text("clock");
	add_bytes(id_of(7).bytes, ID_BYTES);
	answer(asked(STATEMENT_VERSION_CHECK_STORE));
	assert_string_equal(hints_sent(), "changed:07000000-0000-0000-0000-000000000001:app:clock "
					  "changed:00000000-0000-0000-0000-000000000000:reviews "
					  "checked:f5010000-0000-0000-0000-000000000001:0 ");
}

SCENE(a_version_that_loads_is_rendered)
{
	begin_check(1);
	answer_job(ENGINE_DONE, NULL);
	assert_int_equal(jobs[0]->what, ENGINE_PICTURE);
	assert_true(jobs[0]->has_network && jobs[0]->is_refused);
	answer_job(ENGINE_WRONG_SCRIPT, NULL); /* it may lack settings */
	assert_false(is_stored_as_bad());
}

SCENE(a_picture_that_meets_a_limit_cannot_be_approved)
{
	begin_check(1);
	answer_job(ENGINE_DONE, NULL);
	answer_job(ENGINE_LIMIT, NULL);
	assert_true(is_stored_as_bad());
}

SCENE(a_script_that_was_refused_a_host_is_not_to_blame)
{
	hosts = STR("example.org");
	begin_check(1);
	answer_job(ENGINE_WRONG_SCRIPT, NULL);
	assert_false(is_stored_as_bad());
}

SCENE(a_busy_machine_gives_no_verdict)
{
	static const enum engine_problem_kind kinds[] = {ENGINE_LATE, ENGINE_NOT_AVAILABLE,
							 ENGINE_CRASH};

	for (unsigned i = 0; i < array_length(kinds); i++) {
		begin_check(2);
		assert_int_equal(jobs[0]->wall_extra_ms, 60 * 1000);
		answer_job(kinds[i], NULL);
		assert_int_equal(asked_count(STATEMENT_VERSION_CHECK_STORE), 0);
		answer_nothing(asked(STATEMENT_VERSION_CHECK_HOLD), DB_OK);
		answer_all(STATEMENT_VERSION_CHECK_LEASE, DB_UNAVAILABLE);
		pass_ms(0);
		answer_all(STATEMENT_VERSION_CHECK_LEASE, DB_UNAVAILABLE);
	}
	/* A crash that comes again and again is the script's. */
	begin_check(3);
	answer_job(ENGINE_CRASH, NULL);
	assert_true(is_stored_as_bad());
}

SCENE(accounts_whose_version_is_not_due_are_passed_over)
{
	hint("%s", uploaded);
	pass_ms(0);
	assert_memory_equal(parameter(STATEMENT_VERSION_CHECK_LEASE, 1).data, id_of(0).bytes, 1);
	answer_check_lease(7, false, 0);
	pass_ms(0);
	assert_memory_equal(parameter(STATEMENT_VERSION_CHECK_LEASE, 1).data, id_of(7).bytes,
			    ID_BYTES);
	answer_nothing(asked(STATEMENT_VERSION_CHECK_LEASE), DB_OK); /* that was the last one */
	pass_ms(0);
	answer_check_lease(7, false, 0);
	pass_ms(0);
	answer_nothing(asked(STATEMENT_VERSION_CHECK_LEASE), DB_OK);
	pass_ms(0);
	assert_int_equal(asked_count(STATEMENT_VERSION_CHECK_LEASE), 0); /* a pause */
}

SCENE(a_check_that_takes_long_holds_its_lease)
{
	begin_check(1);
	pass_ms(10 * 1000);
	assert_int_equal(asked_count(STATEMENT_VERSION_CHECK_HOLD), 1);
	answer_job(ENGINE_WRONG_SCRIPT, NULL);
}

SCENE(without_the_language_another_instance_does_it)
{
	hint("%s", uploaded);
	pass_ms(0);
	assert_int_equal(asked_count(STATEMENT_VERSION_CHECK_LEASE), 1); /* Starlark's */
	answer_all(STATEMENT_VERSION_CHECK_LEASE, DB_UNAVAILABLE);
	has_engines = true;
	pass_ms(30 * 1000);
	assert_true(asked_count(STATEMENT_VERSION_CHECK_LEASE) > 1);
}

RUN_TESTS(NULL, NULL)
