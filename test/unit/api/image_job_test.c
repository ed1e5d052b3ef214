/* Tests that images use memory of their budget, and release it. */
#include "../cmocka_test.h"
#include "api/image_job.h"
#include "base/limits.h"
#include "base/memory.h"

enum { TEXT_LENGTH = PANELIMAGE_INPUT_MAX_BYTES / 3 * 4, JOBS = 1000 };

static const struct id account = {{1}}, other_account = {{2}};
static struct image_job jobs[JOBS];
static struct arena arena;
static struct memory_budget budget;
static char text[TEXT_LENGTH];

static int fill_text(void **state)
{
	(void)state;
	memset(text, 'A', sizeof(text));
	return 0;
}

static bool take(struct image_job *job, struct id owner)
{
	assert_true(image_job_init(job, (struct str){0}, (struct str){text, sizeof(text)}));
	return image_job_take_memory(job, &budget, owner, &arena);
}

static void finish(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		image_job_finish(&jobs[i]);
	assert_int_equal(budget.bytes, 0);
	arena_finish(&arena);
	arena = (struct arena){0};
}

/* Converts images of one account: they take half of the memory at most. */
TEST(an_account_takes_half_of_the_memory)
{
	unsigned count = 0;

	while (take(&jobs[count], account))
		count++;
	assert_null(jobs[count].bytes);
	count++;
	assert_in_range(budget.bytes, LIMIT_IMAGES_BYTES / 2,
			LIMIT_IMAGES_BYTES / 2 + 2 * PANELIMAGE_INPUT_MAX_BYTES);
	assert_true(take(&jobs[count++], other_account));
	assert_true(image_job_take_animation(&jobs[count - 1]));
	finish(count);
}

/* Counts the memory that converting an animation needs, too. */
TEST(animations_take_more)
{
	unsigned count = 0;

	do
		assert_true(take(&jobs[count], account));
	while (image_job_take_animation(&jobs[count++]));
	assert_in_range(count, 32, LIMIT_IMAGES_BYTES / 2 / PANELIMAGE_HELD_MAX_BYTES);
	finish(count);
}

static void run(struct image_job *job)
{
	while (image_job_begin(job))
		;
}

/* Covers every end of a job: refused at once, finished on its thread, or never run. */
TEST(every_end_gives_the_memory_back)
{
	assert_false(image_job_init(&jobs[0], (struct str){0}, STR("")));
	assert_true(take(&jobs[1], account));
	run(&jobs[1]);
	assert_true(jobs[1].has_failed); /* zeros are not an image */
	assert_true(take(&jobs[2], account));
	jobs[3] = (struct image_job){0};
	finish(4);
}

RUN_TESTS(fill_text, NULL)
