/* Notes of panels' WebSockets while another worker, killed in the middle of a write, holds their
 * slots. */
#include "../cmocka_test.h"
#include "panel_links.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct cursor_table *memory;
static struct cursors cursors;
static struct loop loop;
static struct panel_links links;
static uv_async_t keeper; /* deadlines alone keep no loop */

static int set_up(void **state)
{
	(void)state;
	/* Shared with processes that a test forks. */
	memory = mmap(NULL, cursor_region.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	cursor_region.init(memory);
	cursors = cursors_join(memory, 0);
	assert_int_equal(loop_init(&loop), 0);
	assert_int_equal(uv_async_init(&loop.uv, &keeper, NULL), 0);
	links = (struct panel_links){.loop = &loop, .cursors = &cursors};
	panel_links_init(&links);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	panel_links_finish(&links);
	uv_close((uv_handle_t *)&keeper, NULL);
	loop_finish(&loop);
	return munmap(memory, cursor_region.size);
}

static struct id id_of(unsigned number)
{
	struct id id = {0};

	memcpy(id.bytes, &number, sizeof(number));
	return id;
}

/* Writes the device's slot until it is killed. */
static pid_t begin_writer(struct id device_id)
{
	pid_t pid = fork();
	struct cursors writer;

	if (pid)
		return pid;
	writer = cursors_join(memory, 1);
	for (int64_t i = 1;; i++)
		cursor_set(&writer, device_id, &(struct poll_cursor){.position = i},
			   &(struct cursor_moment){.wall_us = i});
}

static void kill_writer(struct id device_id)
{
	const struct poll_cursor none = {.position = -1};
	pid_t pid;

	cursor_set(&cursors, device_id, &none, &(struct cursor_moment){.wall_us = 1});
	pid = begin_writer(device_id);
	while (cursor_get(&cursors, device_id).position == -1)
		;
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Leaves the slot as a worker does that died in the middle of a write. */
static void hold(struct id device_id)
{
	do {
		cursors_join(memory, 1);
		kill_writer(device_id);
	} while (cursor_link(&cursors, device_id));
}

/* Acts as the successor of the dead worker. */
static void let_go(void)
{
	cursors_join(memory, 1);
}

static void stop_if_written(struct turn_end *turn_end)
{
	(void)turn_end;
	if (links.waiting_count == 0)
		loop_stop(&loop);
}

static void run_until_written(void)
{
	struct turn_end turn_end = {.run = stop_if_written};

	turn_end_add(&loop, &turn_end);
	loop_run(&loop);
	turn_end_remove(&turn_end);
}

#define SCENE(function) TEST_IN(function, set_up, tear_down)

SCENE(what_can_be_written_is_written_at_once)
{
	panel_links_open(&links, id_of(1));
	assert_true(cursor_contact(&cursors, id_of(1)).is_linked);
	panel_links_end(&links, id_of(1));
	assert_int_not_equal(cursor_contact(&cursors, id_of(1)).left_us, 0);
	assert_int_equal(links.waiting_count, 0);
}

SCENE(an_opened_one_is_written_later)
{
	hold(id_of(1));
	panel_links_open(&links, id_of(1));
	assert_int_equal(links.waiting_count, 1);
	let_go();
	assert_false(cursor_contact(&cursors, id_of(1)).is_linked);
	run_until_written();
	assert_true(cursor_contact(&cursors, id_of(1)).is_linked);
}

/* The panel would count as connected for ever. */
SCENE(an_ended_one_is_written_later)
{
	hold(id_of(1));
	panel_links_open(&links, id_of(1));
	panel_links_end(&links, id_of(1));
	assert_int_equal(links.waiting_count, 1);
	let_go();
	run_until_written();
	assert_false(cursor_contact(&cursors, id_of(1)).is_linked);
}

SCENE(the_last_note_of_a_panel_holds)
{
	hold(id_of(1));
	panel_links_end(&links, id_of(1));
	let_go();
	panel_links_open(&links, id_of(1));
	assert_int_equal(links.waiting_count, 0);
	assert_true(cursor_contact(&cursors, id_of(1)).is_linked);
}

RUN_TESTS(NULL, NULL)
