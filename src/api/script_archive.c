#include "script_archive.h"
#include "base/limits.h"
#include "base/memory.h"
#include "checkout/memory_files.h"
#include "endpoints.h"
#include "render/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <text/base64.h>

enum { RETRY_AFTER_S = 2 };

/* It outlives the task until the program has ended. */
struct script_archive_flight {
	struct task *task; /* NULL: it has ended, or goes on without the program */
	struct arena arena;
	struct archive archive;
	uint8_t *data;
	struct memory_files files;
	struct str manifest;
	char problem[ARCHIVE_PROBLEM_BYTES + ARCHIVE_PATH_MAX];
	bool is_lost;
};

/* ---- the program ---- */

static void resume(struct script_archive_flight *flight)
{
	struct task *task = flight->task;

	flight->task = NULL;
	if (task)
		task_resume(task);
}

static void script_archive_fail(struct script_archive_flight *flight, struct str problem)
{
	snprintf(flight->problem, sizeof(flight->problem), "%.*s", STR_ARG(problem));
	resume(flight);
}

static void on_app(struct archive *archive, const struct archive_app *app)
{
	struct script_archive_flight *flight =
	    container_of(archive, struct script_archive_flight, archive);

	flight->manifest = arena_copy(&flight->arena, app->manifest);
	if (app->fault.length)
		script_archive_fail(flight, app->fault);
}

static void on_listed(struct archive *archive)
{
	static const unsigned only[] = {0};

	if (!container_of(archive, struct script_archive_flight, archive)->task)
		return;
	archive_want(archive, only, 1);
	archive_next(archive);
}

static void on_file(struct archive *archive, struct str name, struct str content)
{
	struct script_archive_flight *flight =
	    container_of(archive, struct script_archive_flight, archive);

	if (!flight->task)
		return;
	if (flight->files.bytes + content.length > APP_SCRIPT_BYTES_MAX)
		script_archive_fail(flight, STR("holds more than 8 MiB"));
	else
		memory_files_add(&flight->files, name, content);
}

static void on_app_end(struct archive *archive, unsigned app)
{
	(void)app;
	resume(container_of(archive, struct script_archive_flight, archive));
}

static void on_end(struct archive *archive, const char *problem)
{
	struct script_archive_flight *flight =
	    container_of(archive, struct script_archive_flight, archive);

	if (!flight->task)
		return;
	flight->is_lost = archive->is_lost;
	script_archive_fail(flight, str_from(problem[0] ? problem : "has no files"));
}

static void on_closed(struct archive *archive)
{
	struct script_archive_flight *flight =
	    container_of(archive, struct script_archive_flight, archive);

	free(flight->data);
	memory_files_finish(&flight->files);
	arena_finish(&flight->arena);
	free(flight);
}

/* ---- the script ---- */

static bool pack(void *argument)
{
	struct script_archive *archive = argument;
	struct script_archive_flight *flight = archive->flight;
	char fault[APP_FAULT_MAX];
	struct str why;

	if (memory_files_pack(&flight->files, &archive->script, &archive->is_typescript, fault) < 0)
		archive->problem = arena_copy(&flight->arena, str_from(fault));
	if (flight->manifest.length &&
	    !app_manifest_parse(flight->manifest, &flight->arena, &archive->manifest, &why))
		archive->manifest = (struct app_manifest){0};
	return false;
}

static struct step_result script_archive_unpacked(struct task *task)
{
	struct script_archive *archive = *task_helper(task);
	struct script_archive_flight *flight = archive->flight;

	archive->problem = str_from(flight->problem);
	archive->is_lost = flight->is_lost;
	if (archive->problem.length)
		return task_continue(task, archive->next);
	return task_work(
	    task, LANE_SHORT,
	    &(struct task_work){
		.run = pack, .argument = archive, .size = flight->files.bytes, .is_text = true},
	    archive->next);
}

/* ---- the start ---- */

static bool decode(void *argument)
{
	struct script_archive *archive = argument;
	struct script_archive_flight *flight = archive->flight;
	size_t size = 0;

	flight->data = memory_alloc(base64_decoded_max(archive->text.length));
	if (base64_decode(archive->text, flight->data, &size) < 0)
		size = 0;
	flight->archive.bytes = (struct str){(const char *)flight->data, size};
	flight->archive.size = (int64_t)size;
	return false;
}

static struct step_result decoded(struct task *task)
{
	struct script_archive *archive = *task_helper(task);
	struct script_archive_flight *flight = archive->flight;
	struct api_service *service = api_service(task);

	if (flight->archive.size == 0)
		return task_fail_field(task, "archive", "must be base64");
	flight->archive.is_alone = true;
	flight->archive.on_app = on_app;
	flight->archive.on_listed = on_listed;
	flight->archive.on_file = on_file;
	flight->archive.on_app_end = on_app_end;
	flight->archive.on_end = on_end;
	flight->archive.on_closed = on_closed;
	flight->task = task;
	archive_open(service->engines, task_service(task)->loop, &flight->archive);
	return task_wait(task, script_archive_unpacked);
}

struct step_result script_archive_unpack(struct task *task, struct script_archive *archive,
					 struct str base64, task_step *next)
{
	struct id account = task_account_id(task);
	struct memory_share *share =
	    memory_budget_join(&api_service(task)->script_archives,
			       (struct str){(const char *)account.bytes, sizeof(account.bytes)});

	if (!memory_budget_take(share, 1, LIMIT_SCRIPT_ARCHIVES)) {
		memory_budget_leave(share, 0);
		return task_fail_busy(task, PROBLEM_SERVER_BUSY, RETRY_AFTER_S,
				      "too many archives are being unpacked, try again");
	}
	*task_helper(task) = archive;
	archive->share = share;
	archive->text = base64;
	archive->next = next;
	archive->flight = memory_zalloc(sizeof(*archive->flight));
	return task_work(
	    task, LANE_SHORT,
	    &(struct task_work){
		.run = decode, .argument = archive, .size = base64.length, .is_text = true},
	    decoded);
}

void script_archive_finish(struct script_archive *archive)
{
	struct script_archive_flight *flight = archive->flight;

	if (archive->share)
		memory_budget_leave(archive->share, 1);
	buffer_finish(&archive->script);
	if (!flight)
		return;
	flight->task = NULL;
	if (flight->archive.flight) {
		archive_close(&flight->archive);
		return;
	}
	free(flight->data);
	free(flight);
}
