/* Import of the apps of an archive, one by one.
 *
 *   its files -> a lane packs them -> the server has all of it: unchanged
 *     -> known: does it reach a new host, or ask for a new secret? held, unless that was confirmed
 *     -> the request that imports it, again if the server is busy -> the next app */
#include "base/memory.h"
#include "record/json.h"
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	POSTS_MAX = 60, /* requests of an app, while the server is busy */
	AGAIN_MS = 1000,
	STATUS_OK = 200,
	STATUS_TOO_MANY = 429,
	STATUS_UNAVAILABLE = 503,
};

struct memory_pictures {
	struct import_pictures pictures;
	const struct memory_files *files;
};

static struct import_app *app_of(struct source_fetch *fetch)
{
	return &fetch->apps[fetch->at];
}

/* ---- its files ---- */

static bool read_picture(const struct import_pictures *pictures, const char *name, size_t bytes_max,
			 struct buffer *data)
{
	const struct memory_pictures *own =
	    container_of(pictures, struct memory_pictures, pictures);
	const struct buffer *content = memory_files_find(own->files, name);

	if (!content || buffer_length(content) > bytes_max)
		return false;
	buffer_append_str(data, buffer_view(content));
	return true;
}

static void choose_picture(struct source_fetch *fetch, struct import_app *app)
{
	const char *slash = strrchr(app->path, '/');
	struct memory_pictures memory = {
	    .pictures = {.folder = slash ? slash + 1 : app->path, .read = read_picture},
	    .files = &fetch->files};
	struct import_pictures *pictures = &memory.pictures;

	pictures->names = memory_zalloc(IMPORT_PICTURE_NAMES_MAX * sizeof(char *));
	for (unsigned i = 0; i < fetch->files.count; i++)
		if (!strchr(fetch->files.list[i].name, '/') &&
		    pictures->count < IMPORT_PICTURE_NAMES_MAX)
			pictures->names[pictures->count++] = fetch->files.list[i].name;
	import_choose_picture(app, pictures);
	free(pictures->names);
}

/* Makes the request of an app, on a worker thread. */
static bool pack(struct lane_job *job)
{
	struct source_fetch *fetch = container_of(job, struct source_fetch, job);
	struct import_app *app = app_of(fetch);
	char fault[APP_FAULT_MAX];

	if (memory_files_pack(&fetch->files, &app->script, &app->is_typescript, fault) < 0)
		import_fail(app, arena_copy(&app->arena, str_from(fault)));
	else
		import_app_name_version(app);
	if (app->outcome != IMPORT_WAITS)
		return false;
	choose_picture(fetch, app);
	fetch->is_same_app = import_has_all(app);
	buffer_clear(&fetch->body);
	if (!fetch->is_same_app)
		import_write_body(app, false, &fetch->body);
	return false;
}

/* ---- what came of it ---- */

static void next_app(struct source_fetch *fetch, enum outcome_kind kind, struct str reason)
{
	struct import_app *app = app_of(fetch);

	outcome_note(&fetch->outcome, kind, app->name, reason);
	if (kind == OUTCOME_MADE || kind == OUTCOME_UPDATED || kind == OUTCOME_UNCHANGED)
		outcome_keep(&fetch->outcome, app->name, fetch->folders[fetch->at].sha256);
	buffer_finish(&app->script);
	buffer_finish(&app->picture);
	buffer_finish(&fetch->body);
	memory_files_finish(&fetch->files);
	if (--fetch->left > 0 && !fetch->is_given)
		archive_next(&fetch->archive);
	else if (fetch->left > 0)
		fetch_end(fetch, "failed", "the archive has fewer apps than it said");
	else if (fetch->is_given)
		fetch->apps_done(fetch);
}

/* ---- the request ---- */

static struct str text_of(const struct json_value *object, const char *name)
{
	struct str text;

	return json_get_str(json_member(object, name), &text) ? text : (struct str){0};
}

static struct str message_of(struct import_app *app, const struct json_value *problem)
{
	struct str file = text_of(problem, "file"), message = text_of(problem, "message");
	int64_t line = 0;

	(void)json_get_integer(json_member(problem, "line"), &line);
	if (!file.length)
		return arena_copy(&app->arena, message);
	return arena_printf(&app->arena, "%.*s:%lld: %.*s", STR_ARG(file), (long long)line,
			    STR_ARG(message));
}

static void take_answer(struct source_fetch *fetch, int status, const struct json_value *answer)
{
	struct import_app *app = app_of(fetch);
	struct str outcome = text_of(answer, "outcome"), detail = text_of(answer, "detail");
	const struct json_value *errors = json_member(answer, "errors");
	unsigned count;

	if (status == STATUS_OK && str_equal(outcome, STR("made")))
		next_app(fetch, OUTCOME_MADE, (struct str){0});
	else if (status == STATUS_OK && str_equal(outcome, STR("updated")))
		next_app(fetch, OUTCOME_UPDATED, (struct str){0});
	else if (status == STATUS_OK)
		next_app(fetch, OUTCOME_FAILED, message_of(app, json_member(answer, "problem")));
	else if (json_get_array(errors, &count) && count)
		next_app(fetch, OUTCOME_FAILED,
			 ARENA_JOIN(&app->arena, text_of(json_array_item(errors, 0), "pointer"),
				    STR(": "), text_of(json_array_item(errors, 0), "detail")));
	else
		next_app(
		    fetch, OUTCOME_FAILED,
		    detail.length
			? arena_copy(&app->arena, detail)
			: arena_printf(&app->arena, "the server answered with status %d", status));
}

static void post_app(struct source_fetch *fetch);

static void on_again(struct deadline *deadline)
{
	post_app(container_of(deadline, struct source_fetch, again));
}

static void on_posted(struct own_post *post, int status, struct str body)
{
	struct source_fetch *fetch = container_of(post, struct source_fetch, post);
	bool is_busy = status == 0 || status == STATUS_TOO_MANY || status == STATUS_UNAVAILABLE;
	struct json_document document = {0};
	struct arena arena = {0};
	struct str reason;

	if (fetch->is_ending) {
		fetch_settle(fetch);
		return;
	}
	if (is_busy && fetch->posts < POSTS_MAX) {
		deadline_set(fetch->collections->settings.loop, &fetch->again, AGAIN_MS);
		return;
	}
	fetch->has_passing |= is_busy;
	if (!body.length || !json_parse(body, &arena, &document, &reason))
		document = (struct json_document){0};
	take_answer(fetch, status, document.root);
	json_document_finish(&document);
	arena_finish(&arena);
}

static void post_app(struct source_fetch *fetch)
{
	struct collections *collections = fetch->collections;
	char id[ID_TEXT_LENGTH + 1], path[120];
	struct buffer body = {0};

	fetch->posts++;
	id_format(fetch->collection_id, id);
	snprintf(path, sizeof(path), "/web/admin/collections/%s/apps", id);
	buffer_append_str(&body, buffer_view(&fetch->body));
	fetch->post.done = on_posted;
	own_post_start(&fetch->post, collections->settings.loop, collections->settings.http,
		       &collections->settings.listener, path, fetch->row.account, &body);
}

/* ---- what it newly reaches ---- */

static void on_reach(struct db_query *query, const struct db_result *result)
{
	struct source_fetch *fetch = container_of(query, struct source_fetch, query);
	struct app_archive_reach_row *row = &fetch->reach;
	struct import_app *app = app_of(fetch);

	*row = (struct app_archive_reach_row){0};
	if (result->row_count)
		db_read_row(result, 0, query->record, &app->arena, row);
	if (row->hosts.length)
		next_app(fetch, OUTCOME_HELD,
			 ARENA_JOIN(&app->arena, STR("names new hosts: "), row->hosts,
				    row->asks_secret ? STR("; asks for a new secret") : STR("")));
	else if (row->asks_secret)
		next_app(fetch, OUTCOME_HELD, STR("asks for a new secret"));
	else
		post_app(fetch);
}

static void judge(struct source_fetch *fetch)
{
	struct import_app *app = app_of(fetch);

	fetch->posts = 0;
	if (app->outcome == IMPORT_FAILED) {
		next_app(fetch, OUTCOME_FAILED, app->remark);
	} else if (fetch->is_same_app) {
		next_app(fetch, OUTCOME_UNCHANGED, (struct str){0});
	} else if (!app->state || fetch->is_confirmed) {
		post_app(fetch);
	} else {
		statement_app_archive_reach(fetch_query(fetch),
					    &(struct app_archive_reach_parameters){
						.collection_id = fetch->collection_id,
						.slug = app->slug,
						.script = buffer_view(&app->script),
					    },
					    NULL);
		fetch_ask(fetch, on_reach);
	}
}

void apps_take_end(struct source_fetch *fetch, unsigned app)
{
	fetch->at = app;
	if (fetch->left > 0)
		fetch_in_lane(fetch, fetch->files.bytes, pack, judge);
}

/* ---- the start ---- */

void apps_init(struct source_fetch *fetch)
{
	deadline_init(&fetch->again, on_again);
}

/* Lists the apps that are wanted, and notes the others, on a worker thread. */
static bool sort_out(struct lane_job *job)
{
	struct source_fetch *fetch = container_of(job, struct source_fetch, job);

	fetch->wanted = memory_zalloc((fetch->count + 1) * sizeof(*fetch->wanted));
	for (size_t i = 0; i < fetch->count; i++) {
		struct import_app *app = &fetch->apps[i];
		const char *sha256 = fetch->folders[i].sha256;

		if (app->outcome == IMPORT_FAILED) {
			outcome_note(&fetch->outcome, OUTCOME_FAILED, app->name, app->remark);
		} else if (app->state && outcome_is_kept(fetch->row.folders, app->name, sha256)) {
			outcome_note(&fetch->outcome, OUTCOME_UNCHANGED, app->name,
				     (struct str){0});
			outcome_keep(&fetch->outcome, app->name, sha256);
		} else {
			fetch->wanted[fetch->wanted_count++] = (unsigned)i;
		}
	}
	return false;
}

static void want(struct source_fetch *fetch)
{
	fetch->left = fetch->wanted_count;
	archive_want(&fetch->archive, fetch->wanted, fetch->wanted_count);
	free(fetch->wanted);
	fetch->wanted = NULL;
	if (fetch->left > 0)
		archive_next(&fetch->archive);
}

void apps_begin(struct source_fetch *fetch)
{
	fetch_in_lane(fetch, fetch->row.folders.length, sort_out, want);
}
