/* Import of one app of an archive.
 *
 *   its files -> a lane packs them -> the server has all of it: unchanged
 *     -> known: does it reach a new host, or ask for a new secret? held, unless that was confirmed
 *     -> the request that imports it, again if the server is busy -> app_done() */
#include "base/memory.h"
#include "base/require.h"
#include "record/json.h"
#include "state.h"

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
	const struct app_place *place;
};

static struct import_app *app_of(struct app_place *place)
{
	return &place->fetch->apps[place->at];
}

/* ---- its files ---- */

static bool read_picture(const struct import_pictures *pictures, const char *name, size_t bytes_max,
			 struct buffer *data)
{
	const struct memory_pictures *own =
	    container_of(pictures, struct memory_pictures, pictures);
	const struct buffer *content = memory_files_find(&own->place->files, name);

	if (!content || buffer_length(content) > bytes_max)
		return false;
	buffer_append_str(data, buffer_view(content));
	return true;
}

static void choose_picture(struct app_place *place, struct import_app *app)
{
	const char *slash = strrchr(app->path, '/');
	struct memory_pictures memory = {
	    .pictures = {.folder = slash ? slash + 1 : app->path, .read = read_picture},
	    .place = place};
	struct import_pictures *pictures = &memory.pictures;

	pictures->names = memory_zalloc(IMPORT_PICTURE_NAMES_MAX * sizeof(char *));
	for (unsigned i = 0; i < place->files.count; i++)
		if (!strchr(place->files.list[i].name, '/') &&
		    pictures->count < IMPORT_PICTURE_NAMES_MAX)
			pictures->names[pictures->count++] = place->files.list[i].name;
	import_choose_picture(app, pictures);
	free(pictures->names);
}

/* Makes the request of an app, on a worker thread. */
static bool pack(struct lane_job *job)
{
	struct app_place *place = container_of(job, struct app_place, job);
	struct import_app *app = app_of(place);
	char fault[APP_FAULT_MAX];

	if (memory_files_pack(&place->files, &app->script, &app->is_typescript, fault) < 0)
		import_fail(app, arena_copy(&app->arena, str_from(fault)));
	else
		import_app_name_version(app);
	if (app->outcome != IMPORT_WAITS)
		return false;
	choose_picture(place, app);
	place->is_same_app = import_has_all(app);
	buffer_clear(&place->body);
	if (!place->is_same_app)
		import_write_body(app, false, &place->body);
	return false;
}

static void note(struct app_place *place, enum outcome_kind kind, struct str reason)
{
	place->fetch->app_done(place, kind, reason);
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

static void take_answer(struct app_place *place, int status, const struct json_value *answer)
{
	struct import_app *app = app_of(place);
	struct str outcome = text_of(answer, "outcome"), detail = text_of(answer, "detail");
	const struct json_value *errors = json_member(answer, "errors");
	unsigned count;

	if (status == STATUS_OK && str_equal(outcome, STR("made")))
		note(place, OUTCOME_MADE, (struct str){0});
	else if (status == STATUS_OK && str_equal(outcome, STR("updated")))
		note(place, OUTCOME_UPDATED, (struct str){0});
	else if (status == STATUS_OK)
		note(place, OUTCOME_FAILED, message_of(app, json_member(answer, "problem")));
	else if (json_get_array(errors, &count) && count)
		note(place, OUTCOME_FAILED,
		     ARENA_JOIN(&app->arena, text_of(json_array_item(errors, 0), "pointer"),
				STR(": "), text_of(json_array_item(errors, 0), "detail")));
	else
		note(place, OUTCOME_FAILED,
		     detail.length
			 ? arena_copy(&app->arena, detail)
			 : arena_printf(&app->arena, "the server answered with status %d", status));
}

static void post_app(struct app_place *place);

static void on_again(struct deadline *deadline)
{
	post_app(container_of(deadline, struct app_place, again));
}

static void on_posted(struct own_post *post, int status, struct str body)
{
	struct app_place *place = container_of(post, struct app_place, post);
	bool is_busy = status == 0 || status == STATUS_TOO_MANY || status == STATUS_UNAVAILABLE;
	struct json_document document = {0};
	struct arena arena = {0};
	struct str reason;

	if (place->fetch->is_ending) {
		fetch_settle(place->fetch);
		return;
	}
	if (is_busy && place->posts < POSTS_MAX) {
		deadline_set(place->fetch->collections->settings.loop, &place->again, AGAIN_MS);
		return;
	}
	place->fetch->has_passing |= is_busy;
	if (!body.length || !json_parse(body, &arena, &document, &reason))
		document = (struct json_document){0};
	take_answer(place, status, document.root);
	json_document_finish(&document);
	arena_finish(&arena);
}

static void post_app(struct app_place *place)
{
	struct collections *collections = place->fetch->collections;
	char id[ID_TEXT_LENGTH + 1], path[120];
	struct buffer body = {0};

	place->posts++;
	id_format(place->fetch->collection_id, id);
	snprintf(path, sizeof(path), "/web/admin/collections/%s/apps", id);
	buffer_append_str(&body, buffer_view(&place->body));
	place->post.done = on_posted;
	own_post_start(&place->post, collections->settings.loop, collections->settings.http,
		       &collections->settings.listener, path, place->fetch->row.account, &body);
}

/* ---- what it newly reaches ---- */

static void on_reach(struct db_query *query, const struct db_result *result)
{
	struct app_place *place = container_of(query, struct app_place, query);
	struct app_archive_reach_row *row = &place->reach;
	struct import_app *app = app_of(place);

	place->is_asking = false;
	if (place->fetch->is_ending) {
		fetch_settle(place->fetch);
		return;
	}
	if (result->outcome != DB_OK) {
		fetch_retry(place->fetch, FETCH_DATABASE_LOST);
		return;
	}
	*row = (struct app_archive_reach_row){0};
	if (result->row_count)
		db_read_row(result, 0, query->record, &app->arena, row);
	if (row->hosts.length)
		note(place, OUTCOME_HELD,
		     ARENA_JOIN(&app->arena, STR("names new hosts: "), row->hosts,
				row->asks_secret ? STR("; asks for a new secret") : STR("")));
	else if (row->asks_secret)
		note(place, OUTCOME_HELD, STR("asks for a new secret"));
	else
		post_app(place);
}

static void ask_reach(struct app_place *place)
{
	struct import_app *app = app_of(place);

	arena_finish(&place->query_arena);
	db_query_init(&place->query, &place->query_arena);
	statement_app_archive_reach(&place->query,
				    &(struct app_archive_reach_parameters){
					.collection_id = place->fetch->collection_id,
					.slug = app->slug,
					.script = buffer_view(&app->script),
				    },
				    NULL);
	place->query.done = on_reach;
	place->is_asking = true;
	db_submit(place->fetch->collections->settings.db, &place->query);
}

static void judge(struct app_place *place)
{
	struct import_app *app = app_of(place);

	if (app->outcome == IMPORT_FAILED)
		note(place, OUTCOME_FAILED, app->remark);
	else if (place->is_same_app)
		note(place, OUTCOME_UNCHANGED, (struct str){0});
	else if (!app->state || place->fetch->is_confirmed)
		post_app(place);
	else
		ask_reach(place);
}

/* ---- the start and the end ---- */

static void on_packed(struct lane_job *job)
{
	struct app_place *place = container_of(job, struct app_place, job);

	place->is_in_lane = false;
	memory_files_finish(&place->files);
	if (place->fetch->is_ending)
		fetch_settle(place->fetch);
	else
		judge(place);
}

void app_begin(struct app_place *place)
{
	unsigned retry_after_s;

	place->posts = 0;
	place->is_in_lane = true;
	place->job = (struct lane_job){.account = place->fetch->row.account_id,
				       .size = place->bytes,
				       .goes_on = true,
				       .run = pack,
				       .done = on_packed};
	require(lanes_submit(place->fetch->collections->settings.loop, LANE_LONG, &place->job,
			     &retry_after_s) == 0);
}

void app_init(struct app_place *place, struct source_fetch *fetch)
{
	place->fetch = fetch;
	deadline_init(&place->again, on_again);
}
