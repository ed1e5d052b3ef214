/* displayctl app render: what a server would show, without one. */
#include "app_beside.h"
#include "app_engine.h"
#include "app_folder.h"
#include "app_network.h"
#include "app_report.h"
#include "app_settings.h"
#include "app_types_check.h"
#include "base/clock.h"
#include "base/memory.h"
#include "ctl/ctl.h"
#include "options/options.h"
#include "panel/play.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <text/address.h>
#include <unistd.h>

enum { WATCH_MS = 200 };

/* A command's options, and how the app's last render went. */
struct rendering {
	struct ctl *ctl;
	const char *path;
	char *folder;	    /* which has the files that are rendered; NULL: there is one alone */
	const char *output; /* NULL: the terminal */
	bool watches;
	bool checks;
	bool has_network;
	struct app_network network;
	struct app_settings settings;
	uint64_t state; /* of the app's files when they were read */

	struct buffer picture;
	struct buffer log;    /* what it printed, and errors */
	struct buffer status; /* one line */
	bool failed;
};

static bool parse_time(const char *text, int64_t *ret_ms)
{
	struct tm parts = {0}, given;
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
	int ms = 0;

	if (!end)
		return false;
	if (*end == '.') {
		int unit = 100;

		for (end++; *end >= '0' && *end <= '9'; end++, unit /= 10)
			ms += (*end - '0') * unit;
	}
	if (strcmp(end, "Z") != 0)
		return false;
	given = parts;
	*ret_ms = (int64_t)timegm(&parts) * 1000 + ms;
	/* timegm() takes 30 February as 2 March. */
	return parts.tm_mday == given.tm_mday && parts.tm_hour == given.tm_hour;
}

int ctl_check_time(char *value, struct options_error *reterr)
{
	int64_t ms;

	if (parse_time(value, &ms))
		return 0;
	return options_error_set(reterr, "must be a time as 2026-07-01T12:34:56Z");
}

int ctl_check_seed(char *value, struct options_error *reterr)
{
	unsigned long long seed;

	if (str_to_uint64(str_from(value), INT64_MAX, &seed))
		return 0;
	return options_error_set(reterr, "must be a whole number");
}

int ctl_check_egress(char *value, struct options_error *reterr)
{
	struct network network;

	if (network_read(value, &network) && !network.is_unix)
		return 0;
	return options_error_set(reterr, "must be an address, or a network such as 10.0.0.0/8 with "
					 "no bit set behind its prefix");
}

static yyjson_mut_doc *make_head(const struct rendering *rendering, const char *what)
{
	const struct options *options = &rendering->ctl->options;
	yyjson_mut_doc *head = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *root = yyjson_mut_obj(head);
	const char *now = options_text(options, "now");
	int64_t now_ms = clock_wall_us() / 1000;
	unsigned long long seed = 1;

	if (now)
		(void)parse_time(now, &now_ms);
	(void)str_to_uint64(str_from(options_text(options, "seed")), INT64_MAX, &seed);
	yyjson_mut_doc_set_root(head, root);
	yyjson_mut_obj_add_str(head, root, "what", what);
	yyjson_mut_obj_add_str(head, root, "app", "draft");
	yyjson_mut_obj_add_bool(head, root, "network", rendering->has_network);
	yyjson_mut_obj_add_sint(head, root, "now_ms", now_ms);
	yyjson_mut_obj_add_uint(head, root, "seed", seed);
	yyjson_mut_obj_add_strcpy(head, root, "timezone", options_text(options, "timezone"));
	yyjson_mut_obj_add_strcpy(head, root, "locale", options_text(options, "locale"));
	app_settings_add(&rendering->settings, options, head);
	return head;
}

static void fail(struct rendering *rendering, const char *why)
{
	rendering->failed = true;
	buffer_printf(&rendering->log, "displayctl: %s\n", why);
	buffer_clear(&rendering->status);
	buffer_append_str(&rendering->status, str_from(why));
}

static void report(const struct rendering *rendering, yyjson_val *error, struct buffer *text)
{
	const char *folder = rendering->folder;

	app_report_error(folder ? folder : rendering->path, folder, error, text);
}

/* Keeps what the answer to "render" says. */
static void take_picture(struct rendering *rendering, struct renderer_answer *answer)
{
	yyjson_val *head = yyjson_doc_get_root(answer->head);
	yyjson_val *error = yyjson_obj_get(head, "error");

	app_report_log(head, &rendering->log);
	if (error) {
		rendering->failed = true;
		report(rendering, error, &rendering->log);
		report(rendering, error, &rendering->status);
		return;
	}
	buffer_append_str(&rendering->picture, buffer_view(&answer->blob));
	app_report_picture(head, buffer_length(&rendering->picture), &rendering->status);
}

/* Shows what the answer to "schema" says. */
static void print_schema(struct rendering *rendering, struct renderer_answer *answer)
{
	yyjson_val *error = yyjson_obj_get(yyjson_doc_get_root(answer->head), "error");
	yyjson_val *schema = yyjson_obj_get(yyjson_doc_get_root(answer->head), "schema");
	char *text = yyjson_val_write(schema, YYJSON_WRITE_PRETTY_TWO_SPACES, NULL);
	struct buffer shown = {0};
	char fault[APP_FAULT_MAX];

	if (error) {
		rendering->failed = true;
		report(rendering, error, &rendering->log);
	}
	if (!error && !app_report_form(schema, fault))
		fail(rendering, fault);
	if (text) {
		buffer_append_str(&shown, STR("schema: "));
		ctl_append_visible(str_from(text), "\n", &shown);
		buffer_append_char(&shown, '\n');
		(void)ctl_print(&shown);
	}
	buffer_finish(&shown);
	free(text);
}

/* Asks for one thing. False when there is no answer, which was told. */
static bool ask(struct rendering *rendering, struct app_engine *engine, const char *what,
		struct str script, struct renderer_answer *ret_answer)
{
	char why[RENDERER_WHY_MAX];
	yyjson_mut_doc *head = make_head(rendering, what);
	int status = app_engine_ask(engine, head, script, ret_answer, why);

	yyjson_mut_doc_free(head);
	if (status < 0)
		fail(rendering, why);
	return status == 0;
}

static void ask_all(struct rendering *rendering, struct app_engine *engine, struct str script)
{
	struct renderer_answer answer;

	if (!ask(rendering, engine, "render", script, &answer))
		return;
	take_picture(rendering, &answer);
	app_engine_finish_answer(&answer);
	if (!rendering->checks || rendering->failed ||
	    !ask(rendering, engine, "schema", script, &answer))
		return;
	print_schema(rendering, &answer);
	app_engine_finish_answer(&answer);
}

/* Without the network: what an app asks it for is asked for its picture alone. If the app has no
 * schema now, it may have one when it is saved. */
static void look_for_secrets(struct rendering *rendering, struct app_engine *engine,
			     struct str script)
{
	struct renderer_answer answer;
	char why[RENDERER_WHY_MAX];
	yyjson_mut_doc *head = make_head(rendering, "schema");

	yyjson_mut_obj_put(yyjson_mut_doc_get_root(head), yyjson_mut_str(head, "network"),
			   yyjson_mut_bool(head, false));
	if (app_engine_ask(engine, head, script, &answer, why) == 0) {
		app_settings_warn(&rendering->settings, rendering->ctl,
				  yyjson_obj_get(yyjson_doc_get_root(answer.head), "schema"));
		app_engine_finish_answer(&answer);
	}
	yyjson_mut_doc_free(head);
}

static void print_buffer(struct buffer *text, FILE *out)
{
	struct str view = buffer_view(text);

	if (view.length > 0)
		fwrite(view.data, 1, view.length, out);
	fflush(out);
}

static void print_engine(const struct app_engine *engine)
{
	struct buffer text = {0};

	app_engine_describe(engine, &text);
	print_buffer(&text, stdout);
	buffer_finish(&text);
}

/* Adds errors of types to what was printed, and says whether they were looked for. */
static void check_types(struct rendering *rendering)
{
	struct buffer found = {0};
	enum app_types_result result = app_types_check(rendering->path, &found);

	if (result == APP_TYPES_WRONG) {
		rendering->failed = true;
		buffer_append_str(&rendering->log, buffer_view(&found));
	} else if (result == APP_TYPES_RIGHT) {
		printf("types: right, as tsc says\n");
	} else {
		printf("types: not checked: %.*s\n", (int)buffer_length(&found),
		       buffer_view(&found).data);
	}
	fflush(stdout);
	buffer_finish(&found);
}

/* Renders what was read, in processes of its own. CTL_DONE, also where the app fails. */
static enum ctl_exit render_script(struct rendering *rendering, bool is_typescript,
				   struct str script)
{
	char why[RENDERER_WHY_MAX];
	struct app_engine *engine = app_engine_start(is_typescript, why);

	if (!engine)
		return ctl_fail(CTL_FAILED, "%s", why);
	if (rendering->has_network)
		app_engine_use_network(engine, &rendering->network);
	ask_all(rendering, engine, script);
	if (app_settings_want_look(&rendering->settings, &rendering->ctl->options))
		look_for_secrets(rendering, engine, script);
	if (rendering->checks)
		print_engine(engine);
	if (rendering->checks && is_typescript)
		check_types(rendering);
	app_engine_stop(engine);
	return CTL_DONE;
}

/* Finds the folder that error messages name. */
static void find_folder(struct rendering *rendering, struct str script)
{
	struct stat about;

	free(rendering->folder);
	rendering->folder = stat(rendering->path, &about) == 0 && S_ISDIR(about.st_mode)
				? memory_strdup(rendering->path)
				: app_beside_folder(rendering->path, script);
}

/* Reads the app and renders it once. */
static enum ctl_exit render(struct rendering *rendering)
{
	struct buffer script = {0};
	char fault[APP_FAULT_MAX];
	enum ctl_exit code = CTL_DONE;
	bool is_typescript;

	buffer_clear(&rendering->picture);
	buffer_clear(&rendering->log);
	buffer_clear(&rendering->status);
	rendering->failed = false;
	rendering->state = app_folder_state(rendering->path);
	if (app_folder_read(rendering->path, &script, &is_typescript, fault) < 0) {
		fail(rendering, fault);
	} else {
		find_folder(rendering, buffer_view(&script));
		code = render_script(rendering, is_typescript, buffer_view(&script));
	}
	buffer_finish(&script);
	return code;
}

/* Through a second file, so that a reader never finds half a picture. */
static enum ctl_exit write_output(struct rendering *rendering)
{
	char *name = NULL;
	struct str view = buffer_view(&rendering->picture);
	FILE *file;
	bool written;
	int error;

	if (asprintf(&name, "%s.part", rendering->output) < 0)
		return ctl_fail(CTL_FAILED, "no memory");
	file = fopen(name, "we");
	written = file && fwrite(view.data, 1, view.length, file) == view.length;
	if (file && fclose(file) != 0)
		written = false;
	if (written && rename(name, rendering->output) != 0)
		written = false;
	error = errno;
	if (!written && file)
		unlink(name);
	free(name);
	if (!written)
		return ctl_fail(CTL_FAILED, "%s: %s", rendering->output, strerror(error));
	return CTL_DONE;
}

static bool has_changed(void *context)
{
	const struct rendering *rendering = context;

	return rendering->watches && app_folder_state(rendering->path) != rendering->state;
}

/* False when the player was ended. */
static bool play(struct rendering *rendering)
{
	struct str picture = buffer_view(&rendering->picture);

	buffer_append_char(&rendering->status, '\0');
	return panel_play((const uint8_t *)picture.data, picture.length,
			  buffer_view(&rendering->status).data, has_changed, rendering);
}

/* Shows what render() has left. Whether there is more to come: the app has changed. */
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

static bool has_other_format(struct str name)
{
	static const char *const endings[] = {".png", ".gif", ".jpg", ".jpeg"};

	for (unsigned i = 0; i < array_length(endings); i++) {
		struct str ending = str_from(endings[i]);

		if (name.length >= ending.length &&
		    str_equal_ignore_case(str_from_offset(name, name.length - ending.length),
					  ending))
			return true;
	}
	return false;
}

static enum ctl_exit check_arguments(const struct rendering *rendering)
{
	if (access(rendering->path, R_OK) != 0)
		return ctl_fail(CTL_NOT_FOUND, "%s: %s", rendering->path, strerror(errno));
	if (!rendering->output && !rendering->checks && !isatty(STDOUT_FILENO))
		return ctl_fail(CTL_USAGE, "standard output is no terminal: name a file with -o");
	if (rendering->output && has_other_format(str_from(rendering->output)))
		return ctl_fail(CTL_USAGE, "the picture is a WebP: name the file .webp, and not %s",
				strrchr(rendering->output, '.'));
	return CTL_DONE;
}

enum ctl_exit ctl_app_render(struct ctl *ctl)
{
	const struct options *options = &ctl->options;
	struct rendering rendering = {
	    .ctl = ctl,
	    .path = options->positionals[0],
	    .output = options_text(options, "output"),
	    .watches = options_find_given(options, "watch"),
	    .checks = options_find_given(options, "check"),
	    .has_network = !options_find_given(options, "no-network"),
	};
	enum ctl_exit code = app_settings_read(ctl, &rendering.settings);

	if (code == CTL_DONE)
		code = check_arguments(&rendering);
	if (code != CTL_DONE)
		return code;
	app_network_init(&rendering.network, options);
	do {
		code = render(&rendering);
	} while (code == CTL_DONE && show(&rendering, &code));
	app_network_leave(&rendering.network);
	free(rendering.folder);
	buffer_finish(&rendering.picture);
	buffer_finish(&rendering.log);
	buffer_finish(&rendering.status);
	return code;
}
