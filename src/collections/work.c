/* Parts of a fetch: its end, its progress, its jobs on worker threads and its statements.
 *
 * An end waits for what is under way, in fetch_settle(). While a fetch runs, its lease is extended
 * and the progress noted. */
#include "base/log.h"
#include "base/memory.h"
#include "base/require.h"
#include "state.h"

#include <stdio.h>
#include <stdlib.h>

enum { NOTE_MS = 1000 };

/* ---- the end ---- */

static void tell_pages(struct source_fetch *fetch)
{
	char none[ID_TEXT_LENGTH + 1], word[80];

	id_format((struct id){0}, none);
	snprintf(word, sizeof(word), "changed:%s:admin", none);
	db_hint(fetch->collections->settings.db, str_from(word));
}

static void free_fetch(struct source_fetch *fetch)
{
	struct collections *collections = fetch->collections;

	if (fetch->is_noting)
		return; /* on_noted() comes here again */
	deadline_clear(collections->settings.loop, &fetch->note_next);
	for (size_t i = 0; i < fetch->count; i++)
		import_app_finish(&fetch->apps[i]);
	free(fetch->apps);
	free(fetch->folders);
	free(fetch->states);
	free(fetch->wanted);
	outcome_finish(&fetch->outcome);
	buffer_finish(&fetch->lines);
	buffer_finish(&fetch->body);
	arena_finish(&fetch->query_arena);
	arena_finish(&fetch->note_arena);
	arena_finish(&fetch->arena);
	collections->fetch = NULL;
	free(fetch);
	collections->on_fetched(collections);
}

static void on_ended(struct db_query *query, const struct db_result *result)
{
	struct source_fetch *fetch = container_of(query, struct source_fetch, query);

	if (result->outcome == DB_OK && result->row_count)
		tell_pages(fetch);
	fetch->has_ended = true;
	free_fetch(fetch);
}

static void store_end(struct source_fetch *fetch)
{
	const struct outcome *outcome = &fetch->outcome;
	bool is_held = str_equal(str_from(fetch->state), STR("held"));
	bool keeps_etag = !fetch->has_passing && !str_equal(str_from(fetch->state), STR("failed"));

	arena_finish(&fetch->query_arena);
	db_query_init(&fetch->query, &fetch->query_arena);
	statement_app_archive_end(
	    &fetch->query,
	    &(struct app_archive_end_parameters){
		.id = fetch->row.id,
		.lease = fetch->lease,
		.is_given_back = fetch->is_given_back,
		.is_lost = fetch->is_lost,
		.is_same = fetch->is_same,
		.state = str_from(fetch->state),
		.problem = fetch->problem[0] ? str_from(fetch->problem) : (struct str){0},
		.etag = keeps_etag ? str_from(fetch->download.etag) : STR(""),
		.folders = ARENA_JOIN(&fetch->query_arena, buffer_view(&outcome->folders)),
		.held_tree = is_held ? fetch->tree : (struct str){0},
		.apps = ARENA_JOIN(&fetch->query_arena, STR("["), buffer_view(&outcome->apps),
				   STR("]")),
		.made = outcome->counts[OUTCOME_MADE],
		.updated = outcome->counts[OUTCOME_UPDATED],
		.unchanged = outcome->counts[OUTCOME_UNCHANGED],
		.failed = outcome->counts[OUTCOME_FAILED],
		.held = outcome->counts[OUTCOME_HELD],
		.gone = outcome->counts[OUTCOME_GONE],
	    },
	    NULL);
	fetch->query.done = on_ended;
	db_submit(fetch->collections->settings.db, &fetch->query);
}

void fetch_settle(struct source_fetch *fetch)
{
	if (fetch->has_archive || fetch->is_in_lane || fetch->is_asking || fetch->post.is_open ||
	    (fetch->has_download && fetch->download.flight))
		return;
	memory_files_finish(&fetch->files);
	if (fetch->has_download)
		download_end(engines_downloads(fetch->collections->settings.engines),
			     &fetch->download);
	fetch->has_download = false;
	store_end(fetch);
}

void fetch_end(struct source_fetch *fetch, const char *state, const char *problem)
{
	if (fetch->is_ending)
		return;
	fetch->is_ending = true;
	fetch->state = state;
	snprintf(fetch->problem, sizeof(fetch->problem), "%s", problem ? problem : "");
	if (problem)
		log_warn("collections", "collection not fetched", LOG_TEXT("problem", problem));
	deadline_clear(fetch->collections->settings.loop, &fetch->note_next);
	deadline_clear(fetch->collections->settings.loop, &fetch->again);
	if (fetch->has_archive)
		archive_close(&fetch->archive);
	fetch_settle(fetch);
}

void fetch_stop(struct source_fetch *fetch)
{
	if (!fetch->is_ending)
		fetch->is_given_back = true;
	fetch_end(fetch, "waiting", NULL);
}

void fetch_retry(struct source_fetch *fetch, const char *problem)
{
	if (!fetch->is_ending)
		fetch->is_given_back = fetch->is_lost = true;
	fetch_end(fetch, "waiting", problem);
}

/* ---- progress ---- */

static void on_noted(struct db_query *query, const struct db_result *result)
{
	struct source_fetch *fetch = container_of(query, struct source_fetch, note);

	fetch->is_noting = false;
	arena_finish(&fetch->note_arena);
	if (fetch->has_ended) {
		free_fetch(fetch);
		return;
	}
	if (fetch->is_ending)
		return;
	if (result->outcome == DB_OK)
		tell_pages(fetch);
	deadline_set(fetch->collections->settings.loop, &fetch->note_next, NOTE_MS);
	if (result->outcome == DB_OK && result->row_count == 0)
		fetch_stop(fetch);
}

static void on_note_next(struct deadline *deadline)
{
	struct source_fetch *fetch = container_of(deadline, struct source_fetch, note_next);
	int64_t done = 0;

	for (int i = 0; i < OUTCOME_GONE; i++)
		done += fetch->outcome.counts[i];
	fetch->is_noting = true;
	db_query_init(&fetch->note, &fetch->note_arena);
	statement_app_archive_note(&fetch->note,
				   &(struct app_archive_note_parameters){
				       .id = fetch->row.id,
				       .lease = fetch->lease,
				       .lease_ms = FETCH_LEASE_MS,
				       .step = !fetch->has_archive   ? STR("download")
					       : done || fetch->left ? STR("import")
								     : STR("read"),
				       .bytes = (int64_t)fetch->download.bytes,
				       .size_bytes = fetch->download.size,
				       .app_count = (int64_t)fetch->count,
				       .done_count = done,
				   },
				   NULL);
	fetch->note.done = on_noted;
	db_submit(fetch->collections->settings.db, &fetch->note);
}

void fetch_note_progress(struct source_fetch *fetch)
{
	deadline_init(&fetch->note_next, on_note_next);
	deadline_set(fetch->collections->settings.loop, &fetch->note_next, NOTE_MS);
}

/* ---- worker threads and statements ---- */

static void on_lane(struct lane_job *job)
{
	struct source_fetch *fetch = container_of(job, struct source_fetch, job);

	fetch->is_in_lane = false;
	if (fetch->is_ending)
		fetch_settle(fetch);
	else
		fetch->then(fetch);
}

void fetch_in_lane(struct source_fetch *fetch, size_t size, bool (*run)(struct lane_job *job),
		   void (*then)(struct source_fetch *fetch))
{
	unsigned retry_after_s;

	fetch->then = then;
	fetch->is_in_lane = true;
	fetch->job = (struct lane_job){.account = fetch->row.account_id,
				       .size = size,
				       .goes_on = true,
				       .run = run,
				       .done = on_lane};
	require(lanes_submit(fetch->collections->settings.loop, LANE_LONG, &fetch->job,
			     &retry_after_s) == 0);
}

static void on_asked(struct db_query *query, const struct db_result *result)
{
	struct source_fetch *fetch = container_of(query, struct source_fetch, query);

	fetch->is_asking = false;
	if (fetch->is_ending)
		fetch_settle(fetch);
	else if (result->outcome != DB_OK)
		fetch_retry(fetch, "the database was interrupted");
	else
		fetch->asked(query, result);
}

struct db_query *fetch_query(struct source_fetch *fetch)
{
	arena_finish(&fetch->query_arena);
	db_query_init(&fetch->query, &fetch->query_arena);
	return &fetch->query;
}

void fetch_ask(struct source_fetch *fetch,
	       void (*done)(struct db_query *query, const struct db_result *result))
{
	fetch->is_asking = true;
	fetch->asked = done;
	fetch->query.done = on_asked;
	db_submit(fetch->collections->settings.db, &fetch->query);
}
