#include "base/limits.h"
#include "endpoints.h"
#include "import_report.h"
#include "import_state.h"
#include "import_store.h"

/* POST /v1/import/tronbyt - makes devices of the export of a tronbyt server. First reads everything
 * that is needed; then stores each device with its entries, completely or not at all. */

static struct step_result next_device(struct task *task);
static struct step_result next_entry(struct task *task);

static struct import_device *device_of(struct tronbyt_importing *importing)
{
	return &importing->devices[importing->device];
}

static struct tronbyt_entry *file_entry(struct tronbyt_importing *importing)
{
	return &import_file_device(importing)->entries[importing->entry];
}

/* ---- an entry ---- */

static struct step_result take_entry(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	struct import_device *device = device_of(importing);
	struct import_entry *entry = &device->entries[importing->entry];

	entry->comes = true;
	entry->app_id = importing->work.source.app_id;
	entry->version_id = importing->work.source.version_id;
	id_format(id_new(), entry->id);
	if (!importing->is_dry)
		api_encrypt_settings(task, device->id, str_from(entry->id), &importing->work,
				     &entry->stored);
	device->entry_count++;
	importing->entry++;
	return task_continue(task, next_entry);
}

/* Takes the settings that the form accepts. */
static void take_settings(struct task *task, struct tronbyt_importing *importing)
{
	struct app_work *work = &importing->work;
	const struct tronbyt_entry *entry = file_entry(importing);
	const struct settings *settings = &entry->settings;
	struct faults wrong;

	faults_init_to(&wrong, task_arena(task), TRONBYT_NOTES_MAX);
	for (unsigned i = 0; i < settings->count; i++)
		importing->checked_bytes += settings->items[i].name.length +
					    settings->items[i].value.length + IMPORT_SETTING_BYTES;
	settings_check(settings, &work->form, &wrong, &work->open, &work->secret);
	settings_fit(&work->open, &work->secret, &work->form, &wrong);
	for (unsigned i = 0; i < wrong.count; i++)
		import_note(importing, entry,
			    ARENA_JOIN(task_arena(task), STR("setting "), wrong.list[i].name),
			    "%.*s", STR_ARG(wrong.list[i].detail));
	if (form_makes_more(&work->form))
		return; /* the names of its fields are unknown */
	for (unsigned i = 0; i < settings->count; i++)
		if (!settings->items[i].is_removed &&
		    !form_find(&work->form, settings->items[i].name))
			import_note(
			    importing, entry,
			    ARENA_JOIN(task_arena(task), STR("setting "), settings->items[i].name),
			    "the app has no such setting");
}

static struct import_app *find_app(const struct tronbyt_importing *importing,
				   const struct tronbyt_entry *entry)
{
	for (unsigned i = 0; i < importing->app_count; i++)
		if (str_equal(importing->apps[i].name, entry->app) &&
		    str_equal(importing->apps[i].path, entry->path))
			return &importing->apps[i];
	return NULL;
}

static struct import_app *remember_app(struct tronbyt_importing *importing)
{
	const struct tronbyt_entry *entry = file_entry(importing);
	struct import_app *app = find_app(importing, entry);

	if (!app) {
		app = &importing->apps[importing->app_count++];
		*app = (struct import_app){.name = entry->app, .path = entry->path};
	}
	app->app_id = importing->work.source.app_id;
	app->version_id = importing->work.source.version_id;
	return app;
}

static void remember_form(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	const struct app_work *work = &importing->work;
	struct import_app *app = remember_app(importing);

	app->is_made = form_makes_more(&work->form) || work->form.has_made;
	app->has_form = work->has_form && !app->is_made;
	app->form = work->form;
	if (!work->has_form) /* the job's answer does not live long enough */
		app->why_none = arena_copy(task_arena(task), work->job.answer.problem.message);
	importing->made_count += app->is_made;
}

static void note_no_form(struct tronbyt_importing *importing, struct str why)
{
	import_note(importing, file_entry(importing), STR("settings"),
		    "the app's form is unavailable: %.*s", STR_ARG(why));
}

static struct step_result form_found(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	const struct app_work *work = &importing->work;

	importing->has_run |= work->was_counted;
	if (!work->source.has_schema) /* else it was counted with the app */
		importing->form_bytes += work->form_bytes;
	remember_form(task);
	if (work->has_form)
		take_settings(task, importing);
	else
		note_no_form(importing, work->job.answer.problem.message);
	return take_entry(task);
}

static struct step_result leave_out(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);

	importing->entry++;
	return task_continue(task, next_entry);
}

/* The app is known, and perhaps its form. */
static struct step_result take_app(struct task *task, const struct import_app *app)
{
	struct tronbyt_importing *importing = task_state(task);
	const struct tronbyt_entry *entry = file_entry(importing);
	struct app_work *work = &importing->work;

	if (id_is_none(app->version_id)) {
		import_note(importing, entry, STR("entry"),
			    "there is no app \"%.*s\" here: import the app before the device, or "
			    "add the entry later",
			    STR_ARG(entry->app.length ? entry->app : entry->path));
		return leave_out(task);
	}
	work->source.app_id = app->app_id;
	work->source.version_id = app->version_id;
	if (entry->settings.count && app->has_form) {
		work->form = app->form;
		take_settings(task, importing);
	} else if (entry->settings.count && app->why_none.data) {
		note_no_form(importing, app->why_none);
	} else if (entry->settings.count) {
		import_note(
		    importing, entry, STR("settings"),
		    "the import would run too many app scripts; import fewer devices at a time");
	}
	return take_entry(task);
}

static struct step_result app_found(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	const struct tronbyt_entry *entry = file_entry(importing);
	struct app_work *work = &importing->work;
	const struct import_app *app = remember_app(importing);

	importing->form_bytes += (size_t)work->source.schema_bytes;
	if (id_is_none(work->source.version_id) || entry->settings.count == 0)
		return take_app(task, app);
	if (!work->source.has_schema && !work->source.has_failed &&
	    importing->run_count++ >= IMPORT_RUNS_MAX)
		return take_app(task, app);
	return api_find_whole_form(task, work, &entry->settings, form_found);
}

/* Takes the last part of a path. */
static struct str take_last(struct str *path)
{
	size_t start = path->length;
	struct str last;

	while (start > 0 && path->data[start - 1] != '/')
		start--;
	last = str_from_offset(*path, start);
	path->length = start ? start - 1 : 0;
	return last;
}

static struct step_result app_located(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	char id[ID_TEXT_LENGTH + 1];

	if (task_row_count(task) == 0)
		return take_app(task, remember_app(importing));
	id_format(importing->app.app_id, id);
	return api_find_app(task, &importing->work, arena_copy(task_arena(task), str_from(id)),
			    STR(""), STR(""), app_found);
}

/* Finds the app by its names on the other server, where a script lies in a folder of its own. */
static struct step_result locate_app(struct task *task, const struct tronbyt_entry *entry)
{
	struct tronbyt_importing *importing = task_state(task);
	struct str folders = entry->path.data ? entry->path : STR(""), file, folder;

	file = take_last(&folders);
	folder = take_last(&folders);
	if (str_ends_with(file, STR(".star")))
		file.length -= strlen(".star");
	if (str_equal(folder, STR("apps")))
		folder = STR("");
	statement_tronbyt_app(task_new_query(task),
			      &(struct tronbyt_app_parameters){
				  .account_id = task_account_id(task),
				  .name = entry->app.data ? entry->app : STR(""),
				  .folder = folder,
				  .file = file,
			      },
			      &importing->app);
	return task_query(task, app_located);
}

/* Whether the entry needs no further reads. */
static bool is_known(const struct tronbyt_importing *importing, const struct import_app *app,
		     const struct tronbyt_entry *entry)
{
	if (!app)
		return false;
	return id_is_none(app->version_id) || entry->settings.count == 0 || app->has_form ||
	       app->why_none.data || (app->is_made && importing->made_count >= IMPORT_MADE_MAX);
}

static struct step_result find_entry(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	const struct tronbyt_entry *entry = file_entry(importing);
	const struct import_app *app = find_app(importing, entry);

	if (is_known(importing, app, entry))
		return take_app(task, app);
	if (importing->form_bytes > IMPORT_FORM_BYTES_MAX) {
		import_note(
		    importing, entry, STR("entry"),
		    "the forms of its apps are too large in total; import fewer devices at a time");
		return leave_out(task);
	}
	return locate_app(task, entry);
}

static struct step_result end_device(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	const struct import_device *device = device_of(importing);
	struct tronbyt_device *file = import_file_device(importing);
	bool has_night = false;

	for (unsigned i = 0; i < file->entry_count; i++)
		has_night |= file->entries[i].is_night && device->entries[i].comes;
	tronbyt_settle_night(&importing->body.export, file, has_night);
	importing->device++;
	return task_continue(task, next_device);
}

static struct step_result next_entry(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	const struct tronbyt_device *device = import_file_device(importing);
	struct app_memory memory = importing->work.memory;

	/* Counted until the end: texts stay in the request's memory. */
	importing->work.memory = (struct app_memory){0};
	app_work_finish(&importing->work);
	importing->work = (struct app_work){
	    .may_be_missing = true, .was_counted = importing->has_run, .memory = memory};
	if (importing->entry == device->entry_count)
		return end_device(task);
	if ((importing->checked_bytes += IMPORT_ENTRY_BYTES) >= LIMIT_LOOP_TEXT_BYTES) {
		importing->checked_bytes = 0;
		loop_later(api_service(task)->service.loop, &importing->next_turn);
		return task_wait(task, next_entry);
	}
	return find_entry(task);
}

/* ---- a device ---- */

static bool has_room(struct task *task, const struct tronbyt_importing *importing)
{
	return task_is_of_operator(task) ||
	       importing->look.device_count + (int64_t)importing->made < LIMIT_DEVICES_OF_ACCOUNT;
}

/* Keeps an address that others can guess: with its key, which decides between devices of several
 * accounts; without it only if the owner has said so, and is alone. */
static void take_guessable(struct tronbyt_importing *importing)
{
	const struct tronbyt_device *file = import_file_device(importing);
	struct import_device *device = device_of(importing);
	bool is_strong = file->key.length >= TRONBYT_KEY_LENGTH_STRONG;

	bool can_open = importing->look.is_alone && !file->needs_key;

	importing->can_open_addresses |= can_open;
	device->is_open = can_open && importing->opens_addresses;
	if (!is_strong && !device->is_open) {
		import_note(importing, NULL, STR("address"),
			    "others can guess /%.*s/, and the file has no key for it of %d "
			    "characters or more: enter the device's new URL at its panel",
			    STR_ARG(file->alias), TRONBYT_KEY_LENGTH_STRONG);
		return;
	}
	device->has_alias = true;
	device->needs_key = !device->is_open;
	if (is_strong)
		key_hash(file->key, device->alias_key_hash);
	else
		memcpy(device->alias_key_hash, device->key_hash, KEY_HASH_BYTES);
	if (device->needs_key)
		import_note(importing, NULL, STR("address"),
			    "others can guess /%.*s/, so it works only with the device's key of "
			    "the former server: a panel that did not send the key there needs "
			    "the device's new URL",
			    STR_ARG(file->alias));
}

static void take_alias(struct tronbyt_importing *importing)
{
	const struct tronbyt_device *file = import_file_device(importing);
	struct import_device *device = device_of(importing);

	if (!importing->keeps_addresses || !file->alias.data)
		return;
	if (file->is_guessable) {
		take_guessable(importing);
		return;
	}
	device->has_alias = true;
	device->needs_key = file->needs_key;
	key_hash(file->key, device->alias_key_hash);
}

static struct step_result looked(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	const struct tronbyt_device *file = import_file_device(importing);
	struct import_device *device = device_of(importing);

	if (task_row_count(task) == 0)
		return task_refuse(task);
	*device = (struct import_device){.name = file->name};
	if (!id_is_none(importing->look.device_id)) {
		device->state = IMPORT_THERE;
		device->id = importing->look.device_id;
		device->name = importing->look.device_name;
		importing->device++;
		return task_continue(task, next_device);
	}
	if (!has_room(task, importing)) {
		device->state = IMPORT_FAILED;
		import_note(importing, NULL, STR("device"), "the account has %d devices already",
			    LIMIT_DEVICES_OF_ACCOUNT);
		importing->device++;
		return task_continue(task, next_device);
	}
	importing->made++;
	importing->entry = 0;
	device->id = id_new();
	link_key_new(device->key);
	key_hash(str_from(device->key), device->key_hash);
	take_alias(importing);
	device->link = device_link_make(task_arena(task), str_from(api_service(task)->panel_url),
					device->id, str_from(device->key));
	if (device->link.excess)
		import_note(
		    importing, NULL, STR("address"),
		    "its own URL has %zu characters, maximum %d; shorten --public-url by %zu",
		    device->link.polling_url.length, DEVICE_URL_LENGTH_MAX, device->link.excess);
	device->entries =
	    arena_zalloc(task_arena(task), (file->entry_count + 1) * sizeof(device->entries[0]));
	return next_entry(task);
}

static struct step_result next_device(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);

	if (importing->device == importing->body.export.device_count) {
		importing->device = 0;
		return importing->is_dry ? import_report(task) : import_claim(task);
	}
	if (import_file_device(importing)->is_unusable) {
		*device_of(importing) = (struct import_device){
		    .name = import_file_device(importing)->name, .state = IMPORT_FAILED};
		importing->device++;
		return task_continue(task, next_device);
	}
	statement_tronbyt_look(task_new_query(task),
			       &(struct tronbyt_look_parameters){
				   .account_id = task_account_id(task),
				   .former_id = import_file_device(importing)->former_id,
			       },
			       &importing->look);
	return task_query(task, looked);
}

/* ---- the request ---- */

/* Reads "true" or "false". Returns false, with *ret_answer, for anything else. */
static bool read_flag(struct task *task, const char *name, bool *ret_flag,
		      struct step_result *ret_answer)
{
	struct str value = http_request_query(task_request(task), str_from(name));

	*ret_flag = str_equal(value, STR("true"));
	if (!value.data || *ret_flag || str_equal(value, STR("false")))
		return true;
	*ret_answer = task_fail(task, PROBLEM_PARAMETER_INVALID, "%s must be true or false", name);
	return false;
}

static void on_next_turn(struct later *later)
{
	task_resume(container_of(later, struct tronbyt_importing, next_turn)->task);
}

/* Begins an import of the account, which may have one at a time, since each holds memory. */
static bool take_turn(struct task *task, struct tronbyt_importing *importing)
{
	struct id account = task_account_id(task);

	importing->turn = memory_budget_join(&api_service(task)->imports,
					     (struct str){(const char *)account.bytes, ID_BYTES});
	importing->has_turn = memory_budget_take(importing->turn, 1, LIMIT_IMPORTS);
	return importing->has_turn;
}

static struct step_result import_tronbyt_begin(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	struct tronbyt_export *export = &importing->body.export;
	unsigned entry_count = 0;
	struct step_result answer;

	if (!read_flag(task, "dryRun", &importing->is_dry, &answer) ||
	    !read_flag(task, "keepAddresses", &importing->keeps_addresses, &answer) ||
	    !read_flag(task, "openAddresses", &importing->opens_addresses, &answer))
		return answer;
	if (!take_turn(task, importing))
		return task_fail_busy(task, PROBLEM_SERVER_BUSY, 1,
				      "another import is running, try again");
	importing->task = task;
	loop_later_init(&importing->next_turn, on_next_turn);
	/* The body may have been read on a worker thread. */
	export->arena = task_arena(task);
	importing->devices =
	    arena_zalloc(task_arena(task), export->device_count * sizeof(importing->devices[0]));
	for (unsigned i = 0; i < export->device_count; i++)
		entry_count += export->devices[i].entry_count;
	importing->apps =
	    arena_alloc(task_arena(task), (entry_count + 1) * sizeof(importing->apps[0]));
	return next_device(task);
}

static void import_tronbyt_finish(void *state)
{
	struct tronbyt_importing *importing = state;

	app_work_finish(&importing->work);
	arena_finish(&importing->line_arena);
	if (importing->turn)
		memory_budget_leave(importing->turn, importing->has_turn);
}

ENDPOINT_IMPORT_TRONBYT(.handler = import_tronbyt_begin,
			.state_size = sizeof(struct tronbyt_importing), .refused = import_refused,
			.finish = import_tronbyt_finish);
