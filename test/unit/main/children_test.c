/* The table of children, with lines, clock and processes made by the test. */
#include "../cmocka_test.h"
#include "base/log.h"
#include "base/memory.h"
#include "main/children_adopt.h"
#include "main/upgrade_wait.h"

#include <fcntl.h>
#include <signal.h>

enum { SECOND_MS = 1000, START_MS = 100 * SECOND_MS, EVENTS_MAX = 128 };

struct instance {
	unsigned workers;
	bool has_database;
	uint32_t beats[4];
	bool serves[4];
	bool has_host;
	unsigned given_up;
};

/* ---- processes that are none ---- */

struct event {
	const char *name; /* of the line */
	unsigned index;
	int number; /* of the signal; 0: it was started */
};

static struct instance instance;
static struct children children;
static uint64_t now_ms;
static struct event events[EVENTS_MAX];
static unsigned event_count, events_seen;
static struct event processes[EVENTS_MAX]; /* by process ID */
static pid_t last_pid;
static const char *cannot_start;     /* a line's name */
static enum children_renewal result; /* result that was taken last */

static void note(const char *name, unsigned index, int number)
{
	assert_true(event_count < EVENTS_MAX);
	events[event_count++] = (struct event){name, index, number};
}

static pid_t start(struct instance *of, const struct child *child)
{
	assert_ptr_equal(of, &instance);
	if (cannot_start && strcmp(cannot_start, child->kind->name) == 0)
		return -1;
	note(child->kind->name, child->index, 0);
	processes[++last_pid] = events[event_count - 1];
	return last_pid;
}

static void send_signal(pid_t pid, int number)
{
	assert_in_range(pid, 1, last_pid);
	note(processes[pid].name, processes[pid].index, number);
}

static const struct child_system test_system = {.start = start, .signal = send_signal};

/* ---- the table ---- */

static unsigned one(const struct instance *of)
{
	(void)of;
	return 1;
}

static unsigned if_database(const struct instance *of)
{
	return of->has_database;
}

static unsigned workers(const struct instance *of)
{
	return of->workers;
}

static uint32_t heartbeat(const struct instance *of, unsigned index)
{
	return of->beats[index];
}

static bool is_serving(const struct instance *of, unsigned index, pid_t pid)
{
	assert_true(pid > 0);
	return of->serves[index];
}

static const struct child_kind prepare = {.name = "prepare",
					  .count = if_database,
					  .stop_signal = SIGTERM,
					  .stop_at_once_signal = SIGKILL,
					  .stop_ms = 20 * SECOND_MS};
static const struct child_kind database = {.name = "database",
					   .count = if_database,
					   .is_kept = true,
					   .preparation = &prepare,
					   .exit_code = EXIT_DATABASE,
					   .stop_order = 1,
					   .stop_signal = SIGINT,
					   .stop_at_once_signal = SIGQUIT,
					   .stop_ms = 60 * SECOND_MS};
static const struct child_kind migrate = {.name = "migrate",
					  .count = one,
					  .stop_signal = SIGTERM,
					  .stop_at_once_signal = SIGKILL,
					  .stop_ms = 20 * SECOND_MS};
static const struct child_kind worker = {.name = "worker",
					 .count = workers,
					 .is_kept = true,
					 .exit_code = EXIT_FAILED,
					 .heartbeat = heartbeat,
					 .silence_ms = 4 * SECOND_MS,
					 .is_ready = is_serving,
					 .is_renewed = true,
					 .retire_signal = SIGUSR1,
					 .retire_ms = 90 * SECOND_MS,
					 .stop_signal = SIGTERM,
					 .stop_at_once_signal = SIGKILL,
					 .stop_ms = 20 * SECOND_MS};
static const struct child_kind *const table[] = {&prepare, &database, &migrate, &worker};

static bool is_host_ready(const struct instance *of, unsigned index, pid_t pid)
{
	(void)index;
	(void)pid;
	return of->has_host;
}

static void note_given_up(struct instance *of)
{
	of->given_up++;
}

static const struct child_kind host = {.name = "host",
				       .count = one,
				       .is_kept = true,
				       .is_ready = is_host_ready,
				       .given_up = note_given_up,
				       .stop_signal = SIGTERM,
				       .stop_at_once_signal = SIGKILL,
				       .stop_ms = 20 * SECOND_MS};
static const struct child_kind later = {.name = "later",
					.count = one,
					.is_on_demand = true,
					.stop_signal = SIGTERM,
					.stop_at_once_signal = SIGKILL,
					.stop_ms = 20 * SECOND_MS};
static const struct child_kind late = {.name = "late",
				       .count = one,
				       .is_kept = true,
				       .is_late = true,
				       .stop_signal = SIGTERM,
				       .stop_at_once_signal = SIGKILL,
				       .stop_ms = 20 * SECOND_MS};
static const struct child_kind *const late_table[] = {&migrate, &late, &worker};
static const struct child_kind *const longer_table[] = {&migrate, &host, &worker, &later};

static void open_children(bool has_database)
{
	instance = (struct instance){.workers = 2, .has_database = has_database};
	now_ms = START_MS;
	event_count = events_seen = 0;
	last_pid = 0;
	cannot_start = NULL;
	result = RENEWAL_NONE;
	children_init(&children, table, 4, &test_system, &instance);
}

static int with_database(void **state)
{
	(void)state;
	open_children(true);
	return 0;
}

static int without_database(void **state)
{
	(void)state;
	open_children(false);
	return 0;
}

static int with_late_table(void **state)
{
	(void)state;
	open_children(false);
	children_finish(&children);
	children_init(&children, late_table, 3, &test_system, &instance);
	return 0;
}

static int close_children(void **state)
{
	(void)state;
	children_finish(&children);
	return 0;
}

/* ---- what happens, what is seen ---- */

static void assert_event(const char *name, unsigned index, int number)
{
	assert_true(events_seen < event_count);
	assert_string_equal(events[events_seen].name, name);
	assert_int_equal(events[events_seen].index, index);
	assert_int_equal(events[events_seen].number, number);
	events_seen++;
}

static void assert_no_event(void)
{
	assert_int_equal(events_seen, event_count);
}

static struct child *find(const struct child_kind *kind, unsigned index)
{
	for (unsigned i = 0; i < children.count; i++)
		if (children.all[i].kind == kind && children.all[i].index == index)
			return &children.all[i];
	fail();
	return NULL;
}

static int exited(int code)
{
	return code << 8;
}

/* status as waitpid() gives it: a signal, or exited(). */
static void end(const struct child_kind *kind, unsigned index, int status)
{
	struct child *child = find(kind, index);

	assert_true(child->pid > 0);
	children_note_end(&children, child->pid, status, now_ms);
}

/* Takes the result as the supervisor does whenever it wakes. */
static void look_for_result(void)
{
	enum children_renewal taken = children_take_result(&children);

	if (taken != RENEWAL_NONE)
		result = taken;
}

/* Once. */
static enum children_renewal take_result(void)
{
	enum children_renewal taken;

	look_for_result();
	taken = result;
	result = RENEWAL_NONE;
	return taken;
}

/* Lets time pass as in the supervisor, which wakes when it requested. Workers send heartbeats if
 * chosen. */
static void live(uint64_t ms, unsigned beating)
{
	uint64_t until_ms = now_ms + ms;

	for (;;) {
		uint64_t next_ms;

		look_for_result();
		next_ms = children_run_due(&children, now_ms);
		if (next_ms > until_ms)
			break;
		assert_true(next_ms >= now_ms);
		now_ms = next_ms;
		for (unsigned i = 0; i < 2 * instance.workers; i++)
			instance.beats[i] += beating >> i & 1;
	}
	now_ms = until_ms;
}

static void start_all(void)
{
	children_start(&children, now_ms);
	if (instance.has_database)
		end(&prepare, 0, exited(EXIT_DONE));
	end(&migrate, 0, exited(EXIT_DONE));
	assert_int_equal(children.phase, CHILDREN_RUN);
	events_seen = event_count;
}

#define CASE(name) TEST_IN(name, with_database, close_children)
#define LONGER_CASE(name) TEST_IN(name, with_longer_table, close_children)

/* ---- start ---- */

CASE(lines_start_in_their_order)
{
	children_start(&children, now_ms);
	assert_event("prepare", 0, 0);
	assert_no_event();
	end(&prepare, 0, exited(EXIT_DONE));
	assert_event("database", 0, 0);
	assert_event("migrate", 0, 0);
	assert_no_event();
	assert_int_equal(children.phase, CHILDREN_START);
	assert_true(children_run_due(&children, now_ms) == UINT64_MAX);
	end(&migrate, 0, exited(EXIT_DONE));
	assert_event("worker", 0, 0);
	assert_event("worker", 1, 0);
	assert_no_event();
	assert_int_equal(children.phase, CHILDREN_RUN);
}

TEST_IN(a_late_line_waits_until_a_worker_serves, with_late_table, close_children)
{
	start_all();
	assert_int_equal(last_pid, 3);
	live(60 * SECOND_MS, 3);
	assert_no_event();
	instance.serves[1] = true;
	live(20, 3);
	assert_event("late", 0, 0);
	assert_no_event();
	instance.serves[1] = false;
	end(&late, 0, exited(1));
	live(100, 3);
	assert_event("late", 0, 0);
	assert_no_event();
}

TEST_IN(a_line_without_children_is_passed_over, without_database, close_children)
{
	children_start(&children, now_ms);
	assert_event("migrate", 0, 0);
	assert_no_event();
	end(&migrate, 0, exited(EXIT_DONE));
	assert_event("worker", 0, 0);
	assert_event("worker", 1, 0);
	assert_no_event();
}

CASE(its_code_is_the_servers_where_a_first_one_fails)
{
	children_start(&children, now_ms);
	end(&prepare, 0, exited(EXIT_DONE));
	end(&migrate, 0, exited(EXIT_MIGRATION));
	events_seen = event_count - 1;
	assert_event("database", 0, SIGINT);
	assert_no_event();
	end(&database, 0, exited(0));
	assert_int_equal(children.phase, CHILDREN_END);
	assert_int_equal(children.exit_code, EXIT_MIGRATION);
}

CASE(killed_while_it_starts)
{
	children_start(&children, now_ms);
	end(&prepare, 0, SIGKILL);
	assert_int_equal(children.phase, CHILDREN_END);
	assert_int_equal(children.exit_code, EXIT_FAILED);
}

CASE(a_kept_one_that_ends_while_others_start)
{
	children_start(&children, now_ms);
	end(&prepare, 0, exited(EXIT_DONE));
	end(&database, 0, exited(1));
	events_seen = event_count - 1;
	assert_event("migrate", 0, SIGTERM);
	end(&migrate, 0, SIGTERM);
	assert_int_equal(children.phase, CHILDREN_END);
	assert_int_equal(children.exit_code, EXIT_DATABASE);
}

CASE(what_cannot_be_started_at_first)
{
	cannot_start = "database";
	children_start(&children, now_ms);
	end(&prepare, 0, exited(EXIT_DONE));
	assert_int_equal(children.phase, CHILDREN_END);
	assert_int_equal(children.exit_code, EXIT_DATABASE);
}

/* ---- restart ---- */

CASE(restarts_are_put_off_while_it_keeps_ending)
{
	static const unsigned delays[] = {100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000};

	start_all();
	instance.serves[1] = true;
	for (unsigned i = 0; i < array_length(delays); i++) {
		end(&worker, 0, SIGSEGV);
		assert_true(children_run_due(&children, now_ms) > now_ms);
		live(delays[i] - 1, 3);
		assert_no_event();
		live(1, 3);
		assert_event("worker", 0, 0);
	}
	/* The worker ran well, so its next end is a new failure. */
	live(31 * SECOND_MS, 3);
	end(&worker, 0, SIGSEGV);
	live(100, 3);
	assert_event("worker", 0, 0);
	assert_no_event();
}

/* ---- crash loops ---- */

static int with_longer_table(void **state)
{
	(void)state;
	open_children(false);
	children_finish(&children);
	children_init(&children, longer_table, array_length(longer_table), &test_system, &instance);
	return 0;
}

/* Ends a running worker or host this often, and restarts it each time. */
static void crash(const struct child_kind *kind, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		unsigned index = kind == &worker ? i % 2 : 0;

		end(kind, index, SIGABRT);
		live(10 * SECOND_MS, 3);
		assert_event(kind->name, index, 0);
		assert_no_event();
	}
}

LONGER_CASE(a_crash_loop_ends)
{
	start_all();
	crash(&worker, CHILD_CRASHES_MAX - 1);
	end(&worker, 1, SIGABRT);
	assert_int_equal(children.phase, CHILDREN_STOP);
	assert_int_equal(children.exit_code, EXIT_CRASHES);
	assert_ptr_equal(children.crashed, find(&worker, 1));
	assert_int_equal(children.crash_status, SIGABRT);
	assert_event("host", 0, SIGTERM);
	assert_event("worker", 0, SIGTERM);
	assert_no_event();
}

LONGER_CASE(a_ready_one_ends_a_crash_loop)
{
	start_all();
	for (unsigned round = 0; round < 3; round++) {
		/* The ended one was ready, or another one is. */
		crash(&worker, CHILD_CRASHES_MAX - 1);
		instance.serves[round % 2] = true;
		crash(&worker, 1);
		event_count = events_seen = 0;
		instance.serves[round % 2] = false;
	}
	assert_int_equal(children.phase, CHILDREN_RUN);
	assert_false(children_are_ready(&children));
	instance.serves[0] = instance.serves[1] = true;
	assert_true(children_are_ready(&children));
	crash(&worker, 2 * CHILD_CRASHES_MAX);
	end(&worker, 0, SIGABRT);
	assert_false(children_are_ready(&children));
}

LONGER_CASE(what_the_server_can_do_without_rests_after_a_crash_loop)
{
	struct child_message text;

	start_all();
	crash(&host, CHILD_CRASHES_MAX - 1);
	assert_int_equal(instance.given_up, 0);
	end(&host, 0, exited(1));
	assert_int_equal(instance.given_up, 1);
	live(3600 * SECOND_MS, 3);
	assert_no_event();
	assert_int_equal(children.phase, CHILDREN_RUN);
	assert_null(children_wait_for(&children, &text));
	children_try_again(&children, now_ms);
	live(0, 3);
	assert_event("host", 0, 0);
	crash(&host, CHILD_CRASHES_MAX - 1);
	instance.has_host = true;
	crash(&host, 2 * CHILD_CRASHES_MAX);
	assert_int_equal(instance.given_up, 1);
}

LONGER_CASE(a_line_on_demand_waits_to_be_started)
{
	start_all();
	children_run(&children, "later", now_ms);
	assert_event("later", 0, 0);
	children_run(&children, "later", now_ms);
	assert_no_event();
	end(&later, 0, exited(1));
	live(60 * SECOND_MS, 3);
	assert_no_event();
}

CASE(what_cannot_be_started_again_is_tried_again)
{
	start_all();
	cannot_start = "worker";
	end(&worker, 1, exited(1));
	live(100, 3);
	assert_no_event();
	cannot_start = NULL;
	live(199, 3);
	assert_no_event();
	live(1, 3);
	assert_event("worker", 1, 0);
}

CASE(a_preparation_runs_before_each_restart)
{
	start_all();
	end(&database, 0, SIGKILL);
	live(100, 3);
	assert_event("prepare", 0, 0);
	live(SECOND_MS, 3);
	assert_no_event();
	end(&prepare, 0, exited(EXIT_DONE));
	assert_event("database", 0, 0);
	/* The workers were not touched. */
	live(SECOND_MS, 3);
	assert_no_event();
}

CASE(a_preparation_that_fails_is_put_off)
{
	start_all();
	end(&database, 0, SIGKILL);
	live(100, 3);
	assert_event("prepare", 0, 0);
	end(&prepare, 0, exited(EXIT_DATABASE));
	live(199, 3);
	assert_no_event();
	live(1, 3);
	assert_event("prepare", 0, 0);
	assert_int_equal(children.phase, CHILDREN_RUN);
}

/* ---- heartbeat ---- */

CASE(a_silent_one_is_killed_and_replaced)
{
	start_all();
	live(10 * SECOND_MS, 3);
	assert_no_event();
	live(3 * SECOND_MS, 1);
	assert_no_event();
	live(3 * SECOND_MS / 2, 1);
	assert_event("worker", 1, SIGKILL);
	end(&worker, 1, SIGKILL);
	live(100, 1);
	assert_event("worker", 1, 0);
	/* The new one continues with the heartbeat count of the old one. */
	live(60 * SECOND_MS, 3);
	assert_no_event();
}

CASE(a_slow_one_is_left_alone)
{
	start_all();
	for (unsigned i = 0; i < 20; i++) {
		live(3 * SECOND_MS, 0);
		live(SECOND_MS / 2, 3);
	}
	assert_no_event();
}

CASE(one_that_starts_has_more_time)
{
	start_all();
	live(59 * SECOND_MS, 0);
	assert_no_event();
	live(2 * SECOND_MS, 0);
	assert_event("worker", 0, SIGKILL);
	assert_event("worker", 1, SIGKILL);
}

/* The supervisor and its workers are stopped for a year and then continue: none of them has hung.
 * */
CASE(time_that_the_supervisor_did_not_see_does_not_count)
{
	start_all();
	live(SECOND_MS, 3);
	for (unsigned i = 0; i < 3; i++) {
		now_ms += 365ULL * 24 * 3600 * SECOND_MS;
		live(SECOND_MS / 2, 0);
		live(SECOND_MS, 3);
	}
	assert_no_event();
}

CASE(only_those_that_run_are_watched)
{
	start_all();
	live(SECOND_MS, 3);
	children_stop(&children, now_ms);
	events_seen = event_count;
	live(10 * SECOND_MS, 0);
	assert_no_event();
}

/* ---- stop ---- */

CASE(stops_in_order)
{
	start_all();
	children_stop(&children, now_ms);
	assert_event("worker", 0, SIGTERM);
	assert_event("worker", 1, SIGTERM);
	assert_no_event();
	end(&worker, 1, exited(0));
	assert_no_event();
	end(&worker, 0, exited(0));
	assert_event("database", 0, SIGINT);
	assert_no_event();
	end(&database, 0, exited(0));
	assert_int_equal(children.phase, CHILDREN_END);
	assert_int_equal(children.exit_code, EXIT_DONE);
	assert_no_event();
}

CASE(each_has_its_time_to_stop)
{
	start_all();
	children_stop(&children, now_ms);
	events_seen = event_count;
	live(19 * SECOND_MS, 0);
	end(&worker, 1, exited(0));
	assert_no_event();
	live(SECOND_MS, 0);
	assert_event("worker", 0, SIGKILL);
	end(&worker, 0, SIGKILL);
	assert_event("database", 0, SIGINT);
	live(60 * SECOND_MS - 1, 0);
	assert_no_event();
	live(1, 0);
	assert_event("database", 0, SIGKILL);
	end(&database, 0, SIGKILL);
	assert_int_equal(children.phase, CHILDREN_END);
}

CASE(the_second_request_ends_all_at_once)
{
	start_all();
	children_stop(&children, now_ms);
	events_seen = event_count;
	live(SECOND_MS, 0);
	children_stop(&children, now_ms);
	assert_event("database", 0, SIGQUIT);
	assert_event("worker", 0, SIGKILL);
	assert_event("worker", 1, SIGKILL);
	end(&worker, 0, SIGKILL);
	end(&worker, 1, SIGKILL);
	assert_event("database", 0, SIGQUIT);
	live(3 * SECOND_MS - 1, 0);
	assert_no_event();
	live(1, 0);
	assert_event("database", 0, SIGKILL);
	end(&database, 0, SIGKILL);
	assert_int_equal(children.phase, CHILDREN_END);
}

/* Lines of level error that the ends of two workers and the database write. */
static uint64_t errors_of(int worker_status, int other_status, int database_status)
{
	uint64_t before = log_count().lines[LOG_ERROR];

	end(&worker, 0, worker_status);
	end(&worker, 1, other_status);
	end(&database, 0, database_status);
	assert_int_equal(children.phase, CHILDREN_END);
	return log_count().lines[LOG_ERROR] - before;
}

CASE(what_is_ended_at_once_is_no_error)
{
	start_all();
	children_stop(&children, now_ms);
	children_stop(&children, now_ms);
	assert_int_equal(errors_of(SIGKILL, exited(1), exited(2)), 0);
}

CASE(a_crash_is_an_error_while_it_stops)
{
	start_all();
	children_stop(&children, now_ms);
	assert_int_equal(errors_of(SIGKILL, SIGSEGV, exited(2)), 3);
}

CASE(a_crash_is_an_error_while_it_stops_at_once)
{
	start_all();
	children_stop(&children, now_ms);
	children_stop(&children, now_ms);
	assert_int_equal(errors_of(SIGABRT, SIGKILL, SIGQUIT), 1);
}

CASE(what_is_killed_too_late_is_logged_once)
{
	uint64_t before;

	start_all();
	children_stop(&children, now_ms);
	before = log_count().lines[LOG_ERROR];
	live(20 * SECOND_MS, 0);
	assert_int_equal(errors_of(SIGKILL, SIGKILL, exited(0)), 0);
	assert_int_equal(log_count().lines[LOG_ERROR] - before, 2);
}

CASE(nobody_is_started_while_it_stops)
{
	start_all();
	end(&worker, 0, SIGSEGV);
	children_stop(&children, now_ms);
	assert_event("worker", 1, SIGTERM);
	live(10 * SECOND_MS, 0);
	assert_no_event();
}

CASE(stops_while_it_starts)
{
	children_start(&children, now_ms);
	end(&prepare, 0, exited(EXIT_DONE));
	events_seen = event_count;
	children_stop(&children, now_ms);
	assert_event("migrate", 0, SIGTERM);
	end(&migrate, 0, exited(EXIT_DONE));
	assert_event("database", 0, SIGINT);
	end(&database, 0, exited(0));
	assert_int_equal(children.phase, CHILDREN_END);
	assert_int_equal(children.exit_code, EXIT_DONE);
	assert_no_event();
}

/* ---- renewal ---- */

static void renew(void)
{
	start_all();
	children_renew(&children, now_ms);
	assert_event("worker", 2, 0);
	assert_event("worker", 3, 0);
}

/* Both new workers serve, the old ones drain. */
static void renew_well(void)
{
	renew();
	instance.serves[2] = instance.serves[3] = true;
	children_run_due(&children, now_ms);
	assert_event("worker", 0, SIGUSR1);
	assert_event("worker", 1, SIGUSR1);
}

CASE(fresh_ones_take_the_place_of_others)
{
	renew();
	instance.serves[2] = true;
	live(SECOND_MS, 0xf);
	assert_no_event();
	assert_int_equal(take_result(), RENEWAL_NONE);
	instance.serves[3] = true;
	live(SECOND_MS, 0xf);
	assert_event("worker", 0, SIGUSR1);
	assert_event("worker", 1, SIGUSR1);
	assert_int_equal(take_result(), RENEWAL_DONE);
	assert_int_equal(take_result(), RENEWAL_NONE);
	assert_false(children_may_renew(&children));
	end(&worker, 0, exited(0));
	end(&worker, 1, SIGSEGV);
	live(20 * SECOND_MS, 0xf);
	assert_no_event();
	assert_true(children_may_renew(&children));
}

CASE(the_first_places_are_used_again)
{
	renew_well();
	end(&worker, 0, exited(0));
	end(&worker, 1, exited(0));
	assert_int_equal(take_result(), RENEWAL_DONE);
	children_renew(&children, now_ms);
	assert_event("worker", 0, 0);
	assert_event("worker", 1, 0);
	instance.serves[0] = instance.serves[1] = true;
	live(SECOND_MS, 0xf);
	assert_event("worker", 2, SIGUSR1);
	assert_event("worker", 3, SIGUSR1);
}

CASE(one_that_does_not_retire_is_killed)
{
	renew_well();
	end(&worker, 1, exited(0));
	live(89 * SECOND_MS, 0xf);
	assert_no_event();
	live(2 * SECOND_MS, 0xf);
	assert_event("worker", 0, SIGKILL);
	assert_no_event();
}

CASE(one_that_hangs_while_it_retires_is_killed)
{
	start_all();
	live(SECOND_MS, 3);
	children_renew(&children, now_ms);
	assert_event("worker", 2, 0);
	assert_event("worker", 3, 0);
	instance.serves[2] = instance.serves[3] = true;
	live(SECOND_MS, 0xf);
	assert_event("worker", 0, SIGUSR1);
	assert_event("worker", 1, SIGUSR1);
	live(20 * SECOND_MS, 0xf);
	assert_no_event();
	live(5 * SECOND_MS, 0xd);
	assert_event("worker", 1, SIGKILL);
	assert_no_event();
}

CASE(a_fresh_one_that_takes_over_is_kept)
{
	renew_well();
	end(&worker, 2, SIGSEGV);
	live(SECOND_MS, 0xf);
	assert_event("worker", 2, 0);
	assert_no_event();
}

CASE(where_a_fresh_one_ends_the_others_stay)
{
	renew();
	instance.serves[2] = true;
	end(&worker, 3, exited(1));
	assert_event("worker", 2, SIGUSR1);
	assert_int_equal(take_result(), RENEWAL_FAILED);
	end(&worker, 2, exited(0));
	live(20 * SECOND_MS, 0xf);
	assert_no_event();
	end(&worker, 0, SIGSEGV);
	live(SECOND_MS, 0xf);
	assert_event("worker", 0, 0);
}

CASE(where_fresh_ones_do_not_serve_the_others_stay)
{
	renew();
	live(61 * SECOND_MS, 0xf);
	assert_event("worker", 2, SIGUSR1);
	assert_event("worker", 3, SIGUSR1);
	assert_no_event();
	assert_int_equal(take_result(), RENEWAL_FAILED);
}

/* A restart would use a configuration that may be rejected. */
CASE(an_old_one_that_ends_meanwhile_waits)
{
	renew();
	end(&worker, 0, SIGSEGV);
	live(20 * SECOND_MS, 0xe);
	assert_no_event();
	end(&worker, 3, exited(1));
	assert_event("worker", 2, SIGUSR1);
	end(&worker, 2, exited(0));
	/* The old configuration is in use again once the result was taken. */
	now_ms += 20 * SECOND_MS;
	assert_int_equal(children_run_due(&children, now_ms), now_ms);
	assert_no_event();
	assert_int_equal(take_result(), RENEWAL_FAILED);
	live(SECOND_MS, 0xe);
	assert_event("worker", 0, 0);
	assert_no_event();
}

CASE(an_old_one_that_ends_meanwhile_is_replaced)
{
	renew();
	end(&worker, 0, SIGSEGV);
	instance.serves[2] = instance.serves[3] = true;
	live(SECOND_MS, 0xe);
	assert_event("worker", 1, SIGUSR1);
	assert_int_equal(take_result(), RENEWAL_DONE);
	live(20 * SECOND_MS, 0xe);
	assert_no_event();
}

CASE(a_fresh_one_that_cannot_be_started)
{
	start_all();
	cannot_start = "worker";
	children_renew(&children, now_ms);
	assert_int_equal(take_result(), RENEWAL_FAILED);
	cannot_start = NULL;
	live(20 * SECOND_MS, 3);
	assert_no_event();
}

/* No other event wakes the supervisor: there is no worker whose heartbeat it watches. */
CASE(those_that_ended_do_not_wait_where_no_fresh_one_can_be_started)
{
	start_all();
	end(&worker, 0, SIGSEGV);
	end(&worker, 1, SIGSEGV);
	cannot_start = "worker";
	children_renew(&children, now_ms);
	assert_int_equal(children_run_due(&children, now_ms), now_ms);
	assert_no_event();
	assert_int_equal(take_result(), RENEWAL_FAILED);
	cannot_start = NULL;
	live(SECOND_MS, 3);
	assert_event("worker", 0, 0);
	assert_event("worker", 1, 0);
	assert_no_event();
}

/* ---- another program takes over ---- */

static void take_over(void)
{
	struct handover handover = {0};

	children_hand_over(&children, &handover);
	children_finish(&children);
	children_init(&children, table, 4, &test_system, &instance);
	assert_true(children_adopt(&children, &handover, now_ms));
}

CASE(those_that_run_are_taken_over)
{
	start_all();
	take_over();
	live(20 * SECOND_MS, 3);
	assert_no_event();
	end(&worker, 1, SIGSEGV);
	live(SECOND_MS, 3);
	assert_event("worker", 1, 0);
}

/* It may have ended while another program was tried. */
CASE(one_that_is_missing_is_started)
{
	start_all();
	end(&worker, 1, SIGSEGV);
	take_over();
	children_run_due(&children, now_ms);
	assert_event("worker", 1, 0);
	assert_no_event();
	children_renew(&children, now_ms);
	assert_event("worker", 2, 0);
	assert_event("worker", 3, 0);
	assert_no_event();
}

static struct upgrade_wait waiting;
static struct reason what;

static enum upgrade_patience look(bool reloads)
{
	what = (struct reason){0};
	return upgrade_wait_look(&waiting, &children, reloads, now_ms, &what);
}

CASE(an_upgrade_waits_for_workers_that_retire)
{
	renew_well();
	upgrade_wait_begin(&waiting, now_ms);
	assert_int_equal(look(false), UPGRADE_WAITS);
	assert_int_equal(take_result(), RENEWAL_DONE);
	end(&worker, 0, exited(0));
	assert_int_equal(look(false), UPGRADE_WAITS);
	assert_string_equal(what.text, "worker is finishing requests");
	end(&worker, 1, exited(0));
	assert_int_equal(look(true), UPGRADE_WAITS);
	assert_int_equal(look(false), UPGRADE_MAY_BEGIN);
}

CASE(an_upgrade_does_not_wait_for_ever)
{
	start_all();
	upgrade_wait_begin(&waiting, now_ms);
	end(&database, 0, exited(1));
	assert_int_equal(look(false), UPGRADE_WAITS);
	now_ms += UPGRADE_WAIT_MS - 1;
	assert_int_equal(look(false), UPGRADE_WAITS);
	now_ms += 1;
	assert_int_equal(look(false), UPGRADE_GIVES_UP);
	assert_string_equal(what.text, "database is not running");
}

CASE(those_that_retire_stop_with_the_others)
{
	renew_well();
	children_stop(&children, now_ms);
	for (unsigned i = 0; i < 4; i++)
		assert_event("worker", i, SIGTERM);
	assert_no_event();
}

CASE(one_is_restarted_at_once)
{
	start_all();
	children_restart(&children, "worker");
	assert_event("worker", 0, SIGTERM);
	assert_event("worker", 1, SIGTERM);
	end(&worker, 0, exited(0));
	children_run_due(&children, now_ms);
	assert_event("worker", 0, 0);
	assert_no_event();
}

CASE(a_process_that_is_no_child_is_ignored)
{
	start_all();
	children_note_end(&children, 12345, SIGKILL, now_ms);
	live(SECOND_MS, 3);
	assert_no_event();
	assert_int_equal(children.phase, CHILDREN_RUN);
}

int main(void)
{
	log_set_fd(open("/dev/null", O_WRONLY | O_CLOEXEC));
	return run_all_tests(NULL, NULL);
}
