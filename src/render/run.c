#include "run.h"
#include "base/clock.h"
#include "domain/display.h"
#include "preview_accounts.h"
#include "render/complaint.h"
#include "request_head.h"
#include "run_fetches.h"

#include <errno.h>
#include <sys/wait.h>

enum {
	/* Steps of Starlark limit a script before this, see render-starlark/limits.go. */
	STARLARK_MS = 30 * 1000,
	TYPESCRIPT_MS = 2 * 1000,
	NETWORK_MS = 8 * 1000, /* additional to these, as in render-typescript */
	/* Additional to the script's and the painter's time. Reached by no picture of a panel's
	 * size: what is encoded depends on the frames alone. */
	ENCODE_MS = 10 * 1000,
	/* Limit of a message, for each of the two: the longest text takes a twentieth of it. An
	 * icon may take long, and messages have the workers' priority. */
	MESSAGE_MS = 3 * 1000,
	SKETCH_ENCODE_MS = 4, /* of ENGINE_SKETCH_MS; a still takes one or two */
	/* The compiler's time is CPU time; its wall time is limited to this. */
	COMPILER_CLOCK_MS = 3 * COMPILER_MS + 5 * 1000,
	GO_FATAL = 2, /* status of a Go program that was ended by its runtime */
};

static const char late_compiler[] =
    "compiling the script takes more than 10 s of CPU time, or the result is larger than 4 MiB";

static const char *const what_texts[] = {
    [ENGINE_PICTURE] = "render",
    [ENGINE_SCHEMA] = "schema",
    [ENGINE_HANDLER] = "handler",
    [ENGINE_COMPILE] = "",
};

static const char why_limited[] =
    "the app takes more than 1 s. Previews of this account have no more time because one of them "
    "reached a limit; they have their full time again a minute after the last one that did";

static uint64_t used_us(const struct engine_run *run)
{
	return run->answer.elapsed_us + run->compile_us;
}

/* Ends the run: the last act, wherever it ended. */
static void end(struct engine_run *run)
{
	enum { CUT_OFF_US = PREVIEW_LIMITED_MS * 1000 * 9 / 10 };
	struct engine_problem *problem = &run->answer.problem;

	run->answer.is_limited = run->is_limited && problem->kind == ENGINE_LIMIT &&
				 (run->is_late || used_us(run) > CUT_OFF_US);
	if (run->answer.is_limited)
		problem->message = STR(why_limited);
	run->done(run);
}

static void run_fail(struct engine_run *run, enum engine_problem_kind kind, const char *text)
{
	answer_fail(&run->answer, kind, "%s", text);
	end(run);
}

/* The time of a stage. A limited run has one second for all stages, not counting the start of
 * processes. */
static unsigned time_for(const struct engine_run *run, unsigned most_ms)
{
	enum { LEAST_MS = 100 };
	uint64_t used_ms = used_us(run) / 1000;

	unsigned left_ms = used_ms + LEAST_MS < PREVIEW_LIMITED_MS
			       ? PREVIEW_LIMITED_MS - (unsigned)used_ms
			       : LEAST_MS;

	if (run->is_message && most_ms > MESSAGE_MS)
		most_ms = MESSAGE_MS;
	return run->is_limited && left_ms < most_ms ? left_ms : most_ms;
}

/* ---- the check ---- */

/* Says that the animation lasts longer than its turn, as rotation_get.sql does. */
static void note_turn(struct engine_run *run)
{
	struct engine_answer *answer = &run->answer;

	if (run->turn_ms == 0 || answer->duration_ms <= run->turn_ms)
		return;
	answer->cut = arena_printf(&((struct answer_memory *)answer->memory)->arena,
				   "%.*s%sthe animation lasts %u s, and its turn ends after %u s",
				   STR_ARG(answer->cut), answer->cut.length ? "; " : "",
				   (answer->duration_ms + 999) / 1000, run->turn_ms / 1000);
}

static void on_checked(struct picture_check *check)
{
	struct engine_run *run = container_of(check, struct engine_run, check);
	struct answer_memory *memory = run->answer.memory;

	if (check->has_failed) {
		answer_fail(&run->answer,
			    check->error.out_of_memory ? ENGINE_NOT_AVAILABLE : ENGINE_BAD_PICTURE,
			    "the app's picture cannot be shown: %s", check->error.text);
	} else if (check->result.size > run->max_bytes) {
		answer_fail(&run->answer, ENGINE_BAD_PICTURE,
			    "the app's picture has %zu bytes, maximum %zu for its panel",
			    check->result.size, run->max_bytes);
	} else {
		memory->picture = check->result;
		check->result = (struct panelimage_result){0};
		run->answer.picture =
		    (struct str){(const char *)memory->picture.data, memory->picture.size};
		run->answer.duration_ms = memory->picture.info.duration_ms;
		if (check->is_cut)
			run->answer.cut = arena_printf(
			    &memory->arena,
			    "the animation is cut: the panel accepts %zu bytes at most",
			    run->max_bytes);
		note_turn(run);
	}
	picture_check_finish(check);
	end(run);
}

static void check_picture(struct engine_run *run, struct str picture)
{
	run->check = (struct picture_check){
	    .max_bytes = run->max_bytes, .size = run->size, .done = on_checked};
	buffer_append_str(&run->check.bytes, picture);
	if (picture_check_start(run->tools->loop, &run->check, run->account) == 0)
		return;
	picture_check_finish(&run->check);
	run_fail(run, ENGINE_NOT_AVAILABLE, "the server is busy with other pictures");
}

/* ---- renderers ---- */

static void ask(struct engine_run *run, enum render_program program, const char *what,
		unsigned timeout_ms, struct str blob);

/* A crash is the script's fault, a lost process is not. */
static void fail_without_answer(struct engine_run *run, const struct renderer_answer *answer)
{
	bool is_go = run->request.program != RENDER_TYPESCRIPT;
	int status = answer->status;

	if (answer->outcome == RENDERER_LOST)
		answer_fail(&run->answer, ENGINE_NOT_AVAILABLE,
			    "no renderer is available at the moment");
	else if (answer->outcome == RENDERER_LATE)
		answer_fail(&run->answer, ENGINE_LATE,
			    "the app's renderer did not answer: the machine is too busy");
	else if (status >= 0 && is_go && WIFEXITED(status) && WEXITSTATUS(status) == GO_FATAL)
		answer_fail(
		    &run->answer, ENGINE_LIMIT,
		    "the app takes more than 256 MiB of memory at once, or too deep a stack");
	else if (status >= 0 && WIFSIGNALED(status))
		answer_fail(&run->answer, ENGINE_CRASH, "the app's renderer was killed: %s",
			    strsignal(WTERMSIG(status)));
	else
		answer_fail(&run->answer, ENGINE_CRASH,
			    "the app's renderer ended without an answer");
	end(run);
}

/* Continues after the script. */
static void go_on(struct engine_run *run, struct str blob)
{
	static const char *const paints[] = {
	    [ENGINE_PICTURE] = "paint", [ENGINE_SCHEMA] = "describe", [ENGINE_HANDLER] = "reply"};
	bool makes_tree = run->language == ENGINE_TYPESCRIPT;

	if (run->answer.problem.kind != ENGINE_DONE) {
		end(run);
	} else if (makes_tree && !run->is_painting) {
		run->is_painting = true;
		ask(run, RENDER_STARLARK, paints[run->what], STARLARK_MS, blob);
	} else if (run->what == ENGINE_PICTURE && blob.length > 0) {
		check_picture(run, blob);
	} else {
		end(run);
	}
}

/* A script that gives up while its answers are there, and wait for its turn, or that fails because
 * there was no memory for one, is not to blame. */
static void excuse(struct engine_run *run)
{
	enum engine_problem_kind kind = run->answer.problem.kind;

	if (kind != ENGINE_DONE &&
	    (run->state == RUN_QUEUED || (kind == ENGINE_WRONG_SCRIPT && run->lacks_answer)))
		answer_fail(&run->answer, ENGINE_LATE,
			    "the app's time for the network is over: the machine is too busy");
}

static void on_answer(struct renderer_request *request, const struct renderer_answer *answer)
{
	struct engine_run *run = container_of(request, struct engine_run, request);

	run_forget_fetches(run);
	if (answer->outcome != RENDERER_ANSWERED) {
		fail_without_answer(run, answer);
		return;
	}
	answer_read_head(&run->answer, yyjson_doc_get_root(answer->head));
	excuse(run);
	if (run->what != ENGINE_PICTURE)
		answer_read_blob(&run->answer, yyjson_doc_get_root(answer->head), answer->blob);
	yyjson_doc_free(answer->head);
	go_on(run, answer->blob);
}

/* ---- the stages of a script ---- */

static void ask(struct engine_run *run, enum render_program program, const char *what,
		unsigned timeout_ms, struct str blob)
{
	bool may_wait = program == RENDER_TYPESCRIPT && run->has_network;
	bool encodes = program != RENDER_TYPESCRIPT && run->what == ENGINE_PICTURE;
	struct request_time time;

	if (run->is_sketch)
		timeout_ms = ENGINE_SKETCH_MS - SKETCH_ENCODE_MS;
	time = (struct request_time){
	    .timeout_ms = time_for(run, timeout_ms),
	    .encode_ms = encodes ? time_for(run, run->is_sketch ? SKETCH_ENCODE_MS : ENCODE_MS) : 0,
	    .network_ms = may_wait ? time_for(run, NETWORK_MS) : 0};

	run->request = (struct renderer_request){
	    .program = program,
	    .timeout_ms = time.timeout_ms + time.encode_ms,
	    .network_ms = time.network_ms,
	    .wall_extra_ms = run->wall_extra_ms,
	    .done = on_answer,
	    .fetch = run_on_fetch,
	    .waits = run_on_waits,
	};
	request_head_write(run->head, what, &time, blob, &run->request.frame);
	renderers_ask(run->tools->renderers, &run->request);
}

/* ---- the compiler ---- */

static void complain(struct engine_run *run, struct str output)
{
	struct answer_memory *memory = run->answer.memory;
	struct complaint complaint;

	if (!complaint_read(output, &complaint)) {
		run_fail(run, ENGINE_CRASH, "esbuild ended without a result");
		return;
	}
	answer_fail(&run->answer, ENGINE_WRONG_SCRIPT, "%.*s", STR_ARG(complaint.message));
	run->answer.problem.file =
	    run->files.count ? arena_copy(&memory->arena, run->files.list[run->next_file].name)
			     : STR(COMPLAINT_SOLE_FILE);
	run->answer.problem.line = complaint.line;
	run->answer.problem.column = complaint.column;
	end(run);
}

static void compile_next(struct engine_run *run);

/* Continues when all scripts are compiled. */
static void use_compiled(struct engine_run *run)
{
	struct answer_memory *memory = run->answer.memory;

	if (buffer_length(&memory->compiled) > COMPILER_OUTPUT_MAX) {
		run_fail(run, ENGINE_LIMIT, "the compiled scripts are larger than 4 MiB");
		return;
	}
	run->answer.compiled = buffer_view(&memory->compiled);
	if (run->what == ENGINE_COMPILE)
		end(run);
	else
		ask(run, RENDER_TYPESCRIPT, what_texts[run->what], TYPESCRIPT_MS,
		    run->answer.compiled);
}

/* Fails without blaming the script, unless the account's previews have reduced time. */
static void fail_by_clock(struct engine_run *run)
{
	run->is_late = true;
	if (run->is_limited)
		run_fail(run, ENGINE_LIMIT, late_compiler);
	else
		run_fail(run, ENGINE_LATE,
			 "the script was not compiled in time: the machine is too busy");
}

static void on_compiled(struct compilation *compilation, enum compiler_outcome outcome,
			struct str output)
{
	struct engine_run *run = container_of(compilation, struct engine_run, compilation);
	struct answer_memory *memory = run->answer.memory;

	run->compile_us += clock_monotonic_us() - run->file_began_us;
	run->compile_cpu_ms += compilation->cpu_ms;
	switch (outcome) {
	case COMPILER_COMPLAINED:
		complain(run, output);
		return;
	case COMPILER_LATE:
		fail_by_clock(run);
		return;
	case COMPILER_SPENT:
		run_fail(run, ENGINE_LIMIT, late_compiler);
		return;
	case COMPILER_CRASHED:
		run_fail(run, ENGINE_CRASH, "the TypeScript compiler crashed on this script");
		return;
	case COMPILER_LOST:
		run_fail(run, ENGINE_NOT_AVAILABLE, "no compiler is available at the moment");
		return;
	case COMPILER_DONE:
		break;
	}
	if (run->files.count) {
		app_files_append(&memory->compiled, &run->files.list[run->next_file++], output);
		compile_next(run);
	} else {
		buffer_append_str(&memory->compiled, output);
		use_compiled(run);
	}
}

/* Ends the run from the loop. */
static void fail_later(struct engine_run *run, const char *why)
{
	snprintf(run->why_wrong, sizeof(run->why_wrong), "%s", why);
	loop_later(run->tools->loop, &run->wrong);
}

static void compile_script(struct engine_run *run, struct str script)
{
	if (script.length > COMPILER_SCRIPT_MAX) {
		fail_later(run, "a TypeScript script may have at most 1 MiB");
		return;
	}
	run->file_began_us = clock_monotonic_us();
	run->compilation = (struct compilation){
	    .timeout_ms = time_for(run, COMPILER_CLOCK_MS - (unsigned)(run->compile_us / 1000)),
	    .done = on_compiled,
	};
	buffer_append_str(&run->compilation.script, script);
	compiler_start(run->tools->loop, run->tools->host, &run->compilation);
}

/* Continues with the next script among the files. */
static void compile_next(struct engine_run *run)
{
	struct answer_memory *memory = run->answer.memory;

	for (; run->next_file < run->files.count; run->next_file++) {
		const struct txtar_file *file = &run->files.list[run->next_file];

		if (app_file_is_script(file)) {
			/* The times are for all files together. */
			if (run->compile_cpu_ms >= COMPILER_MS)
				run_fail(run, ENGINE_LIMIT, late_compiler);
			else if (run->compile_us / 1000 >= COMPILER_CLOCK_MS)
				fail_by_clock(run);
			else
				compile_script(run, file->data);
			return;
		}
		if (!app_file_is_declaration(file))
			app_files_append(&memory->compiled, file, file->data);
	}
	use_compiled(run);
}

static void on_wrong(struct later *later)
{
	struct engine_run *run = container_of(later, struct engine_run, wrong);

	run_fail(run, ENGINE_NO_APP, run->why_wrong);
}

static void compile(struct engine_run *run, struct str script)
{
	if (!txtar_is_archive(script)) {
		compile_script(run, script);
		return;
	}
	buffer_append_str(&run->script, script);
	if (app_files_read(buffer_view(&run->script), &run->files, run->why_wrong) == 0)
		compile_next(run);
	else
		loop_later(run->tools->loop, &run->wrong);
}

/* ---- the run ---- */

int run_init(struct engine_run *run, struct engine_job *job)
{
	unsigned times = job->is_doubled ? 2 : 1;

	*run = (struct engine_run){
	    .job = job,
	    .is_preview = job->is_preview,
	    .has_full_time = job->has_full_time,
	    .is_message = job->is_message,
	    .is_sketch = job->is_sketch,
	    .account = job->account,
	    .what = job->what,
	    .language = job->language,
	    .has_network = job->has_network,
	    .is_refused = job->is_refused,
	    .wall_extra_ms = job->wall_extra_ms,
	    .why_public = job->why_public,
	    .turn_ms = job->turn_ms,
	    .max_bytes = job->max_bytes ? job->max_bytes : PANELIMAGE_OUTPUT_MAX_BYTES,
	    .size = {.width = times * (job->width ? job->width : DISPLAY_WIDTH),
		     .height = times * (job->height ? job->height : DISPLAY_HEIGHT)},
	    .head = request_head_create(job),
	};
	list_init(&run->node);
	loop_later_init(&run->wrong, on_wrong);
	if (!run->head || (job->what == ENGINE_COMPILE && job->language == ENGINE_STARLARK)) {
		yyjson_mut_doc_free(run->head);
		return -EINVAL;
	}
	buffer_append_str(&run->scope, job->scope);
	(void)answer_begin(&run->answer);
	return 0;
}

void run_finish(struct engine_run *run)
{
	compiler_stop(&run->compilation);
	loop_later_cancel(&run->wrong);
	app_files_finish(&run->files);
	buffer_finish(&run->script);
	buffer_finish(&run->compilation.script);
	run_forget_fetches(run);
	buffer_finish(&run->scope);
	buffer_finish(&run->request.frame);
	yyjson_mut_doc_free(run->head);
	answer_finish(&run->answer);
}

void run_start(struct engine_run *run, const struct run_tools *tools)
{
	const struct engine_job *job = run->job;

	run->tools = tools;
	run->started_us = clock_monotonic_us();
	if (run->language == ENGINE_STARLARK)
		ask(run, run->is_message ? RENDER_MESSAGE : RENDER_STARLARK, what_texts[run->what],
		    STARLARK_MS, job->script);
	else if (job->compiled.length == 0 || run->what == ENGINE_COMPILE)
		compile(run, job->script);
	else
		ask(run, RENDER_TYPESCRIPT, what_texts[run->what], TYPESCRIPT_MS, job->compiled);
}
