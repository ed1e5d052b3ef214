/* Tests render jobs: one for each render key, accounts in turn, with a bound. */
#include "../cmocka_test.h"
#include "render_jobs.h"

#include <string.h>

static uint64_t now_ms = 1000;

static struct upcoming_app app(unsigned account, unsigned render_key)
{
	struct upcoming_app app = {0};

	memcpy(app.render_key, &render_key, sizeof(render_key));
	app.account_id.bytes[0] = (uint8_t)account;
	return app;
}

static bool add(struct render_jobs *jobs, unsigned account, unsigned render_key)
{
	struct upcoming_app wanted = app(account, render_key);

	return render_jobs_add(jobs, &wanted, now_ms);
}

static unsigned place_of(const struct render_job *job)
{
	unsigned render_key;

	memcpy(&render_key, job->app.render_key, sizeof(render_key));
	return render_key;
}

TEST(a_place_is_wanted_once_until_it_ends)
{
	struct render_jobs jobs;
	struct render_job *job;

	render_jobs_init(&jobs, 10);
	assert_true(add(&jobs, 1, 7));
	assert_true(add(&jobs, 2, 7));
	job = render_jobs_take(&jobs, now_ms);
	assert_int_equal(place_of(job), 7);
	assert_null(render_jobs_take(&jobs, now_ms));
	assert_true(add(&jobs, 2, 7)); /* it is under way */
	assert_null(render_jobs_take(&jobs, now_ms));
	render_job_end(&jobs, job);
	assert_true(add(&jobs, 2, 7));
	job = render_jobs_take(&jobs, now_ms);
	assert_non_null(job);
	render_job_end(&jobs, job);
	render_jobs_finish(&jobs);
}

TEST(accounts_take_turns)
{
	static const unsigned order[] = {1, 11, 2, 3};
	struct render_jobs jobs;

	render_jobs_init(&jobs, 100);
	for (unsigned i = 1; i <= 3; i++)
		assert_true(add(&jobs, 1, i));
	assert_true(add(&jobs, 2, 11));
	for (unsigned i = 0; i < array_length(order); i++) {
		struct render_job *job = render_jobs_take(&jobs, now_ms);

		assert_int_equal(place_of(job), order[i]);
		render_job_end(&jobs, job);
	}
	render_jobs_finish(&jobs);
}

TEST(an_account_has_a_few_at_a_time)
{
	struct render_job *taken[RENDER_JOBS_OF_ACCOUNT_MAX];
	struct render_job *other;
	struct render_jobs jobs;

	render_jobs_init(&jobs, 100);
	for (unsigned i = 0; i <= RENDER_JOBS_OF_ACCOUNT_MAX; i++)
		assert_true(add(&jobs, 1, i));
	for (unsigned i = 0; i < RENDER_JOBS_OF_ACCOUNT_MAX; i++)
		taken[i] = render_jobs_take(&jobs, now_ms);
	assert_null(render_jobs_take(&jobs, now_ms));
	assert_true(add(&jobs, 2, 1000));
	other = render_jobs_take(&jobs, now_ms);
	assert_int_equal(place_of(other), 1000);
	render_job_end(&jobs, other);
	assert_null(render_jobs_take(&jobs, now_ms));
	render_job_end(&jobs, taken[1]);
	taken[1] = render_jobs_take(&jobs, now_ms);
	assert_int_equal(place_of(taken[1]), RENDER_JOBS_OF_ACCOUNT_MAX);
	for (unsigned i = 0; i < RENDER_JOBS_OF_ACCOUNT_MAX; i++)
		render_job_end(&jobs, taken[i]);
	render_jobs_finish(&jobs);
}

TEST(a_few_accounts_leave_the_engines_to_others)
{
	enum { MAX = RENDER_JOBS_UNDER_WAY_MAX, MORE = 10 };
	struct render_job *taken[MAX];
	struct render_jobs jobs;

	render_jobs_init(&jobs, 1000);
	for (unsigned i = 0; i < MAX + MORE; i++)
		assert_true(add(&jobs, 1 + i / RENDER_JOBS_OF_ACCOUNT_MAX, i));
	for (unsigned i = 0; i < MAX; i++) {
		taken[i] = render_jobs_take(&jobs, now_ms);
		assert_non_null(taken[i]);
	}
	assert_null(render_jobs_take(&jobs, now_ms));
	for (unsigned i = 0; i < MORE; i++) {
		render_job_end(&jobs, taken[i]);
		taken[i] = render_jobs_take(&jobs, now_ms);
		assert_non_null(taken[i]);
		assert_null(render_jobs_take(&jobs, now_ms));
	}
	for (unsigned i = 0; i < MAX; i++)
		render_job_end(&jobs, taken[i]);
	render_jobs_finish(&jobs);
}

TEST(first_renders_of_a_version_come_first)
{
	enum { MAX = RENDER_JOBS_OF_ACCOUNT_MAX, AGAIN = MAX + 1, NEW = 1000, ALL = MAX + 4 };
	static const unsigned last[] = {NEW, AGAIN, MAX, MAX + 2};
	struct upcoming_app fresh = app(1, NEW);
	struct render_job *taken[ALL];
	struct render_jobs jobs;
	unsigned count = 0;

	render_jobs_init(&jobs, 100);
	for (unsigned i = 0; i < MAX + 3; i++)
		assert_true(add(&jobs, 1, i));
	fresh.is_first = true;
	assert_true(render_jobs_add(&jobs, &fresh, now_ms));
	/* A job that waits for its turn gets another version. */
	fresh = app(1, AGAIN);
	fresh.is_first = true;
	assert_true(render_jobs_add(&jobs, &fresh, now_ms));
	assert_true(render_jobs_add(&jobs, &fresh, now_ms));
	while (count < MAX)
		taken[count++] = render_jobs_take(&jobs, now_ms);
	for (unsigned i = 0; count < ALL; i++) {
		assert_null(render_jobs_take(&jobs, now_ms));
		render_job_end(&jobs, taken[i]);
		taken[count] = render_jobs_take(&jobs, now_ms);
		assert_int_equal(place_of(taken[count++]), last[i]);
	}
	for (unsigned i = ALL - MAX; i < ALL; i++)
		render_job_end(&jobs, taken[i]);
	render_jobs_finish(&jobs);
}

TEST(an_account_leaves_room_for_others)
{
	struct render_jobs jobs;
	unsigned of_first = 0, of_second = 0;

	render_jobs_init(&jobs, 90);
	while (add(&jobs, 1, of_first))
		of_first++;
	while (add(&jobs, 2, 1000 + of_second))
		of_second++;
	assert_int_equal(of_first, 45);
	assert_in_range(of_second, 22, 23);
	assert_true(add(&jobs, 3, 2000));
	render_jobs_finish(&jobs);
}

TEST(what_waits_has_the_version_that_was_wanted_last)
{
	struct upcoming_app wanted = app(1, 7);
	struct render_jobs jobs;
	struct render_job *job;

	render_jobs_init(&jobs, 10);
	wanted.version_id.bytes[0] = 1;
	assert_true(render_jobs_add(&jobs, &wanted, now_ms));
	wanted.version_id.bytes[0] = 2;
	assert_true(render_jobs_add(&jobs, &wanted, now_ms));
	job = render_jobs_take(&jobs, now_ms);
	assert_int_equal(job->app.version_id.bytes[0], 2);
	wanted.version_id.bytes[0] = 3; /* it is being rendered */
	assert_true(render_jobs_add(&jobs, &wanted, now_ms));
	assert_int_equal(job->app.version_id.bytes[0], 2);
	render_job_end(&jobs, job);
	render_jobs_finish(&jobs);
}

TEST(what_nobody_repeats_is_dropped)
{
	struct render_jobs jobs;
	struct render_job *job;

	render_jobs_init(&jobs, 10);
	assert_true(add(&jobs, 1, 7));
	assert_true(add(&jobs, 1, 8));
	now_ms += RENDER_JOB_MS;
	assert_true(add(&jobs, 2, 8)); /* by another panel */
	now_ms += 1;
	job = render_jobs_take(&jobs, now_ms);
	assert_int_equal(place_of(job), 8);
	assert_null(render_jobs_take(&jobs, now_ms));
	assert_int_equal(jobs.count, 1);
	render_job_end(&jobs, job);
	render_jobs_finish(&jobs);
}

RUN_TESTS(NULL, NULL)
