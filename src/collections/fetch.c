/* Fetch of a collection.
 *
 *   begin -> the archive -> its apps are listed -> a lane reads their manifests -> the collection
 * is chosen -> slugs are -> compared: too many gone? -> apps.c imports -> those that left are
 * marked
 *     -> end
 *
 * An end waits for what is under way, in settle(). While a fetch runs, its lease is extended and
 * the progress noted. */
#include "base/memory.h"
#include "base/require.h"
#include "record/json.h"
#include "state.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <text/reach.h>

enum { STATUS_OK = 200, STATUS_SAME = 304 };

/* ---- those that left ---- */

static void finish_all(struct source_fetch *fetch)
{
	fetch_end(fetch, fetch->outcome.counts[OUTCOME_HELD] ? "held" : "done", NULL);
}

static void mark_next(struct source_fetch *fetch);

static void on_left(struct db_query *query, const struct db_result *result)
{
	struct source_fetch *fetch = container_of(query, struct source_fetch, query);
	struct app_archive_leave_row row;

	if (result->row_count) {
		db_read_row(result, 0, query->record, &fetch->query_arena, &row);
		outcome_note(&fetch->outcome, OUTCOME_GONE, row.slug, (struct str){0});
	}
	mark_next(fetch);
}

/* Marks the next app that has left. */
static void mark_next(struct source_fetch *fetch)
{
	struct str text;
	struct id id;

	if (!str_next(&fetch->gone, ',', &text) || !id_parse(text, &id)) {
		finish_all(fetch);
		return;
	}
	statement_app_archive_leave(
	    fetch_query(fetch),
	    &(struct app_archive_leave_parameters){.id = id, .account_id = fetch->row.account_id},
	    NULL);
	fetch_ask(fetch, on_left);
}

static void apps_done(struct source_fetch *fetch)
{
	/* An app whose manifest cannot be read may be one that seems to be gone. */
	if (fetch->has_unreadable)
		finish_all(fetch);
	else
		mark_next(fetch);
}

/* ---- the collection ---- */

static void on_compared(struct db_query *query, const struct db_result *result)
{
	enum { LOST_PART = 3 };
	struct source_fetch *fetch = container_of(query, struct source_fetch, query);
	const struct app_archive_compare_row *row = &fetch->compared;
	char problem[FETCH_PROBLEM_BYTES];

	db_read_row(result, 0, query->record, &fetch->arena, &fetch->compared);
	fetch->gone = row->gone;
	if (!fetch->is_confirmed && row->gone_count > 0 &&
	    row->gone_count * LOST_PART >= row->app_count) {
		snprintf(problem, sizeof(problem),
			 "%lld of its %lld apps are gone: confirm it, if that is meant",
			 (long long)row->gone_count, (long long)row->app_count);
		fetch_end(fetch, "held", problem);
		return;
	}
	apps_begin(fetch);
}

static void compare(struct source_fetch *fetch)
{
	statement_app_archive_compare(fetch_query(fetch),
				      &(struct app_archive_compare_parameters){
					  .collection_id = fetch->collection_id,
					  .account_id = fetch->row.account_id,
					  .origins = fetch->origins,
				      },
				      NULL);
	fetch_ask(fetch, on_compared);
}

static struct str text_of(struct arena *arena, const struct json_value *object, const char *name)
{
	struct str text;

	return json_get_str(json_member(object, name), &text) ? arena_copy(arena, text) : STR("");
}

/* Reads the server's state of the apps, and chooses their slugs. */
static bool choose_slugs(struct lane_job *job)
{
	struct source_fetch *fetch = container_of(job, struct source_fetch, job);
	struct json_document document = {0};
	const struct json_value *app;
	struct json_walk walk;
	struct str reason;
	unsigned count = 0;

	if (json_parse_long(fetch->chosen.apps, &fetch->arena, &document, &reason) &&
	    json_get_array(document.root, &count) && count) {
		fetch->states = memory_zalloc(count * sizeof(*fetch->states));
		walk = json_walk(document.root);
		while (json_next_item(&walk, &app))
			fetch->states[fetch->state_count++] =
			    (struct import_state){text_of(&fetch->arena, app, "slug"),
						  text_of(&fetch->arena, app, "origin"),
						  text_of(&fetch->arena, app, "content")};
	}
	json_document_finish(&document);
	import_choose_slugs(fetch->apps, fetch->count, fetch->states, fetch->state_count,
			    fetch->row.name);
	return false;
}

static void on_chosen(struct db_query *query, const struct db_result *result)
{
	struct source_fetch *fetch = container_of(query, struct source_fetch, query);

	if (result->row_count)
		db_read_row(result, 0, query->record, &fetch->arena, &fetch->chosen);
	if (result->row_count == 0 || !fetch->chosen.name.data || id_is_none(fetch->chosen.id)) {
		fetch_end(fetch, "failed", "there is a collection of this name from elsewhere");
		return;
	}
	fetch->collection_id = fetch->chosen.id;
	fetch_in_lane(fetch, fetch->chosen.apps.length, choose_slugs, compare);
}

static void choose(struct source_fetch *fetch)
{
	struct id own_id = {0};

	if (!fetch->row.is_for_all)
		own_id = fetch->row.id;
	fetch->is_confirmed =
	    fetch->row.confirmed_tree.data && str_equal(fetch->row.confirmed_tree, fetch->tree);
	statement_app_collection_choose(fetch_query(fetch),
					&(struct app_collection_choose_parameters){
					    .account_id = fetch->row.account_id,
					    .name = fetch->row.name,
					    .is_given = true,
					    .source = fetch->row.url,
					    .lines = buffer_view(&fetch->lines),
					    .own_id = own_id,
					},
					NULL);
	fetch_ask(fetch, on_chosen);
}

/* ---- the list ---- */

static void hash_tree(struct source_fetch *fetch)
{
	char text[IMPORT_HASH_BYTES];
	struct buffer all = {0};

	for (size_t i = 0; i < fetch->count; i++)
		buffer_printf(&all, "%s %.*s\n", fetch->folders[i].sha256,
			      STR_ARG(fetch->apps[i].name));
	import_hash(buffer_view(&all), text);
	buffer_finish(&all);
	fetch->tree = arena_copy(&fetch->arena, str_from(text));
}

static bool read_manifests(struct lane_job *job)
{
	struct source_fetch *fetch = container_of(job, struct source_fetch, job);
	struct buffer origins = {0};
	struct str why;

	for (size_t i = 0; i < fetch->count; i++) {
		struct import_app *app = &fetch->apps[i];

		if (!fetch->folders[i].manifest.data ||
		    !app_manifest_parse(fetch->folders[i].manifest, &app->arena, &app->manifest,
					&why)) {
			fetch->has_unreadable = true;
			if (app->outcome == IMPORT_WAITS)
				import_fail(app, why);
			continue;
		}
		import_app_describe(app);
		buffer_append_str(&origins, app->origin);
		buffer_append_char(&origins, '\n');
	}
	fetch->origins = arena_copy(&fetch->arena, buffer_view(&origins));
	buffer_finish(&origins);
	import_write_lines(fetch->apps, fetch->count, &fetch->lines);
	hash_tree(fetch);
	return false;
}

static void on_listed(struct archive *archive)
{
	struct source_fetch *fetch = container_of(archive, struct source_fetch, archive);

	fetch_in_lane(fetch, fetch->count, read_manifests, choose);
}

static void on_app(struct archive *archive, const struct archive_app *found)
{
	enum { STEP = 256 };
	struct source_fetch *fetch = container_of(archive, struct source_fetch, archive);
	struct import_app *app;
	struct listed_folder *folder;

	if (fetch->count % STEP == 0) {
		fetch->apps =
		    memory_realloc(fetch->apps, (fetch->count + STEP) * sizeof(*fetch->apps));
		fetch->folders =
		    memory_realloc(fetch->folders, (fetch->count + STEP) * sizeof(*folder));
	}
	app = &fetch->apps[fetch->count];
	folder = &fetch->folders[fetch->count++];
	*app = (struct import_app){.manifest = {.tags = STR("[]")}};
	*folder = (struct listed_folder){0};
	memcpy(folder->sha256, found->sha256.data, ARCHIVE_HASH_LENGTH);
	app->name = arena_copy(&app->arena, found->path);
	app->path = app->name.data;
	if (found->manifest.length || !found->fault.length)
		folder->manifest = arena_copy(&app->arena, found->manifest);
	if (found->fault.length)
		import_fail(app, arena_copy(&app->arena, found->fault));
}

static void on_file(struct archive *archive, struct str name, struct str content)
{
	apps_take_file(container_of(archive, struct source_fetch, archive), name, content);
}

static void on_app_end(struct archive *archive, unsigned app)
{
	apps_take_end(container_of(archive, struct source_fetch, archive), app);
}

static void on_end(struct archive *archive, const char *problem)
{
	struct source_fetch *fetch = container_of(archive, struct source_fetch, archive);
	char words[FETCH_PROBLEM_BYTES];

	if (!problem[0]) {
		apps_take_all(fetch);
	} else if (archive->is_lost) {
		fetch_retry(fetch, problem);
	} else {
		snprintf(words, sizeof(words), "the archive %s", problem);
		fetch_end(fetch, "failed", words);
	}
}

static void on_archive_closed(struct archive *archive)
{
	struct source_fetch *fetch = container_of(archive, struct source_fetch, archive);

	fetch->has_archive = false;
	fetch_settle(fetch);
}

/* ---- the download ---- */

static void on_downloaded(struct download *download)
{
	struct source_fetch *fetch = container_of(download, struct source_fetch, download);
	char problem[FETCH_PROBLEM_BYTES];

	if (fetch->is_ending) {
		fetch_settle(fetch);
	} else if (download->is_dropped) {
		fetch_stop(fetch);
	} else if (download->is_lost) {
		fetch_retry(fetch, download->problem);
	} else if (download->problem[0]) {
		fetch_end(fetch, "failed", download->problem);
	} else if (download->status == STATUS_SAME && fetch->row.etag.length) {
		fetch->is_same = true;
		fetch_end(fetch, "done", NULL);
	} else if (download->status != STATUS_OK) {
		snprintf(problem, sizeof(problem), "the server of the archive answers %d",
			 download->status);
		fetch_end(fetch, "failed", problem);
	} else {
		fetch->archive = (struct archive){.file = download->file,
						  .size = (int64_t)download->bytes,
						  .folder = fetch->row.folder,
						  .on_app = on_app,
						  .on_listed = on_listed,
						  .on_file = on_file,
						  .on_app_end = on_app_end,
						  .on_end = on_end,
						  .on_closed = on_archive_closed};
		fetch->has_archive = true;
		archive_open(fetch->collections->settings.engines,
			     fetch->collections->settings.loop, &fetch->archive);
	}
}

void fetch_collection_begin(struct collections *collections, struct arena *arena)
{
	struct source_fetch *fetch = memory_zalloc(sizeof(*fetch));
	bool asks_same = collections->row.etag.length && !collections->row.confirmed_tree.data;
	struct outbound_header *headers;

	collections->fetch = fetch;
	fetch->collections = collections;
	fetch->lease = collections->lease;
	fetch->row = collections->row;
	fetch->arena = *arena;
	*arena = (struct arena){0};
	fetch->apps_done = apps_done;
	fetch_note_progress(fetch);
	headers = arena_zalloc(&fetch->arena, 2 * sizeof(*headers));
	headers[0] = (struct outbound_header){
	    "Accept", STR("application/gzip, application/zip, application/octet-stream")};
	headers[1] = (struct outbound_header){"If-None-Match", fetch->row.etag};
	fetch->download = (struct download){
	    .account = fetch->row.account_id,
	    .scope = STR("collections"),
	    .url = fetch->row.url,
	    .headers = headers,
	    .header_count = asks_same ? 2 : 1,
	    .bytes_max = DOWNLOAD_BYTES_MAX,
	    .is_paced = true, /* one after the other, and few */
	    .why_public = fetch->row.is_public ? reach_sentence(REACH_NOT_MARKED) : NULL,
	    .done = on_downloaded,
	};
	fetch->has_download = true;
	apps_init(fetch);
	download_start(engines_downloads(collections->settings.engines), &fetch->download);
}
