#include "app_engine.h"
#include "app_folder.h"
#include "app_import_steps.h"
#include "app_report.h"
#include "base/clock.h"
#include "base/limits.h"

#include <pthread.h>
#include <text/utf8.h>
#include <unistd.h>

enum { THREADS_MAX = 8, READY_MAX = 32 };

/* Error of a script that asks for the network: while the app is not installed, nothing leaves the
 * machine. */
#define NO_NETWORK "no network here"

/* The threads take the apps in their order, and hand them on in any. */
struct pool {
	struct import *import;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	size_t next;			     /* the first app that no thread has taken */
	struct import_app *ready[READY_MAX]; /* apps that wait for the main thread */
	unsigned ready_count;
	unsigned thread_count; /* those that still run */
	bool is_over;	       /* the main thread takes no more */
};

/* ---- an app ---- */

static bool read_script(struct import_app *app)
{
	char fault[APP_FAULT_MAX];
	struct str script;

	if (app_folder_read(app->path, &app->script, &app->is_typescript, fault) < 0) {
		import_fail(app, "%s", fault);
		return false;
	}
	script = buffer_view(&app->script);
	if (script.length == 0)
		import_fail(app, "its script is empty");
	else if (!utf8_is_valid(script) || memchr(script.data, '\0', script.length))
		import_fail(app, "its script or the name of a file is no text in UTF-8");
	app_checksum(import_language(app), script, app->checksum);
	snprintf(app->version, sizeof(app->version), "%s", app->checksum + strlen("sha256:"));
	return app->outcome == IMPORT_WAITS;
}

static yyjson_mut_doc *make_head(void)
{
	yyjson_mut_doc *head = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *root = yyjson_mut_obj(head);

	yyjson_mut_doc_set_root(head, root);
	yyjson_mut_obj_add_str(head, root, "what", "schema");
	yyjson_mut_obj_add_str(head, root, "app", "import");
	yyjson_mut_obj_add_sint(head, root, "now_ms", clock_wall_us() / 1000);
	yyjson_mut_obj_add_str(head, root, "timezone", "UTC");
	yyjson_mut_obj_add_str(head, root, "locale", "en");
	/* Allow requests, so that the answer names the hosts; no request is passed on. */
	yyjson_mut_obj_add_bool(head, root, "network", true);
	return head;
}

static bool ends_with(struct str text, struct str end)
{
	return text.length >= end.length &&
	       str_equal(str_from_offset(text, text.length - end.length), end);
}

/* "clock.star:2:14: index 1 out of range", on one line. */
static void tell_error(struct import_app *app, yyjson_val *error, bool has_asked)
{
	struct str message = str_from(yyjson_get_str(yyjson_obj_get(error, "message")) ?: "");
	struct buffer text = {0};
	struct str line;

	app_report_place(error, &text);
	line = buffer_view(&text);
	if (has_asked && ends_with(message, STR(NO_NETWORK)))
		import_remark(app, "its form can be shown only once it has the network");
	else
		import_fail(app, "%.*s", STR_ARG(line));
	buffer_finish(&text);
}

static void take_answer(struct import_app *app, const struct renderer_answer *answer)
{
	yyjson_val *head = yyjson_doc_get_root(answer->head);
	yyjson_val *error = yyjson_obj_get(head, "error");

	char fault[APP_FAULT_MAX];

	if (error)
		tell_error(app, error, yyjson_arr_size(yyjson_obj_get(head, "hosts")) > 0);
	else if (!app_report_form(yyjson_obj_get(head, "schema"), fault))
		import_fail(app, "%s", fault);
}

static void load(struct import_app *app, struct app_engine **engine)
{
	char why[RENDERER_WHY_MAX];
	struct renderer_answer answer;
	yyjson_mut_doc *head;
	int status;

	if (!*engine)
		*engine = app_engine_start(app->is_typescript, why);
	if (!*engine) {
		import_fail(app, "%s", why);
		return;
	}
	head = make_head();
	status = app_engine_ask(*engine, head, buffer_view(&app->script), &answer, why);
	yyjson_mut_doc_free(head);
	if (status == 0) {
		bool is_last =
		    yyjson_get_bool(yyjson_obj_get(yyjson_doc_get_root(answer.head), "recycle"));

		take_answer(app, &answer);
		app_engine_finish_answer(&answer);
		if (!is_last)
			return;
	} else {
		import_fail(app, "%s", why);
	}
	app_engine_stop(*engine);
	*engine = NULL;
}

/* engine: for Starlark, kept from app to app. */
static void check(struct import_app *app, struct app_engine **engine)
{
	struct app_engine *own = NULL;

	if (!read_script(app))
		return;
	import_read_picture(app);
	if (app->manifest.is_broken)
		import_remark(app, "its manifest says that it is broken%s%s",
			      app->manifest.broken_reason ? ": " : "",
			      app->manifest.broken_reason ?: "");
	if (import_has_content(app))
		return;
	load(app, app->is_typescript ? &own : engine);
	app_engine_stop(own);
}

/* ---- threads ---- */

static struct import_app *take(struct pool *pool)
{
	struct import *import = pool->import;
	struct import_app *app = NULL;

	pthread_mutex_lock(&pool->mutex);
	while (!app && !pool->is_over && pool->next < import->count) {
		app = &import->apps[pool->next++];
		if (app->outcome != IMPORT_WAITS)
			app = NULL;
	}
	pthread_mutex_unlock(&pool->mutex);
	return app;
}

/* Waits while the main thread has enough to do. */
static void hand_on(struct pool *pool, struct import_app *app)
{
	pthread_mutex_lock(&pool->mutex);
	while (pool->ready_count == READY_MAX && !pool->is_over)
		pthread_cond_wait(&pool->changed, &pool->mutex);
	if (!pool->is_over)
		pool->ready[pool->ready_count++] = app;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->mutex);
}

static void *run(void *context)
{
	struct pool *pool = context;
	struct app_engine *engine = NULL;
	struct import_app *app;

	while ((app = take(pool))) {
		check(app, &engine);
		hand_on(pool, app);
	}
	app_engine_stop(engine);
	pthread_mutex_lock(&pool->mutex);
	pool->thread_count--;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->mutex);
	return NULL;
}

/* NULL: there are no more. */
static struct import_app *wait_for_one(struct pool *pool)
{
	struct import_app *app = NULL;

	pthread_mutex_lock(&pool->mutex);
	while (pool->ready_count == 0 && pool->thread_count > 0)
		pthread_cond_wait(&pool->changed, &pool->mutex);
	if (pool->ready_count > 0)
		app = pool->ready[--pool->ready_count];
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->mutex);
	return app;
}

static void end(struct pool *pool)
{
	pthread_mutex_lock(&pool->mutex);
	pool->is_over = true;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->mutex);
}

static unsigned start_threads(struct pool *pool, pthread_t threads[static THREADS_MAX])
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned wanted = processors < 1	     ? 1
			  : processors > THREADS_MAX ? THREADS_MAX
						     : (unsigned)processors;

	pthread_mutex_lock(&pool->mutex);
	while (pool->thread_count < wanted &&
	       pthread_create(&threads[pool->thread_count], NULL, run, pool) == 0)
		pool->thread_count++;
	wanted = pool->thread_count;
	pthread_mutex_unlock(&pool->mutex);
	return wanted;
}

enum ctl_exit import_check(struct import *import, import_checked *checked)
{
	struct pool pool = {.import = import,
			    .mutex = PTHREAD_MUTEX_INITIALIZER,
			    .changed = PTHREAD_COND_INITIALIZER};
	pthread_t threads[THREADS_MAX] = {0};
	unsigned count = start_threads(&pool, threads);
	enum ctl_exit code = CTL_DONE;
	struct import_app *app;

	if (count == 0)
		return ctl_fail(CTL_FAILED, "no thread can be started");
	while (code == CTL_DONE && (app = wait_for_one(&pool)))
		code = checked(import, app);
	end(&pool);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return code;
}
