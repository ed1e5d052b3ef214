#include "memory.h"
#include "player.h"
#include "test.h"
#include "webp.h"

/* Player's calls, as text: "+3" picture 3 came on, "ff0000" a frame, "!3" it failed. */
struct fixture {
	struct player player;
	FILE *log;
	char *text;
	size_t size;
	uint64_t now_ms;
};

static void on_displaying(void *context, const struct player_picture *picture)
{
	fprintf(((struct fixture *)context)->log, "+%u ", picture->counter);
}

static void on_frame(void *context, const struct pixels *pixels, uint32_t frame)
{
	const uint8_t *rgb = pixels_at(pixels, 31, 63);

	fprintf(((struct fixture *)context)->log, "%02x%02x%02x/%u ", rgb[0], rgb[1], rgb[2],
		frame);
}

static void on_failed(void *context, uint32_t counter, const char *fault)
{
	(void)fault;
	fprintf(((struct fixture *)context)->log, "!%u ", counter);
}

static const struct player_events events = {
    .on_displaying = on_displaying,
    .on_frame = on_frame,
    .on_failed = on_failed,
};

static int set_up(void **state)
{
	struct fixture *f = memory_zalloc(sizeof(*f));

	f->log = open_memstream(&f->text, &f->size);
	f->now_ms = 5000;
	player_init(&f->player, &events, f);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	player_finish(&f->player);
	fclose(f->log);
	free(f->text);
	free(f);
	return 0;
}

/* Lets the time pass, stopping wherever something is due, and checks what was done. */
static void expect(struct fixture *f, uint64_t pass_ms, const char *log)
{
	uint64_t end_ms = f->now_ms + pass_ms;
	uint64_t next_ms;

	player_advance(&f->player, f->now_ms);
	while ((next_ms = player_next_ms(&f->player)) != PLAYER_NEVER && next_ms <= end_ms) {
		if (next_ms > f->now_ms)
			f->now_ms = next_ms;
		player_advance(&f->player, f->now_ms);
	}
	f->now_ms = end_ms;
	fputc('\0', f->log);
	fflush(f->log);
	assert_string_equal(f->text, log);
	rewind(f->log);
}

static void queue(struct fixture *f, const uint32_t *colours, int count, int duration_ms,
		  uint32_t dwell_s)
{
	size_t size;
	uint8_t *data = webp_make(colours, count, duration_ms, 64, 32, &size);

	player_queue(&f->player, data, size, dwell_s);
	free(data);
}

static void queue_still(struct fixture *f, uint32_t colour, uint32_t dwell_s)
{
	queue(f, &colour, 1, 0, dwell_s);
}

#define SCENE(name) TEST_IN(name, set_up, tear_down)

SCENE(test_first_picture_comes_on_at_once)
{
	struct fixture *f = *state;

	assert_int_equal(player_next_ms(&f->player), PLAYER_NEVER);
	queue_still(f, 0xff0000, 10);
	expect(f, 0, "+1 ff0000/0 ");
	expect(f, 100000, "");
}

SCENE(test_next_picture_waits_for_the_dwell)
{
	struct fixture *f = *state;

	queue_still(f, 0x000001, 10);
	expect(f, 3000, "+1 000001/0 ");
	queue_still(f, 0x000002, 5);
	expect(f, 6999, "");
	expect(f, 1, "+2 000002/0 ");
}

SCENE(test_picture_that_comes_in_a_repetition_waits_for_its_end)
{
	struct fixture *f = *state;

	queue_still(f, 0x000001, 10);
	expect(f, 12000, "+1 000001/0 ");
	queue_still(f, 0x000002, 10);
	expect(f, 7999, "");
	expect(f, 1, "+2 000002/0 ");
}

SCENE(test_newer_picture_replaces_the_queued_one)
{
	struct fixture *f = *state;

	queue_still(f, 0x000001, 2);
	expect(f, 0, "+1 000001/0 ");
	queue_still(f, 0x000002, 2);
	queue_still(f, 0x000003, 2);
	expect(f, 2000, "+3 000003/0 ");
	expect(f, 60000, "");
}

SCENE(test_immediate_shows_the_queued_picture)
{
	struct fixture *f = *state;

	queue_still(f, 0x000001, 3600);
	expect(f, 500, "+1 000001/0 ");
	queue_still(f, 0x000002, 1);
	assert_true(player_interrupt(&f->player, f->now_ms));
	expect(f, 0, "+2 000002/0 ");
	queue_still(f, 0x000003, 1);
	expect(f, 999, "");
	expect(f, 1, "+3 000003/0 ");
}

SCENE(test_immediate_with_nothing_queued_freezes)
{
	struct fixture *f = *state;
	const uint32_t colours[] = {1, 2};

	queue(f, colours, 2, 500, 1);
	expect(f, 300, "+1 000001/0 ");
	assert_false(player_interrupt(&f->player, f->now_ms));
	expect(f, 100000, "");
	queue_still(f, 0x000003, 10);
	expect(f, 0, "+2 000003/0 ");
}

SCENE(test_immediate_close_behind_a_change_has_no_effect)
{
	struct fixture *f = *state;
	const uint32_t colours[] = {1, 2};

	queue(f, colours, 2, 500, 1);
	expect(f, PLAYER_IMMEDIATE_BLIND_MS - 1, "+1 000001/0 ");
	assert_false(player_interrupt(&f->player, f->now_ms));
	expect(f, 500, "000002/1 ");
}

SCENE(test_animation_loops_and_is_not_cut_at_its_dwell)
{
	struct fixture *f = *state;
	const uint32_t colours[] = {1, 2, 3};

	queue(f, colours, 3, 500, 2); /* 1.5 s a loop, so its time is two loops */
	expect(f, 100, "+1 000001/0 ");
	queue_still(f, 0xffffff, 1);
	expect(f, 2899, "000002/1 000003/2 000001/0 000002/1 000003/2 ");
	expect(f, 1, "+2 ffffff/0 ");
}

SCENE(test_immediate_cuts_an_animation)
{
	struct fixture *f = *state;
	const uint32_t colours[] = {1, 2, 3};

	queue(f, colours, 3, 500, 2);
	expect(f, 700, "+1 000001/0 000002/1 ");
	queue_still(f, 0xffffff, 1);
	player_interrupt(&f->player, f->now_ms);
	expect(f, 0, "+2 ffffff/0 ");
}

SCENE(test_broken_picture_is_acknowledged_and_not_shown)
{
	struct fixture *f = *state;
	static const uint8_t garbage[] = "RIFF\x10\0\0\0WEBPVP8 garbage";

	player_queue(&f->player, garbage, sizeof(garbage), 10);
	expect(f, 0, "+1 !1 ");
	player_queue(&f->player, NULL, 0, 10);
	expect(f, 0, "+2 !2 ");
	queue_still(f, 0x000003, 10);
	expect(f, 0, "+3 000003/0 ");
}

SCENE(test_other_sizes_are_refused)
{
	struct fixture *f = *state;
	const uint32_t colours[] = {1, 2};
	static const int sizes[][2] = {{32, 64}, {64, 33}, {1, 1}, {4000, 4000}};

	for (size_t i = 0; i < array_length(sizes); i++) {
		char log[32];
		size_t size;
		uint8_t *data = webp_make(colours, sizes[i][0] == 4000 ? 1 : 2, 10, sizes[i][0],
					  sizes[i][1], &size);

		player_queue(&f->player, data, size, 10);
		free(data);
		snprintf(log, sizeof(log), "+%zu !%zu ", i + 1, i + 1);
		expect(f, 0, log);
	}
}

/* Every file that is cut short or has one byte changed: nothing but pictures or faults. */
SCENE(test_damaged_files_do_no_harm)
{
	struct fixture *f = *state;
	const uint32_t colours[] = {1, 2, 3};
	size_t size;
	uint8_t *data = webp_make(colours, 3, 100, 64, 32, &size);

	for (size_t i = 0; i < size; i++) {
		uint8_t kept = data[i];

		player_queue(&f->player, data, i, 1);
		player_interrupt(&f->player, f->now_ms);
		player_advance(&f->player, f->now_ms += 50);
		data[i] = (uint8_t)(kept ^ 0x5a);
		player_queue(&f->player, data, size, 1);
		player_interrupt(&f->player, f->now_ms);
		player_advance(&f->player, f->now_ms += 50);
		player_advance(&f->player, f->now_ms += 400);
		data[i] = kept;
	}
	rewind(f->log);
	player_queue(&f->player, data, size, 1);
	player_interrupt(&f->player, f->now_ms);
	player_advance(&f->player, f->now_ms);
	fputc('\0', f->log);
	fflush(f->log);
	assert_non_null(strstr(f->text, "000001/0"));
	free(data);
}

SCENE(test_reset_counts_anew)
{
	struct fixture *f = *state;

	queue_still(f, 0x000001, 10);
	queue_still(f, 0x000002, 10);
	expect(f, 0, "+2 000002/0 ");
	player_reset(&f->player);
	queue_still(f, 0x000003, 10);
	expect(f, 0, "+1 000003/0 ");
}

int main(void)
{
	return run_all_tests(NULL, NULL);
}
