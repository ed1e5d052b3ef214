/* Tests which picture a panel's "queued" and "displaying" are about if messages are lost, late or
 * repeated. The panel says what the test lets it say. */
#include "domain/playback.h"

#include "../cmocka_test.h"

enum { INTERVAL_MS = 15 * 1000, LEAD_MS = 1000, LATE_MS = 10 * 1000, NONE = -1 };

static struct playback playback;
static struct content content;
static struct content_installation installations[3];
static int64_t now_ms;
static unsigned sent_count;

static struct playback_clock clock_now(void)
{
	/* 2026-11-20T12:00:00Z */
	return (struct playback_clock){.now_ms = now_ms,
				       .wall_us = INT64_C(1795176000) * 1000000 + now_ms * 1000};
}

static void on_brightness(void *context, int percent)
{
	(void)context;
	(void)percent;
}

static bool on_picture(void *context, const struct playback_item *item, int64_t dwell_s,
		       int brightness, bool hurried)
{
	(void)context;
	(void)item;
	(void)dwell_s;
	(void)brightness;
	(void)hurried;
	sent_count++;
	return true;
}

static void on_immediate(void *context)
{
	(void)context;
}

static void on_push_displayed(void *context, int64_t generation, int64_t wall_us)
{
	(void)context;
	(void)generation;
	(void)wall_us;
}

static const struct playback_output output = {
    .brightness = on_brightness,
    .picture = on_picture,
    .immediate = on_immediate,
    .push_displayed = on_push_displayed,
};

static void update(void)
{
	playback_update(&playback, &content, clock_now(), &output);
}

static void queued(int64_t number)
{
	playback_on_queued(&playback, number, clock_now());
	update();
}

static void displaying(int64_t number)
{
	playback_on_displaying(&playback, number, &content, clock_now(), &output);
	update();
}

static void pass(int64_t ms)
{
	now_ms += ms;
	update();
}

static void push(void)
{
	content.push = (struct content_push){
	    .generation = content.push.generation + 1,
	    .installation_position = -1,
	    .duration_s = 45,
	    .created_us = clock_now().wall_us,
	    .picture = {.data = STR("webp")},
	};
	update();
}

/* A panel with three entries has connected; the first one was sent. */
static void connect_panel(bool says_queued)
{
	playback_init(&playback, -1);
	if (says_queued)
		playback_on_queued(&playback, NONE, clock_now());
	else
		playback_on_displaying(&playback, NONE, &content, clock_now(), &output);
	update();
	assert_int_equal(sent_count, 1);
}

static int set_up(void **state)
{
	(void)state;
	now_ms = 1000 * 1000;
	sent_count = 0;
	content = (struct content){.installations = installations,
				   .installation_count = array_length(installations)};
	content.settings.brightness = 60;
	content.settings.schedule_interval_s = INTERVAL_MS / 1000;
	for (unsigned i = 0; i < array_length(installations); i++)
		installations[i] = (struct content_installation){
		    .id = STR("installation"),
		    .position = 1 + i,
		    .picture_generation = 1 + i,
		    .picture = {.data = STR("webp")},
		};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	playback_finish(&playback);
	return 0;
}

static void assert_entry(int64_t position)
{
	assert_int_equal(playback.displayed.kind, PLAYBACK_INSTALLATION);
	assert_int_equal(playback.displayed.position, position);
	assert_int_equal(playback.rotation_position, position);
}

static void assert_push(int64_t generation)
{
	assert_int_equal(playback.displayed.kind, PLAYBACK_PUSH);
	assert_int_equal(playback.displayed.generation, generation);
}

#define SCENE(function) TEST_IN(function, set_up, tear_down)

/* ---- "displaying" without "queued" ---- */

SCENE(a_repeated_number_is_the_same_picture)
{
	connect_panel(/* says_queued= */ false);
	displaying(1);
	assert_entry(1);
	/* Since the picture is assumed, the next one is sent shortly before its turn. */
	pass(INTERVAL_MS - LEAD_MS - 1);
	assert_int_equal(sent_count, 1);
	pass(1);
	assert_int_equal(sent_count, 2);
	displaying(1);
	assert_entry(1);
	displaying(2);
	assert_entry(2);
}

/* The picture was counted as displayed by the number of another one: it is only queued. */
SCENE(a_number_of_another_picture_is_taken_back)
{
	connect_panel(/* says_queued= */ true);
	displaying(3);
	assert_entry(1);
	playback_on_queued(&playback, 4, clock_now());
	assert_int_equal(playback.displayed.kind, PLAYBACK_NOTHING);
	assert_int_equal(playback.rotation_position, -1);
	displaying(4);
	assert_entry(1);
	assert_false(playback.is_assumed);
}

SCENE(displaying_may_overtake_queued)
{
	int64_t since_ms;

	connect_panel(/* says_queued= */ true);
	displaying(1);
	assert_entry(1);
	assert_true(playback.is_assumed);
	since_ms = playback.since_ms;
	assert_int_equal(sent_count, 1);
	queued(1);
	assert_entry(1);
	/* It is confirmed: the next picture is sent at once. */
	assert_false(playback.is_assumed);
	assert_int_equal(sent_count, 2);
	pass(5000);
	displaying(1);
	assert_entry(1);
	assert_int_equal(playback.since_ms, since_ms);
}

/* Two pictures are on their way: the first "displaying" is about the first one, whose "queued" is
 * about to come. A panel without "queued" has taken the newest. */
SCENE(the_first_number_is_about_the_oldest_or_the_newest)
{
	connect_panel(/* says_queued= */ true);
	push();
	displaying(1);
	assert_entry(1);
	playback_finish(&playback);
	sent_count = 0;
	content.push = (struct content_push){0};
	connect_panel(/* says_queued= */ false);
	push();
	displaying(2);
	assert_push(1);
}

/* ---- numbers of "queued" ---- */

static void confirm_first(int64_t number)
{
	connect_panel(/* says_queued= */ true);
	queued(number);
	displaying(number);
	assert_entry(1);
	assert_int_equal(sent_count, 2); /* the second one waits in the panel */
}

SCENE(late_and_repeated_numbers_are_ignored)
{
	confirm_first(5);
	displaying(4);
	assert_entry(1);
	queued(5);
	queued(6);
	displaying(6);
	assert_entry(2);
}

SCENE(a_gap_is_a_lost_message)
{
	confirm_first(1);
	push();
	queued(3);
	displaying(3);
	assert_push(1);
}

/* The "queued" of the second entry was lost, with no gap to show it: the panel began to count
 * anew. */
SCENE(what_is_long_overdue_does_not_come)
{
	confirm_first(1);
	now_ms += LATE_MS + 1;
	push();
	queued(2);
	displaying(2);
	assert_push(1);
}

/* Playback remembers four of five pictures: the number of the first one is not the second's. */
SCENE(numbers_of_forgotten_pictures_are_counted)
{
	connect_panel(/* says_queued= */ true);
	for (unsigned i = 0; i < PLAYBACK_RING; i++)
		push();
	assert_int_equal(sent_count, 1 + PLAYBACK_RING);
	playback_on_queued(&playback, 1, clock_now());
	playback_on_queued(&playback, 2, clock_now());
	playback_on_displaying(&playback, 2, &content, clock_now(), &output);
	assert_push(1);
	playback_on_queued(&playback, 3, clock_now());
	playback_on_displaying(&playback, 3, &content, clock_now(), &output);
	assert_push(2);
}

RUN_TESTS(NULL, NULL)
