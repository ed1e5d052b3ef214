/* Tests what lateness tells: renderers hurry if pictures are late since others take the processors.
 */
#include "../cmocka_test.h"
#include "base/clock.h"
#include "lateness.h"

enum { NOW_S = 1000000, SECOND_US = 1000 * 1000 };

static void add(struct render_jobs *jobs, uint8_t render_key, int64_t moment_s)
{
	struct upcoming_app app = {.moment_s = moment_s};

	app.render_key[0] = render_key;
	assert_true(render_jobs_add(jobs, &app, 0));
}

/* Whether renderers hurry after pictures were late by that, and runs had this part of their turns.
 */
static bool hurries(int64_t late_s, unsigned percent, bool hurried_before)
{
	struct lateness lateness = {0};
	struct render_health health = {0};
	struct render_jobs jobs;
	uint64_t now_ms = clock_monotonic_ms();

	render_jobs_init(&jobs, 10);
	add(&jobs, 1, NOW_S + 10);
	add(&jobs, 2, NOW_S - late_s);
	add(&jobs, 3, NOW_S);
	if (percent)
		lateness_note(&lateness, percent * SECOND_US / 100, SECOND_US);
	if (hurried_before)
		render_health_hurry(&health, now_ms + SECOND_US);
	lateness_tell(&lateness, &jobs, NOW_S, &health);
	render_jobs_finish(&jobs);
	return hurried_before ? !render_health_is_hurried(&health, now_ms + SECOND_US / 2)
			      : render_health_is_hurried(&health, now_ms);
}

TEST(test_renderers_hurry_if_others_take_the_processors)
{
	assert_true(hurries(LATENESS_LEAST_S, 10, false));
	assert_true(hurries(440, 0, false)); /* nothing has ended */
	assert_false(hurries(LATENESS_LEAST_S - 1, 10, false));
	assert_false(hurries(440, 80, false)); /* the server's own work takes them */
	/* With more, they go on hurrying: the time is set anew. */
	assert_true(hurries(440, 80, true));
	assert_false(hurries(440, 95, true));
}

TEST(test_without_shared_memory_nothing_hurries)
{
	struct lateness lateness = {0};
	struct render_jobs jobs;

	render_jobs_init(&jobs, 10);
	add(&jobs, 1, NOW_S - 99);
	lateness_tell(&lateness, &jobs, NOW_S, NULL);
	assert_false(render_health_is_hurried(NULL, 1));
	render_jobs_finish(&jobs);
}

RUN_TESTS(NULL, NULL)
