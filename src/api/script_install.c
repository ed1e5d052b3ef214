#include "domain/script_install.h"
#include "api/app_work.h"
#include "api/apps.h"
#include "api/pages.h"
#include "base/limits.h"
#include "delivery/delivery.h"
#include "domain/app_import.h"
#include "domain/studio.h"
#include "endpoints.h"
#include "script_archive.h"

#include <text/utf8.h>

/* POST /v1/devices/{deviceId}/scripts - installs an own script on a device, as a private app whose
 * version is approved for its owner.
 *
 *   begin -> the folder of an archive -> its script -> its form: can it run? -> one statement
 *
 * The database keeps the app private (sql/migration/0086_own_approvals.sql). */

enum { RETRY_AFTER_S = 1, VERSION_MARK_LENGTH = 8 };

struct script_install {
	struct script_installing body; /* first: the pre-handler checks read the request into it */
	struct script_archive archive;
	struct app_work work;
	struct account_room room;
	struct str name, slug, description, version;
	char checksum[APP_CHECKSUM_LENGTH + 1];
	bool was_refused; /* refused once, because the version's name was used */
	struct script_install_row row;
};

/* ---- storing ---- */

static struct step_result stored(struct task *task)
{
	const struct script_install *install = task_state(task);
	const struct script_install_row *row = &install->row;

	if (task_row_count(task) == 0)
		return task_refuse(task);
	if (id_is_none(row->script_installed.app_id))
		return task_fail(task, PROBLEM_SLUG_USED,
				 "the account has an app %.*s that is public or disabled, or has "
				 "this version without an approval; choose another name",
				 STR_ARG(install->slug));
	delivery_app_changed(api_delivery(task), row->script_installed.app_id, row->generation);
	if (row->device_generation > 0)
		delivery_device_changed(api_delivery(task), task_device(task)->id,
					row->device_generation);
	api_tell_pages(task, task_account_id(task), STR("apps"));
	return task_reply_record(task, 201, &script_installed_record, &row->script_installed);
}

static struct step_result store(struct task *task)
{
	struct script_install *install = task_state(task);
	char *entry = arena_alloc(task_arena(task), ID_TEXT_LENGTH + 1);

	id_format(id_new(), entry);
	statement_script_install(task_new_query(task),
				 &(struct script_install_parameters){
				     .device_id = task_device(task)->id,
				     .app_id = id_new(),
				     .slug = install->slug,
				     .name = install->name,
				     .description = install->description,
				     .version_id = id_new(),
				     .version = install->version,
				     .script_language = install->work.language,
				     .script_content = install->work.script,
				     .checksum = str_from(install->checksum),
				     .installation_id = str_from(entry),
				     .address = task_request(task)->remote_address,
				     .session_id = task_account_id(task),
				 },
				 &install->row);
	return task_query(task, stored);
}

static struct step_result script_install_fail_full(struct task *task)
{
	struct script_install *install = task_state(task);

	return api_fail_account_bytes(task, &install->room);
}

static struct step_result made_room(struct task *task)
{
	struct script_install *install = task_state(task);

	return api_account_room_was_made(task, &install->room)
		   ? store(task)
		   : api_ask_account_bytes(task, &install->room, script_install_fail_full);
}

/* A version of this name was removed, or another request makes the app now. */
static struct step_result store_again(struct task *task)
{
	struct script_install *install = task_state(task);
	char mark[ID_TEXT_LENGTH + 1];

	install->was_refused = true;
	if (task_constraint_error(task) == CONSTRAINT_VERSION_NAME_USED) {
		id_format(id_new(), mark);
		install->version =
		    arena_printf(task_arena(task), "%.*s-%s", STR_ARG(install->version),
				 mark + ID_TEXT_LENGTH - VERSION_MARK_LENGTH);
	}
	return store(task);
}

static struct step_result script_install_refused(struct task *task)
{
	struct script_install *install = task_state(task);

	switch (task_constraint_error(task)) {
	case CONSTRAINT_TOO_MANY_BYTES:
		return api_make_account_room(task, &install->room, made_room);
	case CONSTRAINT_VERSION_NAME_USED:
	case CONSTRAINT_SLUG_TAKEN:
		return install->was_refused ? api_fail_version(task) : store_again(task);
	case CONSTRAINT_TOO_MANY_INSTALLATIONS:
		return task_fail(task, PROBLEM_ENTRIES_TOO_MANY,
				 "the device has %d entries already, remove one first",
				 LIMIT_DEVICE_INSTALLATIONS);
	case CONSTRAINT_TOO_MANY_APPS:
		return task_fail(task, PROBLEM_APPS_TOO_MANY, "the account has %d apps already",
				 LIMIT_ACCOUNT_APPS);
	default:
		return api_fail_version(task);
	}
}

/* ---- acceptance ---- */

static struct step_result judge(struct task *task)
{
	const struct script_install *install = task_state(task);
	const struct app_work *work = &install->work;
	const struct engine_problem *problem = &work->job.answer.problem;
	enum engine_language language;
	const char *why_not;

	/* Without a renderer nothing can be checked, as with uploads. */
	if (work->has_form || (engine_language_read(work->language, &language) &&
			       !engines_has(api_service(task)->engines, language, &why_not)))
		return store(task);
	if (problem->kind == ENGINE_LATE || problem->kind == ENGINE_NOT_AVAILABLE)
		return task_fail_busy(task, PROBLEM_APP_UNAVAILABLE, RETRY_AFTER_S, "%.*s",
				      STR_ARG(problem->message));
	if (problem->file.length)
		return task_fail(task, PROBLEM_SCRIPT_INVALID,
				 "the script cannot run: %.*s:%d: %.*s", STR_ARG(problem->file),
				 problem->line, STR_ARG(problem->message));
	return task_fail(task, PROBLEM_SCRIPT_INVALID, "the script cannot run: %.*s",
			 STR_ARG(problem->message));
}

/* Sets what the app is called; false: its name makes no slug. */
static bool name_app(struct task *task, struct script_install *install)
{
	const struct app_manifest *manifest = &install->archive.manifest;
	struct arena *arena = task_arena(task);

	install->name = manifest->name.data ? manifest->name : install->body.name;
	install->description = manifest->summary.data ? manifest->summary : STR("");
	install->slug = app_slug_of(manifest->id.data ? manifest->id : install->body.name, arena);
	if (!install->slug.length || app_slug_check(install->slug))
		install->slug = app_slug_of(install->name, arena);
	return install->slug.length && !app_slug_check(install->slug);
}

static struct step_result script_install_check(struct task *task)
{
	struct script_install *install = task_state(task);
	struct app_work *work = &install->work;

	if (!name_app(task, install))
		return task_fail_field(task, "name", "must have letters a to z or digits");
	app_checksum(work->language, work->script, install->checksum);
	install->version = import_version(install->checksum);
	work->scope = str_from(install->checksum);
	work->timezone = task_device(task)->timezone;
	return api_find_form(task, work, judge);
}

static struct step_result unpacked(struct task *task)
{
	struct script_install *install = task_state(task);
	struct script_archive *archive = &install->archive;
	struct str script = buffer_view(&archive->script);

	if (archive->is_lost)
		return task_fail_busy(task, PROBLEM_APP_UNAVAILABLE, RETRY_AFTER_S,
				      "the archive cannot be unpacked now: %.*s",
				      STR_ARG(archive->problem));
	if (archive->problem.length)
		return task_fail_field(task, "archive",
				       "must be the archive of an app's folder: %.*s",
				       STR_ARG(archive->problem));
	if (!utf8_is_valid(script) || memchr(script.data, '\0', script.length) ||
	    app_script_check(script))
		return task_fail_field(task, "archive",
				       "must hold a script of 1 to %d bytes of UTF-8",
				       LIMIT_SCRIPT_BYTES);
	install->work.language = archive->is_typescript ? STR("TYPESCRIPT") : STR("STARLARK");
	install->work.script = script;
	return script_install_check(task);
}

static struct step_result script_install_begin(struct task *task)
{
	struct script_install *install = task_state(task);

	if (task_key_devices(task).count)
		return task_fail(task, PROBLEM_KEY_FOR_CHOSEN_DEVICES,
				 "the API key is for chosen devices, and cannot install own "
				 "scripts; use a key for all devices");
	if (install->body.archive.data)
		return script_archive_unpack(task, &install->archive, install->body.archive,
					     unpacked);
	install->work.language = install->body.script_language;
	install->work.script = install->body.script_content;
	return script_install_check(task);
}

static void script_install_finish(void *state)
{
	struct script_install *install = state;

	app_work_finish(&install->work);
	script_archive_finish(&install->archive);
}

ENDPOINT_SCRIPT_INSTALL(.handler = script_install_begin,
			.state_size = sizeof(struct script_install),
			.refused = script_install_refused, .finish = script_install_finish);
