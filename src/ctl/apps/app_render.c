/* displayctl app render: renders an app as a server does, without a server. */
#include "app_engine.h"
#include "app_folder.h"
#include "app_report.h"
#include "app_types_check.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/zones.h"
#include "ctl/ctl.h"
#include "ctl/devices/installation_settings.h"
#include "domain/content.h"
#include "domain/form.h"
#include "domain/panel_size.h"
#include "options/options.h"
#include "panel/play.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>
#include <yyjson.h>

enum { WATCH_MS = 200 };

/* The app's files on disk. */
struct source {
	bool is_read;
	bool is_typescript;
	struct buffer script; /* the reason if it was not read */
	char *folder;	      /* the folder of the rendered files; NULL: a single script */
};

/* The command's options, and the result of the last render. */
struct rendering {
	struct ctl *ctl;
	const char *path;
	const char *output; /* NULL: the terminal */
	bool watches;
	bool checks;
	bool has_network;
	struct option_list egress_allow;
	struct app_engine *engine;
	struct settings arguments; /* settings KEY=VALUE, which override those of --settings */
	struct str settings;	   /* all, JSON */
	bool has_looked;	   /* whether arguments were checked for secrets */
	struct source source;
	uint64_t looked_ms;	/* when the files were last compared */
	struct buffer compiled; /* compiled TypeScript; empty: not compiled yet */

	struct buffer picture;
	struct buffer log;    /* the app's output, and errors */
	struct buffer status; /* one line */
	bool failed;
};

int ctl_check_time(char *value, struct options_error *reterr)
{
	int64_t us;

	if (timestamp_read(str_from(value), &us))
		return 0;
	return options_error_set(reterr, "must be a time such as 2026-07-01T12:34:56Z");
}

static void read_source(const char *path, struct source *ret_source)
{
	char fault[APP_FAULT_MAX];

	*ret_source = (struct source){0};
	ret_source->is_read = app_folder_read(path, &ret_source->script, &ret_source->is_typescript,
					      &ret_source->folder, fault) == 0;
	if (ret_source->is_read)
		return;
	buffer_clear(&ret_source->script);
	buffer_append_str(&ret_source->script, str_from(fault));
}

static void finish_source(struct source *source)
{
	buffer_finish(&source->script);
	free(source->folder);
}

/* Runs a job of this kind. Returns NULL with a reason in ret_why if there is no answer. */
static struct engine_job *app_render_run(struct rendering *rendering, enum engine_what what,
					 bool has_network, char ret_why[static APP_ENGINE_WHY_MAX])
{
	struct ctl *ctl = rendering->ctl;
	const char *now = options_text(&ctl->options, "now");
	int64_t now_us = clock_wall_us();

	if (now)
		(void)timestamp_read(str_from(now), &now_us);
	return app_engine_run(
	    rendering->engine,
	    &(struct engine_job){
		.what = what,
		.language = rendering->source.is_typescript ? ENGINE_TYPESCRIPT : ENGINE_STARLARK,
		.script = buffer_view(&rendering->source.script),
		.compiled = buffer_view(&rendering->compiled),
		.scope = STR("draft"),
		.config = rendering->settings,
		.keeps_zone = true,
		.now_ms = now_us / 1000,
		.timezone = ctl_value(ctl, "timezone"),
		.locale = ctl_value(ctl, "locale"),
		.seed = strtoull(options_text(&ctl->options, "seed"), NULL, 10),
		.is_doubled = panel_size_of(ctl_value(ctl, "size")) == PANEL_SIZE_128X64,
		.max_whole_ms = CONTENT_ANIMATION_MAX_S * 1000,
		.turn_ms = CONTENT_WHOLE_MAX_S * 1000,
		.has_network = has_network,
	    },
	    ret_why);
}

static void app_render_fail(struct rendering *rendering, struct str why)
{
	rendering->failed = true;
	buffer_printf(&rendering->log, "displayctl: %.*s\n", STR_ARG(why));
	buffer_clear(&rendering->status);
	buffer_append_str(&rendering->status, why);
}

static void report(const struct rendering *rendering, const struct engine_problem *problem,
		   struct buffer *text)
{
	const char *folder = rendering->source.folder;

	app_report_error(folder ? folder : rendering->path, folder, problem, text);
}

static void take_picture(struct rendering *rendering, const struct engine_answer *answer)
{
	app_report_log(answer, &rendering->log);
	if (answer->problem.kind != ENGINE_DONE) {
		rendering->failed = true;
		report(rendering, &answer->problem, &rendering->log);
		report(rendering, &answer->problem, &rendering->status);
		return;
	}
	buffer_append_str(&rendering->picture, answer->picture);
	app_report_picture(answer, &rendering->status);
}

static void print_schema(struct rendering *rendering, const struct engine_answer *answer)
{
	struct str schema = answer->schema;
	yyjson_doc *parsed = schema.length ? yyjson_read(schema.data, schema.length, 0) : NULL;
	char *text = parsed ? yyjson_write(parsed, YYJSON_WRITE_PRETTY_TWO_SPACES, NULL) : NULL;
	struct buffer shown = {0};
	struct arena arena = {0};
	struct form form;
	struct str fault;

	if (answer->problem.kind != ENGINE_DONE) {
		rendering->failed = true;
		report(rendering, &answer->problem, &rendering->log);
	} else if (!form_read(schema, &arena, &form, &fault)) {
		app_render_fail(rendering, fault);
	}
	if (text) {
		buffer_append_str(&shown, STR("schema: "));
		ctl_append_visible(str_from(text), "\n", &shown);
		buffer_append_char(&shown, '\n');
		(void)ctl_print(&shown);
	}
	arena_finish(&arena);
	buffer_finish(&shown);
	free(text);
	yyjson_doc_free(parsed);
}

/* Runs one job of this kind, with the network if it was not excluded. Returns NULL without an
 * answer, after noting the reason. */
static struct engine_job *app_render_ask(struct rendering *rendering, enum engine_what what)
{
	char why[APP_ENGINE_WHY_MAX];
	struct engine_job *job = app_render_run(rendering, what, rendering->has_network, why);

	if (!job)
		app_render_fail(rendering, str_from(why));
	else if (!buffer_length(&rendering->compiled))
		buffer_append_str(&rendering->compiled, job->answer.compiled);
	return job;
}

static void ask_all(struct rendering *rendering)
{
	struct engine_job *job = app_render_ask(rendering, ENGINE_PICTURE);

	if (!job)
		return;
	take_picture(rendering, &job->answer);
	engine_job_finish(job);
	if (!rendering->checks || rendering->failed ||
	    !(job = app_render_ask(rendering, ENGINE_SCHEMA)))
		return;
	print_schema(rendering, &job->answer);
	engine_job_finish(job);
}

/* Prints, once, which settings of the arguments are secret: others can read arguments. The app gets
 * no network: only its picture may cause requests. An app without a schema, or with a wrong one,
 * may have one after the next change. */
static void look_for_secrets(struct rendering *rendering)
{
	char why[APP_ENGINE_WHY_MAX];
	struct engine_job *job = app_render_run(rendering, ENGINE_SCHEMA, false, why);
	struct arena arena = {0};
	struct form form;
	struct str reason;

	if (!job)
		return;
	if (job->answer.schema.length && form_read(job->answer.schema, &arena, &form, &reason)) {
		rendering->has_looked = true;
		for (unsigned i = 0; i < rendering->arguments.count; i++) {
			struct str name = rendering->arguments.items[i].name;
			const struct form_field *field = form_find(&form, name);

			if (field && field->is_secret)
				ctl_say("displayctl: the setting %.*s is secret, and others can "
					"read arguments; use --settings FILE",
					STR_ARG(name));
		}
	}
	arena_finish(&arena);
	engine_job_finish(job);
}

static void print_buffer(const struct buffer *text, FILE *out)
{
	struct str view = buffer_view(text);

	if (view.length > 0)
		fwrite(view.data, 1, view.length, out);
	fflush(out);
}

static void print_engine(const struct rendering *rendering)
{
	struct buffer text = {0};

	app_engine_describe(rendering->engine, &text);
	print_buffer(&text, stdout);
	buffer_finish(&text);
}

/* Adds type errors to the log, and prints whether types were checked. */
static void check_types(struct rendering *rendering)
{
	struct buffer found = {0};
	enum app_types_result result = app_types_check(rendering->path, &found);

	if (result == APP_TYPES_WRONG) {
		rendering->failed = true;
		buffer_append_str(&rendering->log, buffer_view(&found));
	} else if (result == APP_TYPES_RIGHT) {
		printf("types: correct (tsc)\n");
	} else {
		printf("types: not checked: %.*s\n", (int)buffer_length(&found),
		       buffer_view(&found).data);
	}
	fflush(stdout);
	buffer_finish(&found);
}

/* Starts the engine, also if its host has ended meanwhile. Returns false if that fails. */
static bool has_engine(struct rendering *rendering)
{
	char why[APP_ENGINE_WHY_MAX];

	if (!app_engine_has_ended(rendering->engine))
		return true;
	if (rendering->engine)
		buffer_append_str(
		    &rendering->log,
		    STR("displayctl: the render host has ended; another one starts\n"));
	app_engine_stop(rendering->engine);
	rendering->engine = app_engine_start(&rendering->egress_allow, why);
	if (!rendering->engine)
		app_render_fail(rendering, str_from(why));
	return rendering->engine;
}

static void render_script(struct rendering *rendering)
{
	if (!has_engine(rendering))
		return;
	if (!zones_find(ctl_value(rendering->ctl, "timezone"))) {
		app_render_fail(rendering, STR("unknown time zone"));
		return;
	}
	ask_all(rendering);
	if (rendering->arguments.count && !rendering->has_looked)
		look_for_secrets(rendering);
	if (rendering->checks)
		print_engine(rendering);
	if (rendering->checks && rendering->source.is_typescript)
		check_types(rendering);
}

/* Reads the app and renders it once. */
static void render(struct rendering *rendering)
{
	buffer_clear(&rendering->picture);
	buffer_clear(&rendering->log);
	buffer_clear(&rendering->status);
	buffer_clear(&rendering->compiled);
	finish_source(&rendering->source);
	rendering->failed = false;
	read_source(rendering->path, &rendering->source);
	if (rendering->source.is_read)
		render_script(rendering);
	else
		app_render_fail(rendering, buffer_view(&rendering->source.script));
}

/* Writes a second file and renames it, so that readers never find half a picture. */
static enum ctl_exit write_output(struct rendering *rendering)
{
	struct str view = buffer_view(&rendering->picture);
	enum ctl_exit code = CTL_DONE;
	char *name = NULL;
	FILE *file;
	bool is_written;

	if (asprintf(&name, "%s.part", rendering->output) < 0)
		abort();
	file = fopen(name, "we");
	is_written = file && fwrite(view.data, 1, view.length, file) == view.length;
	if (file && fclose(file) != 0)
		is_written = false;
	if (!is_written || rename(name, rendering->output) != 0) {
		code = ctl_fail(CTL_FAILED, "%s: %s", rendering->output, strerror(errno));
		if (file)
			unlink(name);
	}
	free(name);
	return code;
}

static bool has_changed(void *context)
{
	struct rendering *rendering = context;
	const struct source *shown = &rendering->source;
	uint64_t now_ms = clock_monotonic_ms();
	struct source now;
	bool is_same;

	if (!rendering->watches || now_ms - rendering->looked_ms < WATCH_MS)
		return false;
	rendering->looked_ms = now_ms;
	read_source(rendering->path, &now);
	is_same = now.is_typescript == shown->is_typescript &&
		  str_equal(buffer_view(&now.script), buffer_view(&shown->script));
	finish_source(&now);
	return !is_same;
}

/* Plays the picture. Returns false if the user ended the player. */
static bool play(struct rendering *rendering)
{
	struct str picture = buffer_view(&rendering->picture);

	buffer_append_char(&rendering->status, '\0');
	return panel_play((const uint8_t *)picture.data, picture.length,
			  buffer_view(&rendering->status).data, has_changed, rendering);
}

/* Shows the result of render(). Returns true if the app has changed and must be rendered again. */
static bool show(struct rendering *rendering, enum ctl_exit *ret_code)
{
	bool plays = !rendering->output && !rendering->checks;
	bool goes_on = rendering->watches;

	*ret_code = rendering->failed ? CTL_FAILED : CTL_DONE;
	if (plays && (rendering->watches || !rendering->failed))
		goes_on = play(rendering) && goes_on;
	print_buffer(&rendering->log, stderr);
	if (rendering->checks && !rendering->failed)
		printf("%s: %.*s\n", rendering->path, (int)buffer_length(&rendering->status),
		       buffer_view(&rendering->status).data);
	fflush(stdout);
	if (rendering->output && !rendering->failed && buffer_length(&rendering->picture) == 0)
		fprintf(stderr, "displayctl: the app has nothing to show\n");
	else if (rendering->output && !rendering->failed && !rendering->checks)
		*ret_code = write_output(rendering);
	while (goes_on && !has_changed(rendering))
		poll(NULL, 0, WATCH_MS);
	return goes_on;
}

static bool has_other_format(const char *name)
{
	static const char *const endings[] = {".png", ".gif", ".jpg", ".jpeg"};
	const char *ending = strrchr(name, '.');

	for (unsigned i = 0; ending && i < array_length(endings); i++)
		if (strcasecmp(ending, endings[i]) == 0)
			return true;
	return false;
}

static enum ctl_exit check_arguments(const struct rendering *rendering)
{
	if (access(rendering->path, R_OK) != 0)
		return ctl_fail(CTL_NOT_FOUND, "%s: %s", rendering->path, strerror(errno));
	if (!rendering->output && !rendering->checks && !isatty(STDOUT_FILENO))
		return ctl_fail(CTL_USAGE, "standard output is not a terminal; use -o FILE");
	if (rendering->output && has_other_format(rendering->output))
		return ctl_fail(CTL_USAGE, "the picture is a WebP; name the file .webp, not %s",
				strrchr(rendering->output, '.'));
	return CTL_DONE;
}

static enum ctl_exit read_settings(struct rendering *rendering)
{
	struct ctl *ctl = rendering->ctl;
	enum ctl_exit code = settings_arguments_read(ctl, 1, &rendering->arguments);
	struct settings all;

	if (code == CTL_DONE)
		code = settings_file_read(ctl, &all);
	if (code != CTL_DONE)
		return code;
	settings_merge(&all, &rendering->arguments, &ctl->arena, &all);
	rendering->settings = settings_to_text(&all, &ctl->arena);
	return CTL_DONE;
}

static struct option_list read_ranges(const struct options *options,
				      const char *ranges[static CONFIG_EGRESS_MAX])
{
	struct option_list list = {ranges, 0};

	for (unsigned i = 0; i < options->given_count && list.count < CONFIG_EGRESS_MAX; i++)
		if (strcmp(options->given[i].option->name, "egress-allow") == 0)
			ranges[list.count++] = options->given[i].value;
	return list;
}

enum ctl_exit ctl_app_render(struct ctl *ctl)
{
	const struct options *options = &ctl->options;
	const char *ranges[CONFIG_EGRESS_MAX];
	struct rendering rendering = {
	    .ctl = ctl,
	    .path = options->positionals[0],
	    .output = options_text(options, "output"),
	    .watches = options_find_given(options, "watch"),
	    .checks = options_find_given(options, "check"),
	    .has_network = !options_find_given(options, "no-network"),
	    .egress_allow = read_ranges(options, ranges),
	};
	enum ctl_exit code = read_settings(&rendering);

	if (code == CTL_DONE)
		code = check_arguments(&rendering);
	if (code != CTL_DONE)
		return code;
	do {
		render(&rendering);
	} while (show(&rendering, &code));
	app_engine_stop(rendering.engine);
	finish_source(&rendering.source);
	buffer_finish(&rendering.picture);
	buffer_finish(&rendering.log);
	buffer_finish(&rendering.status);
	buffer_finish(&rendering.compiled);
	return code;
}
