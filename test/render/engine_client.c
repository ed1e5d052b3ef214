/* A worker that only renders, for test_engine.py: the engines on a loop, and the render host that a
 * supervisor would run beside it. Commands are lines of standard input:
 *
 *   submit NUMBER WHAT LANGUAGE ACCOUNT PREVIEW PATH CONFIG   a job; PATH has the script
 *   cancel NUMBER
 *   ping
 *
 *   host                                                      another render host
 *
 * Arguments: how many jobs run at a time, and the milliseconds after which an idle renderer ends.
 * Each answer is a line of JSON. If the variable EGRESS_ALLOW names a network, jobs reach it.
 * With the end of the input all is drained. */
#include "base/buffer.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/process.h"
#include "base/require.h"
#include "base/zones.h"
#include "loop/lanes.h"
#include "main/program.h"
#include "main/render_host.h"
#include "options/options.h"
#include "render/engines.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <yyjson.h>

enum { LINE_BYTES = 4096, NOW_S = 1782909296 /* 2026-07-01T12:34:56Z */ };

struct client {
	struct loop loop;
	struct engines *engines;
	uv_pipe_t input;
	struct buffer lines;
	struct list jobs;
	int host[2];
	pid_t host_pid;
	bool has_ended;
};

struct submitted {
	struct engine_job job;
	struct list node;
	int number;
	struct buffer script;
	char config[LINE_BYTES];
	char scope[32];
	uint64_t started_us;
};

static struct client client;

/* ---- answers ---- */

static void print(yyjson_mut_doc *line)
{
	char *text = yyjson_mut_write(line, YYJSON_WRITE_NOFLAG, NULL);

	puts(text ? text : "{}");
	fflush(stdout);
	free(text);
	yyjson_mut_doc_free(line);
}

static yyjson_mut_doc *begin_line(int number)
{
	yyjson_mut_doc *line = yyjson_mut_doc_new(NULL);

	yyjson_mut_doc_set_root(line, yyjson_mut_obj(line));
	yyjson_mut_obj_add_int(line, yyjson_mut_doc_get_root(line), "number", number);
	return line;
}

static void add_str(yyjson_mut_doc *line, const char *name, struct str text)
{
	yyjson_mut_obj_add_strncpy(line, yyjson_mut_doc_get_root(line), name,
				   text.data ? text.data : "", text.length);
}

static void add_int(yyjson_mut_doc *line, const char *name, int64_t number)
{
	yyjson_mut_obj_add_sint(line, yyjson_mut_doc_get_root(line), name, number);
}

static void add_picture(yyjson_mut_doc *line, struct str picture)
{
	char *hex = malloc(2 * picture.length + 1);

	require(hex);
	for (size_t i = 0; i < picture.length; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char)picture.data[i]);
	add_str(line, "picture", (struct str){hex, 2 * picture.length});
	free(hex);
}

static void on_done(struct engine_job *job)
{
	static const char *const kinds[] = {
	    [ENGINE_DONE] = "done",
	    [ENGINE_WRONG_SCRIPT] = "script",
	    [ENGINE_NO_APP] = "app",
	    [ENGINE_LIMIT] = "limit",
	    [ENGINE_LATE] = "late",
	    [ENGINE_CRASH] = "crash",
	    [ENGINE_BAD_REQUEST] = "request",
	    [ENGINE_BAD_PICTURE] = "picture",
	    [ENGINE_NOT_AVAILABLE] = "unavailable",
	    [ENGINE_CANCELLED] = "cancelled",
	};
	struct submitted *submitted = container_of(job, struct submitted, job);
	const struct engine_answer *answer = &job->answer;
	yyjson_mut_doc *line = begin_line(submitted->number);

	add_str(line, "kind", str_from(kinds[answer->problem.kind]));
	add_str(line, "message", answer->problem.message);
	add_str(line, "file", answer->problem.file);
	add_int(line, "line", answer->problem.line);
	add_int(line, "column", answer->problem.column);
	add_picture(line, answer->picture);
	add_int(line, "duration_ms", answer->duration_ms);
	add_str(line, "cut", answer->cut);
	add_str(line, "schema", answer->schema);
	add_str(line, "result", answer->result);
	add_int(line, "compiled", (int64_t)answer->compiled.length);
	add_str(line, "log", answer->log);
	add_str(line, "hosts", answer->hosts);
	add_int(line, "interval_s", answer->interval_s);
	add_int(line, "log_dropped", answer->log_dropped);
	add_int(line, "elapsed_us", (int64_t)answer->elapsed_us);
	add_int(line, "cpu_us", (int64_t)answer->cpu_us);
	add_int(line, "memory_bytes", (int64_t)answer->memory_bytes);
	add_int(line, "took_us", (int64_t)(clock_monotonic_us() - submitted->started_us));
	print(line);
	engine_job_finish(job);
	list_remove(&submitted->node);
	buffer_finish(&submitted->script);
	free(submitted);
}

/* ---- commands ---- */

static void read_script(struct buffer *script, const char *path)
{
	FILE *file = fopen(path, "re");
	size_t size;

	require(file);
	while ((size = fread(buffer_reserve(script, LINE_BYTES), 1, LINE_BYTES, file)) > 0)
		buffer_commit(script, size);
	fclose(file);
}

static enum engine_what read_what(const char *name)
{
	static const char *const names[] = {"picture", "schema", "handler", "compile"};

	for (unsigned i = 0; i < array_length(names); i++)
		if (strcmp(name, names[i]) == 0)
			return (enum engine_what)i;
	abort(); /* the test only sends known ones */
}

static const char *take_word(char **rest)
{
	const char *word = strsep(rest, " ");

	require(word);
	return word;
}

static int take_number(char **rest)
{
	return (int)strtol(take_word(rest), NULL, 10);
}

/* words: the text after "submit "; modified. */
static void submit(char *words)
{
	struct submitted *submitted = memory_zalloc(sizeof(*submitted));
	struct engine_job *job = &submitted->job;
	unsigned retry_after_s;
	int error, preview;

	list_init(&submitted->node);
	submitted->number = take_number(&words);
	snprintf(submitted->scope, sizeof(submitted->scope), "job%d", submitted->number);
	job->what = read_what(take_word(&words));
	require(engine_language_read(str_from(take_word(&words)), &job->language));
	job->account.bytes[0] = (uint8_t)take_number(&words);
	preview = take_number(&words); /* 2: with its full time */
	job->is_preview = preview > 0;
	job->has_full_time = preview == 2;
	read_script(&submitted->script, take_word(&words));
	require((size_t)snprintf(submitted->config, sizeof(submitted->config), "%s", words) <
		sizeof(submitted->config));
	job->script = buffer_view(&submitted->script);
	job->scope = str_from(submitted->scope);
	job->config = str_from(submitted->config);
	job->now_ms = NOW_S * INT64_C(1000);
	job->timezone = STR("Europe/Zagreb");
	job->seed = 1;
	job->has_network = getenv("EGRESS_ALLOW");
	job->handler = STR("find");
	job->parameter = STR("par");
	job->done = on_done;
	submitted->started_us = clock_monotonic_us();
	list_append(&client.jobs, &submitted->node);
	error = engines_submit(client.engines, job, &retry_after_s);
	if (error == 0)
		return;
	yyjson_mut_doc *answer = begin_line(submitted->number);

	add_str(answer, "refused", str_from(strerrorname_np(-error)));
	print(answer);
	list_remove(&submitted->node);
	buffer_finish(&submitted->script);
	free(submitted);
}

static void cancel(int number)
{
	list_for_each (node, &client.jobs) {
		struct submitted *submitted = container_of(node, struct submitted, node);

		if (submitted->number == number)
			engines_cancel(client.engines, &submitted->job);
	}
}

static void print_pid(const char *name, int number)
{
	yyjson_mut_doc *line = begin_line(number);

	add_str(line, "name", str_from(name));
	print(line);
}

static void start_host(void);

static void on_line(char *line)
{
	if (strncmp(line, "submit ", 7) == 0)
		submit(line + 7);
	else if (strncmp(line, "cancel ", 7) == 0)
		cancel((int)strtol(line + 7, NULL, 10));
	else if (strcmp(line, "host") == 0)
		start_host();
	else
		print_pid("pong", 0);
}

static void on_end(void)
{
	client.has_ended = true;
	engines_drain(client.engines);
	uv_close((uv_handle_t *)&client.input, NULL);
}

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_room)
{
	(void)handle;
	(void)suggested;
	*ret_room = uv_buf_init(buffer_reserve(&client.lines, LINE_BYTES), LINE_BYTES);
}

static void on_input(uv_stream_t *stream, ssize_t size, const uv_buf_t *room)
{
	char line[2 * LINE_BYTES];

	(void)stream;
	(void)room;
	if (size < 0) {
		on_end();
		return;
	}
	buffer_commit(&client.lines, (size_t)size);
	for (;;) {
		struct str view = buffer_view(&client.lines);
		size_t length = str_find(view, '\n');

		if (length == view.length)
			return;
		require(length < sizeof(line));
		memcpy(line, view.data, length);
		line[length] = '\0';
		buffer_consume(&client.lines, length + 1);
		on_line(line);
	}
}

/* ---- start ---- */

static int run_host(void *context)
{
	const char *allowed = getenv("EGRESS_ALLOW");
	struct option_list list = {&allowed, allowed != NULL};
	struct render_host_settings settings = {
	    .sockets = &client.host[0], .workers = 1, .renders = true, .egress_allow = &list};

	(void)context;
	close(client.host[1]);
	return render_host_run(&settings);
}

static void start_host(void)
{
	struct process process = {.run = run_host, .death_signal = SIGKILL};

	client.host_pid = process_start(&process);
	require(client.host_pid > 0);
	print_pid("host", client.host_pid);
}

int main(int argc, char *argv[])
{
	struct engines_settings settings = {
	    .processes = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1};

	if (argc > 1)
		settings.processes = (unsigned)strtoul(argv[1], NULL, 10);
	if (argc > 2)
		settings.idle_ms = (unsigned)strtoul(argv[2], NULL, 10);
	zones_load(ZONES_FOLDER);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	list_init(&client.jobs);
	require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, client.host) == 0);
	start_host();
	require(loop_init(&client.loop) == 0);
	lanes_start(&client.loop, 2);
	settings.host = client.host[1];
	client.engines = engines_create(&client.loop, &settings);
	uv_pipe_init(&client.loop.uv, &client.input, 0);
	require(uv_pipe_open(&client.input, STDIN_FILENO) == 0);
	require(uv_read_start((uv_stream_t *)&client.input, give_room, on_input) == 0);
	loop_run(&client.loop);
	require(list_is_empty(&client.jobs));
	engines_destroy(client.engines);
	lanes_stop(&client.loop);
	loop_finish(&client.loop);
	buffer_finish(&client.lines);
	kill(client.host_pid, SIGKILL);
	return 0;
}
