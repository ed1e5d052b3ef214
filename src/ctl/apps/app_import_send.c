#include "app_folder.h"
#include "app_import_steps.h"
#include "base/clock.h"
#include "ctl/server/remote.h"
#include "ctl/server/text.h"
#include "ctl/shell/progress.h"
#include "record/json_text.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <text/utf8.h>
#include <time.h>
#include <unistd.h>
#include <yyjson.h>

enum {
	THREADS_MAX = 8,
	/* Time after which a busy or unavailable server is not asked again. */
	PATIENCE_MS = 60 * 1000,
	/* Limit of one answer: the app's script may run long, after those of others. */
	ANSWER_MS = 5 * 60 * 1000,
	AGAIN_MS = 250,
};

/* State of the threads, which take the apps in their order. */
struct pool {
	struct import *import;
	struct server_target target;
	struct str path, account; /* the same in each request */
	pthread_mutex_t mutex;
	atomic_size_t next;   /* index of the first app that no thread has taken */
	size_t done_count;    /* apps that are done, for the progress shown */
	size_t fail_count;    /* those of them that failed */
	unsigned running;     /* threads */
	pthread_cond_t ended; /* a thread */
	uint64_t busy_ms;     /* since when all apps find the server busy or unavailable; 0: none */
	_Atomic enum ctl_exit code; /* anything but CTL_DONE ends the import */
	struct reason why;	    /* reason of that code */
};

/* ---- an app ---- */

static bool read_script(struct import_app *app)
{
	char fault[APP_FAULT_MAX], *folder;
	int status = app_folder_read(app->path, &app->script, &app->is_typescript, &folder, fault);

	free(folder);
	if (status < 0)
		import_fail(app, arena_copy(&app->arena, str_from(fault)));
	else
		import_app_name_version(app);
	return app->outcome == IMPORT_WAITS;
}

/* ---- the answer ---- */

static struct str text_of(yyjson_val *object, const char *name)
{
	return json_text(yyjson_obj_get(object, name));
}

/* Returns "clock.star:12:9: message". */
static struct str place_of(struct import_app *app, yyjson_val *problem)
{
	struct str file = text_of(problem, "file"), message = text_of(problem, "message");
	int line = yyjson_get_int(yyjson_obj_get(problem, "line"));

	if (!file.length)
		return arena_copy(&app->arena, message);
	if (line <= 0)
		return ARENA_JOIN(&app->arena, file, STR(": "), message);
	return arena_printf(&app->arena, "%.*s:%d:%d: %.*s", STR_ARG(file), line,
			    yyjson_get_int(yyjson_obj_get(problem, "column")), STR_ARG(message));
}

static void take_outcome(struct import_app *app, yyjson_val *answer)
{
	struct str outcome = text_of(answer, "outcome");
	yyjson_val *problem = yyjson_obj_get(answer, "problem");

	app->outcome =
	    str_equal(outcome, STR("made")) || (str_equal(outcome, STR("checked")) && !app->state)
		? IMPORT_MADE
		: IMPORT_UPDATED;
	if (str_equal(outcome, STR("failed")))
		import_fail(app, place_of(app, problem));
	else if (yyjson_is_obj(problem))
		app->remark = STR("its form needs the network");
}

/* Keeps the first fault of a request that the server rejected as the app's remark. */
static void take_refusal(struct import_app *app, int status, yyjson_val *problem)
{
	yyjson_val *fault = yyjson_arr_get_first(yyjson_obj_get(problem, "errors"));
	struct str detail = text_of(fault ?: problem, "detail"), member = text_of(fault, "pointer");

	if (!detail.data)
		import_fail(
		    app, arena_printf(&app->arena, "the server answered with status %d", status));
	else if (member.length > 1)
		import_fail(app,
			    ARENA_JOIN(&app->arena, str_from_offset(member, 1), STR(": "), detail));
	else
		import_fail(app, arena_copy(&app->arena, detail));
}

static void take_answer(struct import_app *app, const struct server_answer *answer)
{
	struct str body = buffer_view(&answer->body);
	yyjson_doc *parsed = body.length ? yyjson_read(body.data, body.length, 0) : NULL;

	if (answer->status == 200)
		take_outcome(app, yyjson_doc_get_root(parsed));
	else
		take_refusal(app, answer->status, yyjson_doc_get_root(parsed));
	yyjson_doc_free(parsed);
}

static void give_up(struct pool *pool, const struct reason *why)
{
	pthread_mutex_lock(&pool->mutex);
	if (pool->code == CTL_DONE) {
		pool->code = CTL_DATABASE;
		pool->why = *why;
	}
	pthread_mutex_unlock(&pool->mutex);
}

/* Whether PATIENCE_MS have passed since the server was first asked for this app, or since it is
 * busy with all apps. */
static bool is_over(struct pool *pool, uint64_t begun_ms, bool is_busy)
{
	uint64_t now_ms = clock_monotonic_ms(), busy_ms;

	pthread_mutex_lock(&pool->mutex);
	if (!is_busy)
		pool->busy_ms = 0;
	else if (pool->busy_ms == 0)
		pool->busy_ms = now_ms;
	busy_ms = pool->busy_ms ? now_ms - pool->busy_ms : 0;
	pthread_mutex_unlock(&pool->mutex);
	return now_ms - begun_ms >= PATIENCE_MS || busy_ms >= PATIENCE_MS;
}

/* Sends the request, and repeats it if necessary, which does no harm. Returns false if the server
 * is unavailable. */
static bool app_import_send_ask(struct pool *pool, const struct server_request *request,
				struct server_answer *answer)
{
	uint64_t begun_ms = clock_monotonic_ms();
	struct reason why;

	for (;;) {
		enum server_result result = server_socket_ask(&pool->target, request, answer, &why);
		bool is_busy = result != SERVER_ANSWERED || answer->status == 503;
		bool ends = is_over(pool, begun_ms, is_busy) || !is_busy;

		if (result == SERVER_ANSWERED && ends)
			return true;
		if (result != SERVER_ANSWERED && (result != SERVER_UNAVAILABLE || ends)) {
			give_up(pool, &why);
			return false;
		}
		server_answer_finish(answer);
		*answer = (struct server_answer){0};
		poll(NULL, 0, AGAIN_MS);
	}
}

static void send_app(struct pool *pool, struct import_app *app)
{
	struct server_request request = {
	    .method = "POST", .path = pool->path, .account = pool->account};
	struct server_answer answer = {0};
	struct buffer body = {0};

	import_write_body(app, pool->import->is_dry, &body);
	buffer_finish(&app->script);
	buffer_finish(&app->picture);
	request.body = buffer_view(&body);
	if (app_import_send_ask(pool, &request, &answer))
		take_answer(app, &answer);
	server_answer_finish(&answer);
	buffer_finish(&body);
}

static void import_one(struct pool *pool, struct import_app *app)
{
	if (!read_script(app))
		return;
	import_read_picture(app);
	if (app->manifest.is_broken)
		app->remark = ARENA_JOIN(&app->arena, STR("its manifest says that it is broken"),
					 app->manifest.broken_reason.data ? STR(": ") : STR(""),
					 app->manifest.broken_reason);
	if (import_has_all(app))
		app->outcome = IMPORT_UNCHANGED;
	else
		send_app(pool, app);
}

/* ---- threads ---- */

/* Takes the next app. Returns NULL if there is none, or the import has failed. */
static struct import_app *app_import_send_take(struct pool *pool)
{
	struct import *import = pool->import;
	size_t index;

	while (pool->code == CTL_DONE && (index = pool->next++) < import->count)
		if (import->apps[index].outcome == IMPORT_WAITS)
			return &import->apps[index];
	return NULL;
}

static void count(struct pool *pool, const struct import_app *app)
{
	pthread_mutex_lock(&pool->mutex);
	pool->done_count++;
	pool->fail_count += app->outcome == IMPORT_FAILED;
	pthread_mutex_unlock(&pool->mutex);
}

static void show_progress(const struct pool *pool, struct progress *progress)
{
	char line[PROGRESS_LINE_MAX];

	progress_write(progress, clock_monotonic_ms(), pool->done_count, pool->import->count,
		       pool->fail_count, line);
	fputs(line, stderr);
}

/* Waits for the threads, and shows how far they are. */
static void watch(struct pool *pool)
{
	struct progress progress;

	progress_begin(&progress, isatty(STDERR_FILENO), clock_monotonic_ms());
	pthread_mutex_lock(&pool->mutex);
	while (pool->running > 0) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		pthread_cond_timedwait(&pool->ended, &pool->mutex, &until);
		if (progress_is_due(&progress, clock_monotonic_ms()))
			show_progress(pool, &progress);
	}
	if (progress.is_terminal)
		show_progress(pool, &progress);
	pthread_mutex_unlock(&pool->mutex);
	fputs(progress_end(&progress), stderr);
}

static void *app_import_send_run(void *context)
{
	struct pool *pool = context;
	struct import_app *app;

	while ((app = app_import_send_take(pool))) {
		import_one(pool, app);
		buffer_finish(&app->script);
		buffer_finish(&app->picture);
		count(pool, app);
	}
	pthread_mutex_lock(&pool->mutex);
	pool->running--;
	pthread_cond_signal(&pool->ended);
	pthread_mutex_unlock(&pool->mutex);
	return NULL;
}

static unsigned start_threads(struct pool *pool, pthread_t threads[static THREADS_MAX])
{
	/* Start twice as many threads as processors: while the server loads one app, another is
	 * read and sent. */
	long twice = 2 * sysconf(_SC_NPROCESSORS_ONLN);
	unsigned count = 0, wanted = twice < 2		   ? 2
				     : twice > THREADS_MAX ? THREADS_MAX
							   : (unsigned)twice;

	pthread_mutex_lock(&pool->mutex); /* none ends before it is counted */
	while (count < wanted &&
	       pthread_create(&threads[count], NULL, app_import_send_run, pool) == 0)
		count++;
	pool->running = count;
	pthread_mutex_unlock(&pool->mutex);
	return count;
}

enum ctl_exit import_send(struct import *import)
{
	struct pool pool = {.import = import,
			    .target = remote_target(import->ctl),
			    .path = ctl_path(import->ctl, "/web/admin/collections/",
					     import->collection_id, "/apps"),
			    .account = ctl_value(import->ctl, "account"),
			    .mutex = PTHREAD_MUTEX_INITIALIZER,
			    .ended = PTHREAD_COND_INITIALIZER};
	pthread_t threads[THREADS_MAX] = {0};
	unsigned count;

	for (size_t i = 0; i < import->count; i++)
		pool.fail_count += import->apps[i].outcome == IMPORT_FAILED;
	pool.done_count = pool.fail_count;
	pool.target.patience_ms = ANSWER_MS;
	count = start_threads(&pool, threads);
	if (count == 0)
		return ctl_fail(CTL_FAILED, "cannot start a thread");
	watch(&pool);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return pool.code == CTL_DONE ? CTL_DONE : ctl_fail(pool.code, "%s", pool.why.text);
}
