/* The engines with a render host and renderers played by the test: every message, every end. */
#include "../cmocka_test.h"
#include "../leap.h"
#include "base/limits.h"
#include "base/memory.h"
#include "frame.h"
#include "loop/lanes.h"
#include "preview_accounts.h"
#include "render/engines.h"
#include "render/host.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

enum { JOBS = 300, FIRST_HOST = 7, EXITED_2 = 2 << 8 };

#define GREETING "{\"engine\":\"STARLARK\",\"library\":\"test\",\"layers\":\"none\"}"
#define NOTHING "{\"elapsed_us\":5,\"cpu_us\":5}"
#define COMPUTED "{\"elapsed_us\":9000000,\"cpu_us\":9000000}"

static struct loop loop;
static uv_idle_t idle; /* keeps an idle loop turning */
static struct engines *engines;
static int host; /* the test's end */
static struct engine_job jobs[JOBS];
static unsigned done[JOBS];
static unsigned done_count;

/* A renderer that the test plays. */
struct played {
	uint32_t number;
	int link;
	enum render_program program;
};

static void on_idle(uv_idle_t *handle)
{
	(void)handle;
}

static void step(void)
{
	uv_run(&loop.uv, UV_RUN_NOWAIT);
}

static void on_done(struct engine_job *job)
{
	done[job - jobs]++;
	done_count++;
}

/* ---- the host ---- */

static void tell(struct host_message message, int descriptor)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec part = {.iov_base = &message, .iov_len = sizeof(message)};
	struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};

	if (descriptor >= 0) {
		packet.msg_control = control.bytes;
		packet.msg_controllen = sizeof(control.bytes);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &descriptor, sizeof(int));
	}
	assert_int_equal(sendmsg(host, &packet, 0), sizeof(message));
}

/* Returns the next message of the worker; false: there is none. */
static bool hear(struct host_message *ret_message)
{
	step();
	return recv(host, ret_message, sizeof(*ret_message), MSG_DONTWAIT) == sizeof(*ret_message);
}

static struct host_message expect(enum host_message_kind kind)
{
	struct host_message message = {0};

	assert_true(hear(&message));
	assert_int_equal(message.kind, kind);
	return message;
}

static void expect_nothing(void)
{
	struct host_message message;

	assert_false(hear(&message));
}

/* Answers a start with a renderer that has sent its greeting. */
static struct played start_renderer(void)
{
	struct host_message message = expect(HOST_START);
	struct played played = {.number = message.number,
				.program = (enum render_program)message.program};
	int links[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, links), 0);
	played.link = links[0];
	tell((struct host_message){.kind = HOST_STARTED, .number = message.number}, links[1]);
	close(links[1]);
	step();
	return played;
}

static void end_renderer(struct played *played, int status)
{
	close(played->link);
	step();
	tell((struct host_message){.kind = HOST_ENDED, .number = played->number, .value = status},
	     -1);
	step();
	step();
}

/* ---- a renderer ---- */

static void write_frame(struct played *played, struct str head, struct str blob)
{
	struct buffer bytes = {0};
	struct str view;

	assert_true(frame_append(&bytes, head, blob));
	view = buffer_view(&bytes);
	assert_int_equal(write(played->link, view.data, view.length), view.length);
	buffer_finish(&bytes);
	step();
	step();
}

/* Reads what was received, at most that many frames. Returns their number. */
static unsigned read_frames(struct played *played, struct frame *frames, unsigned most)
{
	static char bytes[65536];
	unsigned count = 0;
	struct str rest;
	ssize_t length;

	step();
	length = recv(played->link, bytes, sizeof(bytes), MSG_DONTWAIT);
	assert_true(length > 0);
	for (rest = (struct str){bytes, (size_t)length}; rest.length > 0; count++) {
		assert_true(count < most);
		assert_int_equal(frame_read(rest, &frames[count]), FRAME_IS_WHOLE);
		rest.data += frames[count].size;
		rest.length -= frames[count].size;
	}
	return count;
}

/* Reads the head of the received request. */
static void read_request(struct played *played, char ret_head[static 4096])
{
	struct frame frame = {0};

	assert_int_equal(read_frames(played, &frame, 1), 1);
	snprintf(ret_head, 4096, "%.*s", STR_ARG(frame.head));
}

/* Reads answers of the network, behind how long they waited for a turn: so many seconds. */
static void read_answers(struct played *played, unsigned answers, unsigned queued_s)
{
	static const char before[] = "{\"fetch\":{\"id\":0,\"queued_ms\":";
	struct frame frames[8];
	char head[256], *end;

	assert_int_equal(read_frames(played, frames, array_length(frames)), 1 + answers);
	snprintf(head, sizeof(head), "%.*s", STR_ARG(frames[0].head));
	assert_memory_equal(head, before, strlen(before));
	assert_int_equal(strtoul(head + strlen(before), &end, 10) / 1000, queued_s);
	assert_string_equal(end, "}}");
	for (unsigned i = 1; i <= answers; i++) {
		snprintf(head, sizeof(head), "%.*s", STR_ARG(frames[i].head));
		assert_non_null(strstr(head, "\"id\":3"));
	}
}

static struct played start_greeted(void)
{
	struct played played = start_renderer();

	write_frame(&played, STR(GREETING), STR(""));
	return played;
}

static void answer(struct played *played, struct str head, struct str blob)
{
	char request[4096];

	read_request(played, request);
	write_frame(played, head, blob);
}

/* ---- jobs ---- */

static int submit(unsigned number, uint8_t account, bool is_preview)
{
	unsigned retry_after_s = 0;
	int error;

	jobs[number] = (struct engine_job){
	    .account = {{account}},
	    .what = ENGINE_SCHEMA,
	    .language = ENGINE_STARLARK,
	    .script = STR("def main(config): pass"),
	    .config = STR("{\"a\":1}"),
	    .is_preview = is_preview,
	    .done = on_done,
	};
	error = engines_submit(engines, &jobs[number], &retry_after_s);
	assert_true(error == 0 || retry_after_s > 0);
	return error;
}

static void assert_done(unsigned number, enum engine_problem_kind kind)
{
	assert_int_equal(done[number], 1);
	assert_int_equal(jobs[number].answer.problem.kind, kind);
}

static void open_engines(unsigned processes)
{
	struct engines_settings settings = {.processes = processes};
	struct host_message hello;
	int ends[2];

	assert_int_equal(loop_init(&loop), 0);
	uv_idle_init(&loop.uv, &idle);
	uv_idle_start(&idle, on_idle);
	lanes_start(&loop, 2);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	host = ends[0];
	settings.host = ends[1];
	engines = engines_create(&loop, &settings);
	memset(jobs, 0, sizeof(jobs));
	memset(done, 0, sizeof(done));
	done_count = 0;
	tell((struct host_message){.kind = HOST_HELLO, .value = FIRST_HOST}, -1);
	hello = expect(HOST_HELLO);
	assert_int_equal(hello.value, getpid());
}

static int open_one(void **state)
{
	(void)state;
	open_engines(1);
	return 0;
}

static int open_two(void **state)
{
	(void)state;
	open_engines(2);
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	engines_drain(engines);
	while (lanes_load(&loop, LANE_SHORT) > 0)
		step();
	step();
	step();
	engines_destroy(engines);
	lanes_stop(&loop);
	uv_close((uv_handle_t *)&idle, NULL);
	loop_finish(&loop);
	close(host);
	for (unsigned i = 0; i < JOBS; i++)
		engine_job_finish(&jobs[i]);
	return 0;
}

#define CASE(name) TEST_IN(name, open_one, close_all)

/* ---- one job ---- */

CASE(test_a_schema)
{
	struct played played;
	char head[4096];

	expect_nothing();
	assert_int_equal(submit(0, 1, false), 0);
	played = start_greeted();
	assert_int_equal(played.program, RENDER_STARLARK);
	read_request(&played, head);
	assert_non_null(strstr(head, "\"what\":\"schema\""));
	assert_non_null(strstr(head, "\"config\":{\"a\":1,\"$tz\":\"UTC\"}"));
	assert_non_null(strstr(head, "\"timezone\":\"UTC\""));
	assert_non_null(strstr(head, "\"network\":false"));
	assert_int_equal(done_count, 0);
	write_frame(&played, STR("{\"schema\":{\"version\":\"1\"},\"log\":[\"hi\"]}"), STR(""));
	assert_done(0, ENGINE_DONE);
	assert_true(str_equal(jobs[0].answer.schema, STR("{\"version\":\"1\"}")));
	assert_true(str_equal(jobs[0].answer.log, STR("hi\n")));
	/* The next one gets the same process. */
	assert_int_equal(submit(1, 1, false), 0);
	expect_nothing();
	answer(&played, STR(NOTHING), STR(""));
	assert_done(1, ENGINE_DONE);
	close(played.link);
}

static void submit_picture(unsigned number)
{
	unsigned retry_after_s;

	jobs[number] = (struct engine_job){.what = ENGINE_PICTURE,
					   .language = ENGINE_STARLARK,
					   .script = STR("x"),
					   .done = on_done};
	assert_int_equal(engines_submit(engines, &jobs[number], &retry_after_s), 0);
}

static void wait_for_done(unsigned number)
{
	while (!done[number])
		step();
	assert_int_equal(done[number], 1);
}

CASE(test_a_picture_is_checked)
{
	static const char webp[] =
	    "\x52\x49\x46\x46\x22\x00\x00\x00\x57\x45\x42\x50\x56\x50\x38\x4c"
	    "\x15\x00\x00\x00\x2f\x3f\xc0\x07\x00\x07\x10\xfd\x8f\xfe\x07\x80"
	    "\x84\xf0\xff\xbc\x1a\xd1\xff\xd4\x07\x00";
	struct str good = {webp, sizeof(webp) - 1};
	struct played played;

	submit_picture(0);
	played = start_greeted();
	answer(&played, STR(NOTHING), good);
	wait_for_done(0);
	assert_done(0, ENGINE_DONE);
	assert_true(str_equal(jobs[0].answer.picture, good));
	submit_picture(1);
	answer(&played, STR(NOTHING), STR("RIFF, but no picture"));
	wait_for_done(1);
	assert_done(1, ENGINE_BAD_PICTURE);
	assert_int_equal(jobs[1].answer.picture.length, 0);
	submit_picture(2);
	answer(&played, STR(NOTHING), STR(""));
	assert_done(2, ENGINE_DONE);
	assert_int_equal(jobs[2].answer.picture.length, 0);
	close(played.link);
}

CASE(test_what_is_refused)
{
	unsigned retry_after_s;
	const char *why;

	assert_true(engines_has(engines, ENGINE_STARLARK, &why));
	jobs[0] = (struct engine_job){.script = STR("x"), .config = STR("[]"), .done = on_done};
	assert_int_equal(engines_submit(engines, &jobs[0], &retry_after_s), -EINVAL);
	jobs[0].config = STR("{\"a\":");
	assert_int_equal(engines_submit(engines, &jobs[0], &retry_after_s), -EINVAL);
	jobs[0].config = STR("");
	jobs[0].locale = STR("\xff");
	assert_int_equal(engines_submit(engines, &jobs[0], &retry_after_s), -EINVAL);
	jobs[0].locale = STR("");
	jobs[0].what = ENGINE_COMPILE;
	assert_int_equal(engines_submit(engines, &jobs[0], &retry_after_s), -EINVAL);
	jobs[0].what = ENGINE_PICTURE;
	jobs[0].language = ENGINE_TYPESCRIPT;
	jobs[0].timezone = STR("Nowhere/Land");
	assert_int_equal(engines_submit(engines, &jobs[0], &retry_after_s), -EINVAL);
	expect_nothing();
	assert_int_equal(done_count, 0);
}

/* ---- renderers that do what they must not ---- */

static void assert_crash_and_another(struct played *played)
{
	struct host_message message = expect(HOST_KILL);

	assert_int_equal(message.number, played->number);
	close(played->link);
	assert_int_equal(submit(1, 1, false), 0);
	*played = start_greeted();
	answer(played, STR(NOTHING), STR(""));
	assert_done(1, ENGINE_DONE);
	close(played->link);
}

CASE(test_what_is_no_answer)
{
	static const struct str heads[] = {{"[]", 2}, {"{", 1}, {"", 0}, {"\"\xff\"", 3}};

	for (size_t i = 0; i < array_length(heads); i++) {
		struct played played;

		memset(done, 0, sizeof(done));
		assert_int_equal(submit(0, 1, false), 0);
		played = start_greeted();
		answer(&played, heads[i], STR(""));
		assert_done(0, ENGINE_CRASH);
		engine_job_finish(&jobs[0]);
		assert_crash_and_another(&played);
		engine_job_finish(&jobs[1]);
		expect(HOST_KILL); /* the one that has closed its socket */
		end_renderer(&(struct played){.number = played.number, .link = dup(host)}, 0);
	}
}

CASE(test_a_frame_that_is_too_long)
{
	struct played played;

	assert_int_equal(submit(0, 1, false), 0);
	played = start_greeted();
	assert_int_equal(write(played.link, "\xff\xff\xff\xff\xff\xff\xff\xff", 8), 8);
	step();
	assert_done(0, ENGINE_CRASH);
	assert_crash_and_another(&played);
}

CASE(test_more_than_the_answer)
{
	struct played played;
	char head[4096];

	assert_int_equal(submit(0, 1, false), 0);
	played = start_greeted();
	read_request(&played, head);
	assert_int_equal(write(played.link, "\0\0\0\2\0\0\0\0{}\0\0\0\2", 14), 14);
	step();
	assert_done(0, ENGINE_DONE);
	assert_crash_and_another(&played);
}

CASE(test_a_frame_that_nobody_asked_for)
{
	struct played played;

	assert_int_equal(submit(0, 1, false), 0);
	played = start_greeted();
	answer(&played, STR(NOTHING), STR(""));
	assert_done(0, ENGINE_DONE);
	write_frame(&played, STR(NOTHING), STR(""));
	assert_crash_and_another(&played);
}

CASE(test_one_that_recycles)
{
	struct played played;

	assert_int_equal(submit(0, 1, false), 0);
	played = start_greeted();
	answer(&played, STR("{\"recycle\":true}"), STR(""));
	assert_done(0, ENGINE_DONE);
	assert_crash_and_another(&played);
}

CASE(test_fetches_are_refused_in_plain_words)
{
	struct played played;
	char head[4096];

	assert_int_equal(submit(0, 1, false), 0);
	played = start_greeted();
	read_request(&played, head);
	write_frame(&played, STR("{\"fetch\":{\"id\":3,\"url\":\"http://example.org\"}}"), STR(""));
	read_request(&played, head);
	assert_non_null(strstr(head, "\"id\":3"));
	assert_non_null(strstr(head, "\"error\":\"no network here"));
	for (int i = 0; i < 63; i++) {
		write_frame(&played, STR("{\"fetch\":{\"id\":3}}"), STR(""));
		assert_int_equal(done_count, 0);
	}
	write_frame(&played, STR("{\"fetch\":{\"id\":3}}"), STR(""));
	assert_done(0, ENGINE_CRASH);
	assert_crash_and_another(&played);
}

/* ---- the compiler ---- */

/* Plays a compiler that writes the text this many times, and ends. */
static void compile_to(const char *text, unsigned times, int status)
{
	struct played played = start_renderer();
	struct str view = str_from(text);

	assert_int_equal(played.program, RENDER_COMPILER);
	for (unsigned i = 0; i < times; i++) {
		assert_int_equal(write(played.link, view.data, view.length), view.length);
		step();
	}
	end_renderer(&played, status);
	expect(HOST_KILL);
}

static void submit_typescript(const char *script)
{
	unsigned retry_after_s;

	jobs[0] = (struct engine_job){.what = ENGINE_COMPILE,
				      .language = ENGINE_TYPESCRIPT,
				      .script = str_from(script),
				      .done = on_done};
	assert_int_equal(engines_submit(engines, &jobs[0], &retry_after_s), 0);
}

CASE(test_what_is_too_large_is_not_kept)
{
	static char piece[64 * 1024];

	memset(piece, ' ', sizeof(piece) - 1);
	submit_typescript("-- app.ts --\nlet a;\n-- b.ts --\nlet b;\n");
	compile_to(piece, 33, 0);
	assert_int_equal(done_count, 0);
	compile_to(piece, 33, 0);
	assert_done(0, ENGINE_LIMIT);
	assert_int_equal(jobs[0].answer.compiled.length, 0);
}

CASE(test_a_complaint_has_a_bound)
{
	static char complaint[60 * 1024] = "[ERROR] ";

	for (size_t i = strlen(complaint); i + 2 < sizeof(complaint); i += 2)
		memcpy(complaint + i, "\xc3\xa9", 2);
	submit_typescript("let");
	compile_to(complaint, 1, 1 << 8);
	assert_done(0, ENGINE_WRONG_SCRIPT);
	assert_int_equal(jobs[0].answer.problem.message.length, 2048);
}

/* ---- ends ---- */

CASE(test_how_a_process_ends)
{
	static const struct {
		int status;
		enum engine_problem_kind kind;
		const char *message;
	} cases[] = {
	    {EXITED_2, ENGINE_LIMIT, "more than 256 MiB"},
	    {SIGSEGV, ENGINE_CRASH, "Segmentation fault"},
	    {0, ENGINE_CRASH, "without an answer"},
	    {125 << 8, ENGINE_NOT_AVAILABLE, "no renderer"},
	};

	for (unsigned i = 0; i < array_length(cases); i++) {
		struct played played;
		char head[4096];

		assert_int_equal(submit(i, 1, false), 0);
		played = start_greeted();
		read_request(&played, head);
		end_renderer(&played, cases[i].status);
		expect(HOST_KILL);
		assert_done(i, cases[i].kind);
		assert_non_null(memmem(jobs[i].answer.problem.message.data,
				       jobs[i].answer.problem.message.length, cases[i].message,
				       strlen(cases[i].message)));
	}
}

/* The next job is not at fault if its process ended while idle. */
CASE(test_one_that_ends_while_idle)
{
	struct played first, second;

	assert_int_equal(submit(0, 1, false), 0);
	first = start_greeted();
	answer(&first, STR(NOTHING), STR(""));
	assert_done(0, ENGINE_DONE);
	close(first.link);
	expect(HOST_KILL); /* its end was seen, but its status not yet known */
	assert_int_equal(submit(1, 1, false), 0);
	second = start_greeted();
	tell((struct host_message){.kind = HOST_ENDED, .number = first.number, .value = SIGKILL},
	     -1);
	answer(&second, STR(NOTHING), STR(""));
	assert_done(1, ENGINE_DONE);
	close(second.link);
}

/* Nor is a job at fault that was not read. */
CASE(test_one_that_ends_unread)
{
	struct played played;

	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(submit(2 * i, 1, false), 0);
		played = start_greeted();
		answer(&played, STR(NOTHING), STR(""));
		if (i == 0)
			close(played.link); /* not seen yet */
		assert_int_equal(submit(2 * i + 1, 1, false), 0);
		if (i == 1)
			close(played.link);
		expect(HOST_KILL);
		tell((struct host_message){.kind = HOST_ENDED,
					   .number = played.number,
					   .value = SIGKILL},
		     -1);
		step();
		step();
		assert_done(2 * i + 1, ENGINE_NOT_AVAILABLE);
	}
}

/* Output before the process's end counts, whichever of the two ends is seen first. */
CASE(test_an_answer_before_the_end)
{
	struct played played;
	char head[4096];

	assert_int_equal(submit(0, 1, false), 0);
	played = start_greeted();
	read_request(&played, head);
	tell((struct host_message){.kind = HOST_ENDED, .number = played.number, .value = 0}, -1);
	assert_int_equal(write(played.link, "\0\0\0\2\0\0\0\0{}", 10), 10);
	close(played.link);
	step();
	step();
	assert_done(0, ENGINE_DONE);
}

CASE(test_one_that_cannot_be_started)
{
	struct host_message message;

	assert_int_equal(submit(0, 1, false), 0);
	message = expect(HOST_START);
	tell((struct host_message){.kind = HOST_FAILED, .number = message.number, .value = EAGAIN},
	     -1);
	step();
	assert_done(0, ENGINE_NOT_AVAILABLE);
}

CASE(test_the_host_is_another_one)
{
	struct played played;
	struct host_message first, second;

	assert_int_equal(submit(0, 1, false), 0);
	played = start_greeted();
	assert_int_equal(submit(1, 1, true), 0);
	first = expect(HOST_START);
	close(played.link);
	tell((struct host_message){.kind = HOST_HELLO, .value = FIRST_HOST + 1}, -1);
	step();
	step();
	/* The job in flight is lost without fault; the waiting one is requested again. */
	assert_done(0, ENGINE_NOT_AVAILABLE);
	do
		assert_true(hear(&second));
	while (second.kind != HOST_START);
	assert_int_not_equal(first.number, second.number);
	/* The previous host got the first request, and has started a renderer that is not needed.
	 */
	played.link = dup(host);
	tell((struct host_message){.kind = HOST_STARTED, .number = first.number}, played.link);
	close(played.link);
	step();
	assert_int_equal(expect(HOST_KILL).number, first.number);
	tell((struct host_message){.kind = HOST_FAILED, .number = second.number, .value = EAGAIN},
	     -1);
	step();
	assert_done(1, ENGINE_NOT_AVAILABLE);
}

/* ---- the queues ---- */

CASE(test_a_cancelled_job_is_done_once)
{
	struct played played;
	char head[4096];

	assert_int_equal(submit(0, 1, false), 0);
	assert_int_equal(submit(1, 1, false), 0);
	played = start_greeted();
	read_request(&played, head);
	engines_cancel(engines, &jobs[0]);
	engines_cancel(engines, &jobs[1]);
	assert_int_equal(done_count, 0);
	step();
	step();
	assert_done(0, ENGINE_CANCELLED);
	assert_done(1, ENGINE_CANCELLED);
	/* The process still works on the first job; its output is dropped. */
	assert_int_equal(submit(2, 1, false), 0);
	expect_nothing();
	write_frame(&played, STR(NOTHING), STR(""));
	answer(&played, STR(NOTHING), STR(""));
	assert_done(2, ENGINE_DONE);
	assert_int_equal(done_count, 3);
	close(played.link);
}

CASE(test_a_preview_has_a_place_of_its_own)
{
	struct played first, second;

	assert_int_equal(submit(0, 1, false), 0);
	first = start_greeted();
	assert_int_equal(submit(1, 1, false), 0);
	expect_nothing();
	assert_int_equal(submit(2, 1, true), 0);
	second = start_greeted();
	assert_int_equal(submit(3, 1, true), 0);
	expect_nothing();
	answer(&second, STR(NOTHING), STR(""));
	assert_done(2, ENGINE_DONE);
	answer(&second, STR(NOTHING), STR(""));
	assert_done(3, ENGINE_DONE);
	answer(&first, STR(NOTHING), STR(""));
	assert_done(0, ENGINE_DONE);
	close(first.link);
	close(second.link);
}

/* Others have every second turn, however many previews wait; and there are always previews. */
CASE(test_previews_starve_nobody)
{
	struct played first, second;

	assert_int_equal(submit(0, 1, true), 0);
	first = start_greeted();
	assert_int_equal(submit(1, 2, true), 0);
	second = start_greeted();
	for (unsigned i = 2; i < 4; i++)
		assert_int_equal(submit(i, 3, false), 0);
	for (unsigned i = 4; i < 8; i++)
		assert_int_equal(submit(i, (uint8_t)(i % 2), true), 0);
	answer(&second, STR(NOTHING), STR(""));
	assert_done(1, ENGINE_DONE);
	answer(&second, STR(NOTHING), STR(""));
	assert_done(2, ENGINE_DONE);
	answer(&second, STR(NOTHING), STR(""));
	assert_int_equal(done[4] + done[5], 1);
	answer(&second, STR(NOTHING), STR(""));
	assert_done(3, ENGINE_DONE);
	assert_int_equal(done_count, 4);
	close(first.link);
	close(second.link);
}

/* An account that keeps a renderer for long, working or not, waits for the others. */
CASE(test_waiting_costs_an_account_its_turns)
{
	struct played played;

	assert_int_equal(submit(0, 1, false), 0);
	played = start_greeted();
	assert_int_equal(submit(1, 1, false), 0);
	for (unsigned i = 2; i < 5; i++)
		assert_int_equal(submit(i, 2, false), 0);
	leap_s += 5; /* waits for the network, as its answer shows */
	answer(&played, STR(NOTHING), STR(""));
	for (unsigned i = 2; i < 5; i++) {
		answer(&played, STR(NOTHING), STR(""));
		assert_done(i, ENGINE_DONE);
	}
	answer(&played, STR(NOTHING), STR(""));
	assert_done(1, ENGINE_DONE);
	close(played.link);
}

#define MET_LIMIT                                                                                  \
	"{\"error\":{\"kind\":\"limit\",\"message\":\"takes too long\"},\"elapsed_us\":1000000}"

/* Answers the received request. Returns the time that it was given. */
static unsigned long answer_timed(struct played *played, struct str head)
{
	char request[4096];
	const char *timeout;

	read_request(played, request);
	timeout = strstr(request, "\"timeout_ms\":");
	assert_non_null(timeout);
	write_frame(played, head, STR(""));
	return strtoul(timeout + strlen("\"timeout_ms\":"), NULL, 10);
}

/* Whichever limit it exceeded, the account's next previews get a second. */
CASE(test_a_draft_that_never_ends_leaves_a_second)
{
	struct played played;

	assert_int_equal(submit(0, 1, true), 0);
	played = start_greeted();
	leap_s += 10;
	assert_int_equal(answer_timed(&played, STR(MET_LIMIT)), 30000);
	assert_int_equal(submit(1, 1, true), 0);
	assert_int_equal(answer_timed(&played, STR(MET_LIMIT)), 1000);
	assert_done(1, ENGINE_LIMIT);
	assert_non_null(memmem(jobs[1].answer.problem.message.data,
			       jobs[1].answer.problem.message.length, "more than 1 s. Previews",
			       23));
	/* This affects neither other accounts nor panels, nor handlers of scripts. */
	assert_int_equal(submit(2, 2, true), 0);
	assert_int_equal(answer_timed(&played, STR(NOTHING)), 30000);
	assert_int_equal(submit(3, 1, false), 0);
	assert_int_equal(answer_timed(&played, STR(NOTHING)), 30000);
	/* A success does not restore the time, since it is easy for a script. */
	assert_int_equal(submit(4, 1, true), 0);
	assert_int_equal(answer_timed(&played, STR(NOTHING)), 1000);
	assert_int_equal(submit(5, 1, true), 0);
	assert_int_equal(answer_timed(&played, STR(MET_LIMIT)), 1000);
	/* A minute restores it, in which the idle renderer ends. */
	leap_s += 61;
	expect(HOST_KILL);
	close(played.link);
	assert_int_equal(submit(6, 1, true), 0);
	played = start_greeted();
	assert_int_equal(answer_timed(&played, STR(NOTHING)), 30000);
	close(played.link);
}

/* Previews also count if they end just in time, or if their client has left. */
CASE(test_slow_previews_leave_a_place)
{
	struct played first, second;

	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(submit(i, (uint8_t)(1 + i), true), 0);
		if (i == 0)
			first = start_greeted();
		if (i == 3)
			engines_cancel(engines, &jobs[i]);
		leap_s += 9;
		answer(&first, STR(COMPUTED), STR(""));
	}
	for (unsigned i = 4; i < 8; i++)
		assert_int_equal(submit(i, (uint8_t)(i - 3), true), 0);
	expect_nothing(); /* one has the renderer, the others wait */
	assert_int_equal(submit(8, 5, true), 0);
	second = start_greeted();
	answer(&second, STR(NOTHING), STR(""));
	assert_done(8, ENGINE_DONE);
	assert_int_equal(submit(9, 5, true), 0);
	answer(&second, STR(NOTHING), STR(""));
	assert_done(9, ENGINE_DONE);
	/* Waiting previews do not take places of panels twice. */
	assert_int_equal(submit(10, 6, false), 0);
	answer(&first, STR(NOTHING), STR(""));
	answer(&first, STR(NOTHING), STR(""));
	assert_done(10, ENGINE_DONE);
	close(first.link);
	close(second.link);
}

/* Other programs decide how long a turn takes: an account that computes little keeps its place. */
CASE(test_previews_on_a_busy_machine_are_not_slow)
{
	struct played first, second;

	assert_int_equal(submit(0, 1, true), 0);
	first = start_greeted();
	leap_s += 9;
	answer(&first, STR(NOTHING), STR(""));
	assert_done(0, ENGINE_DONE);
	assert_int_equal(submit(1, 2, true), 0);
	leap_s += 9;
	answer(&first, STR(COMPUTED), STR(""));
	assert_done(1, ENGINE_DONE);
	/* The slow account has one process, and waits for the other one. */
	assert_int_equal(submit(2, 2, true), 0);
	assert_int_equal(submit(3, 2, true), 0);
	expect_nothing();
	assert_int_equal(submit(4, 1, true), 0);
	second = start_greeted();
	answer(&second, STR(NOTHING), STR(""));
	assert_done(4, ENGINE_DONE);
	answer(&first, STR(NOTHING), STR(""));
	answer(&first, STR(NOTHING), STR(""));
	assert_done(3, ENGINE_DONE);
	close(first.link);
	close(second.link);
}

/* Also the longest one that meets no limit takes a quarter of a place, and not more. */
TEST(test_a_long_preview_costs_all_of_its_time)
{
	enum { SECOND_US = 1000 * 1000 };
	const struct id account = {{1}};
	struct preview_accounts accounts;

	preview_accounts_init(&accounts);
	preview_note(&accounts, account, ENGINE_PICTURE, ENGINE_DONE, 29 * SECOND_US, 0);
	assert_true(preview_is_slow(&accounts, account, 100 * SECOND_US));
	assert_false(preview_is_slow(&accounts, account, 4 * 29 * SECOND_US));
	preview_accounts_finish(&accounts);
}

/* Four accounts with endless drafts take a quarter of two places each: the limit itself makes
 * them slow. */
TEST(test_an_account_that_met_a_limit_is_slow)
{
	static const enum engine_problem_kind kinds[] = {ENGINE_LIMIT, ENGINE_CRASH};
	const struct id account = {{1}}, other = {{2}};
	struct preview_accounts accounts;

	for (size_t i = 0; i < array_length(kinds); i++) {
		preview_accounts_init(&accounts);
		preview_note(&accounts, account, ENGINE_PICTURE, kinds[i], 1, 1);
		preview_note(&accounts, other, ENGINE_PICTURE, ENGINE_DONE, 1, 1);
		assert_true(preview_is_slow(&accounts, account, 111 * 1000 * 1000));
		assert_false(preview_is_slow(&accounts, account, 120 * 1000 * 1000));
		assert_false(preview_is_slow(&accounts, other, 1));
		preview_accounts_finish(&accounts);
	}
}

/* An account that types without end gets its share of the time, and others do not notice. */
TEST(test_sketches_have_a_share_of_the_time)
{
	enum { SECOND_US = 1000 * 1000, RUN_US = ENGINE_SKETCH_MS * 1000 };
	const struct id busy = {{1}}, other = {{2}};
	struct preview_accounts accounts;
	uint64_t now_us, spent_us = 0;

	preview_accounts_init(&accounts);
	for (now_us = 0; now_us < 600ULL * SECOND_US; now_us += RUN_US) {
		assert_false(preview_is_slow(&accounts, other, now_us));
		if (preview_is_slow(&accounts, busy, now_us))
			continue;
		preview_note(&accounts, busy, ENGINE_PICTURE, ENGINE_DONE,
			     ENGINE_SKETCH_WEIGHT * RUN_US, now_us);
		spent_us += RUN_US;
	}
	/* A twelfth, and what it may take at first. */
	assert_in_range(spent_us, 600ULL * SECOND_US / 12, 600ULL * SECOND_US / 12 + SECOND_US);
	preview_accounts_finish(&accounts);
}

TEST(test_accounts_that_preview_are_forgotten)
{
	struct preview_accounts accounts;

	preview_accounts_init(&accounts);
	for (unsigned i = 0; i <= PREVIEW_ACCOUNTS_MAX; i++) {
		struct id account = {{(uint8_t)i, (uint8_t)(i >> 8), 1}};

		preview_note(&accounts, account, ENGINE_PICTURE, ENGINE_LIMIT, 1, 1);
		assert_true(preview_is_limited(&accounts, account, ENGINE_PICTURE, 1));
	}
	assert_int_equal(accounts.by_id.count, PREVIEW_ACCOUNTS_MAX);
	assert_false(preview_is_limited(&accounts, (struct id){{0, 0, 1}}, ENGINE_PICTURE, 1));
	preview_accounts_finish(&accounts);
}

CASE(test_queues_have_bounds)
{
	unsigned count = 0;
	int error;

	while ((error = submit(count, 1, false)) == 0)
		count++;
	/* A render runs, and an account leaves as many places as it takes. */
	assert_int_equal(error, -EDQUOT);
	assert_int_equal(count, 1 + LIMIT_RENDERS / 2);
	assert_int_equal(submit(count, 2, false), 0);
	assert_int_equal(submit(count + 1, 1, true), 0);
	expect(HOST_START);
}

/* ---- scripts that wait for the network ---- */

#define FETCH "{\"fetch\":{\"id\":3,\"url\":\"http://example.org\"}}"

static void submit_with_network(unsigned number)
{
	unsigned retry_after_s;

	jobs[number] = (struct engine_job){.account = {{1}},
					   .what = ENGINE_SCHEMA,
					   .language = ENGINE_STARLARK,
					   .script = STR("x"),
					   .has_network = true,
					   .done = on_done};
	assert_int_equal(engines_submit(engines, &jobs[number], &retry_after_s), 0);
}

/* Starts a job whose script has sent a network request. Returns its renderer. */
static struct played start_that_fetches(void)
{
	struct played played = start_greeted();
	char head[4096];

	read_request(&played, head);
	write_frame(&played, STR(FETCH), STR(""));
	return played;
}

/* Starts a job whose script has sent a network request: its renderer, and the egress that got it.
 * */
static struct played fetching(unsigned number, struct played *ret_egress)
{
	struct played played;
	char head[4096];

	submit_with_network(number);
	played = start_that_fetches();
	*ret_egress = start_renderer();
	assert_int_equal(ret_egress->program, RENDER_EGRESS);
	write_frame(ret_egress, STR("{\"library\":\"test\"}"), STR(""));
	read_request(ret_egress, head);
	assert_non_null(strstr(head, "http://example.org"));
	return played;
}

/* The only turn goes to another job, and the answer waits until that is done. */
CASE(test_a_script_that_waits_has_no_turn)
{
	struct played waiting, egress, other;
	char head[4096];

	waiting = fetching(0, &egress);
	assert_int_equal(submit(1, 2, false), 0);
	other = start_greeted();
	read_request(&other, head);
	write_frame(&egress, STR("{\"fetch\":{\"id\":1,\"status\":200}}"), STR("body"));
	assert_int_equal(recv(waiting.link, head, sizeof(head), MSG_DONTWAIT), -1);
	leap_s += 3;
	write_frame(&other, STR(NOTHING), STR(""));
	assert_done(1, ENGINE_DONE);
	read_answers(&waiting, 1, 3);
	assert_int_equal(done[0], 0);
	write_frame(&waiting, STR(NOTHING), STR(""));
	assert_done(0, ENGINE_DONE);
	close(waiting.link);
	close(other.link);
	close(egress.link);
}

/* An account with waiting scripts leaves a turn to others if no further script can be parked. */
TEST_IN(test_scripts_that_wait_leave_a_turn, open_two, close_all)
{
	enum { PARKED = LIMIT_PARKED_RENDERS / 2, OTHER = PARKED + 2 };
	struct played waiting[PARKED + 1], egress, other;

	waiting[0] = fetching(0, &egress);
	for (unsigned i = 1; i <= PARKED; i++) {
		submit_with_network(i);
		waiting[i] = start_that_fetches();
	}
	submit_with_network(PARKED + 1);
	expect_nothing();
	assert_int_equal(submit(OTHER, 2, false), 0);
	other = start_greeted();
	answer(&other, STR(NOTHING), STR(""));
	assert_done(OTHER, ENGINE_DONE);
	/* Once the one that has a turn has ended, the next one begins, in its process. */
	write_frame(&waiting[PARKED], STR(NOTHING), STR(""));
	assert_done(PARKED, ENGINE_DONE);
	answer(&waiting[PARKED], STR(NOTHING), STR(""));
	assert_done(PARKED + 1, ENGINE_DONE);
	for (unsigned i = 0; i <= PARKED; i++)
		close(waiting[i].link);
	close(other.link);
	close(egress.link);
}

/* A script whose answer is there occupies its process until it has a turn, so no other one of the
 * account takes its place. */
CASE(test_scripts_that_go_on_are_still_parked)
{
	enum { PARKED = LIMIT_PARKED_RENDERS / 2 };
	struct played waiting[PARKED + 1], egress;
	char head[4096];

	waiting[0] = fetching(0, &egress);
	for (unsigned i = 1; i <= PARKED; i++) {
		submit_with_network(i);
		waiting[i] = start_that_fetches();
	}
	write_frame(&egress, STR("{\"fetch\":{\"id\":1,\"status\":200}}"), STR("body"));
	write_frame(&waiting[PARKED], STR(FETCH), STR(""));
	assert_int_equal(recv(waiting[0].link, head, sizeof(head), MSG_DONTWAIT), -1);
	write_frame(&waiting[PARKED], STR(NOTHING), STR(""));
	assert_done(PARKED, ENGINE_DONE);
	assert_true(recv(waiting[0].link, head, sizeof(head), MSG_DONTWAIT) > 0);
	for (unsigned i = 0; i <= PARKED; i++)
		close(waiting[i].link);
	close(egress.link);
}

/* Starts a script in TypeScript that has sent two network requests. Returns its renderer. */
static struct played start_typescript(struct played *ret_egress)
{
	struct played waiting;
	unsigned retry_after_s;
	char head[4096];

	jobs[0] = (struct engine_job){.account = {{1}},
				      .what = ENGINE_SCHEMA,
				      .language = ENGINE_TYPESCRIPT,
				      .compiled = STR("x"),
				      .has_network = true,
				      .done = on_done};
	assert_int_equal(engines_submit(engines, &jobs[0], &retry_after_s), 0);
	waiting = start_greeted();
	assert_int_equal(waiting.program, RENDER_TYPESCRIPT);
	read_request(&waiting, head);
	assert_non_null(strstr(head, "\"reports_waits\":true"));
	write_frame(&waiting, STR(FETCH), STR(""));
	*ret_egress = start_renderer();
	write_frame(ret_egress, STR("{\"library\":\"test\"}"), STR(""));
	read_request(ret_egress, head);
	write_frame(&waiting, STR(FETCH), STR(""));
	read_request(ret_egress, head);
	return waiting;
}

/* A script that gives up while its answer waits for a turn is not to blame. */
CASE(test_one_that_gives_up_in_the_queue)
{
	struct played waiting, egress, other;

	waiting = start_typescript(&egress);
	write_frame(&waiting, STR("{\"waits\":2}"), STR(""));
	assert_int_equal(submit(1, 2, false), 0);
	other = start_greeted();
	write_frame(&egress, STR("{\"fetch\":{\"id\":1,\"status\":200}}"), STR("body"));
	write_frame(&waiting, STR("{\"error\":{\"kind\":\"script\",\"line\":3}}"), STR(""));
	assert_done(0, ENGINE_LATE);
	assert_int_equal(jobs[0].answer.problem.line, 0);
	answer(&other, STR(NOTHING), STR(""));
	assert_done(1, ENGINE_DONE);
	close(waiting.link);
	close(other.link);
	close(egress.link);
}

/* Writes a frame with as large a blob as there can be, as the worker takes it. */
static void write_large(struct played *played, const char *head)
{
	static const char blob[FRAME_BLOB_MAX];
	struct buffer bytes = {0};

	assert_true(frame_append(&bytes, str_from(head), (struct str){blob, sizeof(blob)}));
	while (buffer_length(&bytes) > 0) {
		struct str view = buffer_view(&bytes);
		ssize_t count = send(played->link, view.data, view.length, MSG_DONTWAIT);

		if (count > 0)
			buffer_consume(&bytes, (size_t)count);
		step();
	}
	buffer_finish(&bytes);
	step();
}

enum { HELD_MAX = LIMIT_HELD_ANSWERS_BYTES / 2 / FRAME_BLOB_MAX };

/* A script fails after so many answers have waited for its turn. */
static void fail_after(unsigned count, enum engine_problem_kind kind)
{
	struct played waiting, egress, other;
	char head[4096];

	waiting = start_typescript(&egress);
	for (unsigned i = 2; i < count; i++) {
		write_frame(&waiting, STR(FETCH), STR(""));
		read_request(&egress, head);
	}
	snprintf(head, sizeof(head), "{\"waits\":%u}", count);
	write_frame(&waiting, str_from(head), STR(""));
	assert_int_equal(submit(1, 2, false), 0);
	other = start_greeted();
	for (unsigned id = 1; id <= count; id++) {
		snprintf(head, sizeof(head), "{\"fetch\":{\"id\":%u,\"status\":200}}", id);
		write_large(&egress, head);
	}
	answer(&other, STR(NOTHING), STR(""));
	assert_done(1, ENGINE_DONE);
	write_frame(&waiting, STR("{\"error\":{\"kind\":\"script\"}}"), STR(""));
	assert_done(0, kind);
	close(waiting.link);
	close(other.link);
	close(egress.link);
}

CASE(test_an_account_s_answers_may_wait)
{
	fail_after(HELD_MAX, ENGINE_WRONG_SCRIPT);
}

/* A script that lacks an answer, since those that wait are too large, is not to blame. */
CASE(test_answers_that_wait_have_a_bound)
{
	fail_after(HELD_MAX + 1, ENGINE_LATE);
}

/* It continues to compute after a network request, until it reports that it waits. */
CASE(test_typescript_has_its_turn_until_it_waits)
{
	struct played waiting, egress, other;
	char frames[4096];

	waiting = start_typescript(&egress);
	assert_int_equal(submit(1, 2, false), 0);
	expect_nothing();
	write_frame(&waiting, STR("{\"waits\":2}"), STR(""));
	other = start_greeted();
	for (unsigned id = 1; id <= 2; id++) {
		snprintf(frames, sizeof(frames), "{\"fetch\":{\"id\":%u,\"status\":200}}", id);
		write_frame(&egress, str_from(frames), STR("body"));
	}
	assert_int_equal(recv(waiting.link, frames, sizeof(frames), MSG_DONTWAIT), -1);
	leap_s += 2;
	answer(&other, STR(NOTHING), STR(""));
	assert_done(1, ENGINE_DONE);
	/* Both answers come together. */
	read_answers(&waiting, 2, 2);
	write_frame(&waiting, STR("{\"elapsed_us\":5,\"error\":{\"kind\":\"script\"}}"), STR(""));
	assert_done(0, ENGINE_WRONG_SCRIPT);
	close(waiting.link);
	close(other.link);
	close(egress.link);
}

/* An answer that is on its way ends the wait. */
CASE(test_a_wait_that_is_over_takes_no_turn)
{
	struct played waiting, egress;

	waiting = start_typescript(&egress);
	write_frame(&egress, STR("{\"fetch\":{\"id\":1,\"status\":200}}"), STR("body"));
	write_frame(&waiting, STR("{\"waits\":2}"), STR(""));
	assert_int_equal(submit(1, 2, false), 0);
	expect_nothing();
	/* More waits than there can be. */
	for (unsigned i = 0; i < 64; i++)
		write_frame(&waiting, STR("{\"waits\":2}"), STR(""));
	assert_done(0, ENGINE_CRASH);
	close(waiting.link);
	close(egress.link);
}

/* If its process ends, its place is free. */
CASE(test_one_that_waits_may_end)
{
	struct played waiting, egress, other;

	waiting = fetching(0, &egress);
	end_renderer(&waiting, EXITED_2);
	expect(HOST_KILL);
	assert_done(0, ENGINE_LIMIT);
	assert_int_equal(submit(1, 2, false), 0);
	other = start_greeted();
	answer(&other, STR(NOTHING), STR(""));
	assert_done(1, ENGINE_DONE);
	close(egress.link);
	close(other.link);
}

/* A result without the answer that its script waits for, and without a turn, is made up. */
CASE(test_one_that_waits_has_no_result)
{
	struct played waiting, egress, other;

	waiting = fetching(0, &egress);
	write_frame(&waiting, STR(NOTHING), STR(""));
	assert_done(0, ENGINE_CRASH);
	expect(HOST_KILL);
	close(waiting.link);
	submit_with_network(1);
	waiting = start_that_fetches();
	assert_int_equal(submit(2, 2, false), 0);
	other = start_greeted();
	write_frame(&egress, STR("{\"fetch\":{\"id\":2,\"status\":200}}"), STR("body"));
	write_frame(&waiting, STR(NOTHING), STR(""));
	assert_done(1, ENGINE_CRASH);
	expect(HOST_KILL);
	answer(&other, STR(NOTHING), STR(""));
	assert_done(2, ENGINE_DONE);
	close(waiting.link);
	close(other.link);
	close(egress.link);
}

CASE(test_one_that_waits_is_cancelled_at_the_end)
{
	struct played waiting, egress;

	waiting = fetching(0, &egress);
	engines_drain(engines);
	step();
	step();
	assert_done(0, ENGINE_CANCELLED);
	close(waiting.link);
	close(egress.link);
}

/* ---- the end ---- */

CASE(test_all_are_cancelled_at_the_end)
{
	struct played played;

	assert_int_equal(submit(0, 1, false), 0);
	played = start_greeted();
	assert_int_equal(submit(1, 1, false), 0);
	assert_int_equal(submit(2, 1, true), 0);
	engines_drain(engines);
	assert_int_equal(done_count, 0);
	step();
	step();
	for (unsigned i = 0; i < 3; i++)
		assert_done(i, ENGINE_CANCELLED);
	assert_int_equal(submit(3, 1, false), -EAGAIN);
	close(played.link);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	return run_all_tests(NULL, NULL);
}
