/* Fetch of a repository's releases.
 *
 *   begin -> the list -> a lane reads it -> each image: known? -> the checksums, if the list has
 * none
 *         -> download -> a lane reads and checks it -> firmware_add -> the next one -> end
 *
 * A fault of an image is noted beside it, and the next one has its turn; a fault of the list ends
 * the fetch. While a file is downloaded, the lease is extended and the progress noted. */
#include "base/buffer.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/require.h"
#include "domain/esp_image.h"
#include "domain/firmware_releases.h"
#include "loop/lanes.h"
#include "render/download.h"
#include "state.h"

#include <stdlib.h>
#include <unistd.h>

enum { NOTE_MS = 1000, PROBLEM_BYTES = 400 };

#define PAGE_OF_LIST "?per_page=10"

struct fetch {
	struct firmware_jobs *jobs;
	struct id lease;
	struct firmware_releases_lease_row row;
	struct firmware_asset assets[FIRMWARE_BOARDS_MAX];
	unsigned count, at;
	unsigned read_count;  /* of assets that a worker thread has read */
	struct buffer images; /* JSON of what came of the images so far, without its brackets */
	struct arena arena;

	struct download download;
	bool is_downloading;
	void (*then)(struct fetch *fetch); /* after a download whose file was read */
	struct lane_job job;
	struct buffer content; /* of the file */
	const char *fault;     /* of the content; NULL: none */
	struct firmware_facts facts;

	struct arena query_arena;
	struct db_query query;
	struct firmware_known_row known;
	struct firmware_add_row added;

	struct arena note_arena;
	struct db_query note;
	struct deadline note_next;
	bool is_noting;
	bool is_lost; /* another worker has the lease */
	bool has_ended;
	char problem[PROBLEM_BYTES];
};

static void next_image(struct fetch *fetch);

/* ---- the end ---- */

static void tell_pages(struct fetch *fetch)
{
	char none[ID_TEXT_LENGTH + 1], word[80];

	id_format((struct id){0}, none);
	snprintf(word, sizeof(word), "changed:%s:admin", none);
	db_hint(fetch->jobs->settings.db, str_from(word));
}

static void free_fetch(struct fetch *fetch)
{
	struct firmware_jobs *jobs = fetch->jobs;

	if (fetch->is_noting)
		return; /* on_noted() comes here again */
	deadline_clear(jobs->settings.loop, &fetch->note_next);
	buffer_finish(&fetch->images);
	buffer_finish(&fetch->content);
	arena_finish(&fetch->query_arena);
	arena_finish(&fetch->note_arena);
	arena_finish(&fetch->arena);
	jobs->fetch = NULL;
	free(fetch);
	jobs->on_fetched(jobs);
}

static void on_ended(struct db_query *query, const struct db_result *result)
{
	struct fetch *fetch = container_of(query, struct fetch, query);

	if (result->outcome == DB_OK && result->row_count)
		tell_pages(fetch);
	fetch->has_ended = true;
	free_fetch(fetch);
}

/* Images so far, as a JSON array in the arena. */
static struct str images_of(struct fetch *fetch, struct arena *arena)
{
	return ARENA_JOIN(arena, STR("["), buffer_view(&fetch->images), STR("]"));
}

static void end(struct fetch *fetch, bool is_given_back)
{
	deadline_clear(fetch->jobs->settings.loop, &fetch->note_next);
	if (fetch->problem[0])
		log_warn("firmware", "cannot fetch releases", LOG_TEXT("problem", fetch->problem));
	arena_finish(&fetch->query_arena);
	db_query_init(&fetch->query, &fetch->query_arena);
	statement_firmware_releases_end(
	    &fetch->query,
	    &(struct firmware_releases_end_parameters){
		.lease = fetch->lease,
		.is_given_back = is_given_back,
		.problem = fetch->problem[0] ? str_from(fetch->problem) : (struct str){0},
		.images = images_of(fetch, &fetch->query_arena),
	    },
	    NULL);
	fetch->query.done = on_ended;
	db_submit(fetch->jobs->settings.db, &fetch->query);
}

static void fetch_fail(struct fetch *fetch, const char *problem)
{
	snprintf(fetch->problem, sizeof(fetch->problem), "%s", problem);
	end(fetch, false);
}

/* ---- progress ---- */

static void note_later(struct fetch *fetch)
{
	deadline_set(fetch->jobs->settings.loop, &fetch->note_next, NOTE_MS);
}

static void on_noted(struct db_query *query, const struct db_result *result)
{
	struct fetch *fetch = container_of(query, struct fetch, note);

	fetch->is_noting = false;
	arena_finish(&fetch->note_arena);
	if (result->outcome == DB_OK) {
		fetch->is_lost |= result->row_count == 0;
		tell_pages(fetch);
	}
	if (fetch->has_ended)
		free_fetch(fetch);
	else
		note_later(fetch);
}

static void on_note_next(struct deadline *deadline)
{
	struct fetch *fetch = container_of(deadline, struct fetch, note_next);
	const struct download *download = &fetch->download;

	fetch->is_noting = true;
	db_query_init(&fetch->note, &fetch->note_arena);
	statement_firmware_releases_note(
	    &fetch->note,
	    &(struct firmware_releases_note_parameters){
		.lease = fetch->lease,
		.lease_ms = FETCH_LEASE_MS,
		.step = fetch->count ? fetch->assets[fetch->at].file : (struct str){0},
		.bytes = (int64_t)download->bytes,
		.size_bytes = download->size,
		.images = images_of(fetch, &fetch->note_arena),
	    },
	    NULL);
	fetch->note.done = on_noted;
	db_submit(fetch->jobs->settings.db, &fetch->note);
}

/* ---- files ---- */

/* Reads the file, on a worker thread. */
static void read_content(struct fetch *fetch)
{
	size_t size = (size_t)fetch->download.bytes, at = 0;
	char *to = memory_alloc(size + 1);

	while (at < size) {
		ssize_t length = pread(fetch->download.file, to + at, size - at, (off_t)at);

		if (length <= 0)
			break;
		at += (size_t)length;
	}
	if (at == size)
		buffer_append_str(&fetch->content, (struct str){to, size});
	else
		fetch->fault = "the server cannot read the file again";
	free(to);
}

static void on_read(struct lane_job *job)
{
	struct fetch *fetch = container_of(job, struct fetch, job);

	download_end(fetch->jobs->settings.downloads, &fetch->download);
	fetch->then(fetch);
}

/* Runs a step on a worker thread, and goes on with then(). */
static void read_in_lane(struct fetch *fetch, bool (*run)(struct lane_job *job))
{
	unsigned retry_after_s;

	fetch->fault = NULL;
	buffer_clear(&fetch->content);
	fetch->job = (struct lane_job){
	    .size = (size_t)fetch->download.bytes, .goes_on = true, .run = run, .done = on_read};
	require(lanes_submit(fetch->jobs->settings.loop, LANE_LONG, &fetch->job, &retry_after_s) ==
		0);
}

static void download(struct fetch *fetch, struct str url, size_t bytes_max,
		     void (*done)(struct download *download))
{
	static const struct outbound_header headers[] = {
	    {"Accept", {"application/json, application/octet-stream", 42}}};

	fetch->download = (struct download){
	    .scope = STR("firmware"),
	    .url = url,
	    .headers = headers,
	    .header_count = 1,
	    .bytes_max = bytes_max,
	    .is_paced = true, /* one file after the other, and few */
	    .done = done,
	};
	download_start(fetch->jobs->settings.downloads, &fetch->download);
}

/* Why a download has no file, in the arena; NULL: it has one. */
static const char *fault_of(struct fetch *fetch)
{
	enum { STATUS_OK = 200 };
	const struct download *done = &fetch->download;

	if (done->problem[0])
		return arena_printf(&fetch->arena, "%s", done->problem).data;
	if (done->status != STATUS_OK)
		return arena_printf(&fetch->arena, "the server of the releases answers %d",
				    done->status)
		    .data;
	return NULL;
}

/* Whether the fetch goes on after a download; else it has ended. */
static bool goes_on(struct fetch *fetch)
{
	if (!fetch->download.is_dropped && !fetch->is_lost)
		return true;
	download_end(fetch->jobs->settings.downloads, &fetch->download);
	end(fetch, true);
	return false;
}

/* ---- images ---- */

/* Notes what came of the image, and goes on with the next one. */
static void note_image(struct fetch *fetch, const char *state, const char *reason)
{
	firmware_outcome_write(&fetch->assets[fetch->at], state, reason, &fetch->images);
	fetch->at++;
	next_image(fetch);
}

static void refuse_image(struct fetch *fetch, const char *reason)
{
	note_image(fetch, "refused", reason);
}

static void on_added(struct db_query *query, const struct db_result *result)
{
	struct fetch *fetch = container_of(query, struct fetch, query);
	bool has_row = result->outcome == DB_OK && result->row_count > 0;

	buffer_finish(&fetch->content);
	if (has_row)
		db_read_row(result, 0, query->record, &fetch->query_arena, &fetch->added);
	if (result->outcome != DB_OK)
		fetch_fail(fetch, "the database was unavailable");
	else if (!has_row)
		fetch_fail(fetch, "who asked for the releases is no administrator any more");
	else if (!id_is_none(fetch->added.id))
		note_image(fetch, "added", NULL);
	else if (fetch->added.is_known)
		note_image(fetch, "known", NULL);
	else
		refuse_image(fetch, "there are 32 images already, remove one first");
}

static void add_image(struct fetch *fetch)
{
	const struct firmware_asset *asset = &fetch->assets[fetch->at];

	if (fetch->fault) {
		refuse_image(fetch, fetch->fault);
		return;
	}
	arena_finish(&fetch->query_arena);
	db_query_init(&fetch->query, &fetch->query_arena);
	statement_firmware_add(&fetch->query,
			       &(struct firmware_add_parameters){
				   .id = id_new(),
				   .board = asset->board,
				   .version = asset->version,
				   .chip = str_from(fetch->facts.chip),
				   .project = fetch->facts.project,
				   .sha256 = str_from(fetch->facts.sha256),
				   .content = buffer_view(&fetch->content),
				   .by_operator = fetch->row.by_operator,
				   .actor_id = fetch->row.actor_id,
				   .address = fetch->row.address,
				   .session_id = fetch->row.session_id,
			       },
			       NULL);
	fetch->query.done = on_added;
	db_submit(fetch->jobs->settings.db, &fetch->query);
}

static bool check_image(struct lane_job *job)
{
	struct fetch *fetch = container_of(job, struct fetch, job);
	const struct firmware_asset *asset = &fetch->assets[fetch->at];

	read_content(fetch);
	if (!fetch->fault)
		fetch->fault =
		    firmware_image_read(buffer_view(&fetch->content), asset->board, &fetch->facts);
	if (!fetch->fault && strcmp(fetch->facts.sha256, asset->sha256) != 0)
		fetch->fault = "does not have the checksum that the release says";
	return false;
}

/* Whether a download has a file; else the image is refused, or the fetch has ended. */
static bool has_file(struct fetch *fetch)
{
	const char *fault = fault_of(fetch);

	if (!goes_on(fetch))
		return false;
	if (!fault)
		return true;
	download_end(fetch->jobs->settings.downloads, &fetch->download);
	refuse_image(fetch, fault);
	return false;
}

static void on_image(struct download *done)
{
	struct fetch *fetch = container_of(done, struct fetch, download);

	if (!has_file(fetch))
		return;
	fetch->then = add_image;
	read_in_lane(fetch, check_image);
}

static void fetch_image(struct fetch *fetch)
{
	const struct firmware_asset *asset = &fetch->assets[fetch->at];

	if (fetch->fault || !asset->sha256[0])
		refuse_image(fetch, fetch->fault ? fetch->fault
						 : "the release has no SHA-256 of this file");
	else
		download(fetch, asset->url, ESP_IMAGE_BYTES_MAX, on_image);
}

static bool read_sums(struct lane_job *job)
{
	struct fetch *fetch = container_of(job, struct fetch, job);
	struct firmware_asset *asset = &fetch->assets[fetch->at];

	read_content(fetch);
	(void)firmware_sums_find(buffer_view(&fetch->content), asset->file, asset->sha256);
	return false;
}

static void on_sums(struct download *done)
{
	struct fetch *fetch = container_of(done, struct fetch, download);

	if (!has_file(fetch))
		return;
	fetch->then = fetch_image;
	read_in_lane(fetch, read_sums);
}

static void on_known(struct db_query *query, const struct db_result *result)
{
	struct fetch *fetch = container_of(query, struct fetch, query);
	const struct firmware_asset *asset = &fetch->assets[fetch->at];

	fetch->fault = NULL;
	if (result->outcome != DB_OK) {
		fetch_fail(fetch, "the database was unavailable");
	} else if (result->row_count) {
		db_read_row(result, 0, query->record, &fetch->query_arena, &fetch->known);
		if (asset->sha256[0] && !str_equal(fetch->known.sha256, str_from(asset->sha256)))
			refuse_image(fetch, "the server has another image of this version");
		else
			note_image(fetch, "known", NULL);
	} else if (!asset->sha256[0] && asset->sums_url.length) {
		download(fetch, asset->sums_url, FIRMWARE_SUMS_BYTES_MAX, on_sums);
	} else {
		fetch_image(fetch);
	}
}

static void next_image(struct fetch *fetch)
{
	const struct firmware_asset *asset = &fetch->assets[fetch->at];

	if (fetch->at == fetch->count || fetch->is_lost || fetch->jobs->is_draining) {
		fetch->at = fetch->count - 1; /* for the notes */
		end(fetch, fetch->is_lost || fetch->jobs->is_draining);
		return;
	}
	fetch->download = (struct download){.size = -1, .file = -1};
	arena_finish(&fetch->query_arena);
	db_query_init(&fetch->query, &fetch->query_arena);
	statement_firmware_known(
	    &fetch->query,
	    &(struct firmware_known_parameters){.board = asset->board, .version = asset->version},
	    NULL);
	fetch->query.done = on_known;
	db_submit(fetch->jobs->settings.db, &fetch->query);
}

/* ---- the list ---- */

static void on_list_read(struct fetch *fetch)
{
	buffer_finish(&fetch->content);
	fetch->count = fetch->fault ? 0 : fetch->read_count;
	if (fetch->fault)
		fetch_fail(fetch, fetch->fault);
	else
		next_image(fetch);
}

static bool read_list(struct lane_job *job)
{
	struct fetch *fetch = container_of(job, struct fetch, job);

	read_content(fetch);
	if (!fetch->fault)
		fetch->fault = firmware_releases_read(buffer_view(&fetch->content), &fetch->arena,
						      fetch->assets, &fetch->read_count);
	return false;
}

static void on_list(struct download *done)
{
	struct fetch *fetch = container_of(done, struct fetch, download);
	const char *fault = fault_of(fetch);

	if (!goes_on(fetch))
		return;
	if (fault) {
		download_end(fetch->jobs->settings.downloads, done);
		fetch_fail(fetch, fault);
		return;
	}
	fetch->then = on_list_read;
	read_in_lane(fetch, read_list);
}

void fetch_begin(struct firmware_jobs *jobs, struct arena *arena)
{
	struct fetch *fetch = memory_zalloc(sizeof(*fetch));
	struct str url = jobs->row.releases_url;

	jobs->fetch = fetch;
	fetch->jobs = jobs;
	fetch->lease = jobs->lease;
	fetch->row = jobs->row;
	fetch->arena = *arena;
	*arena = (struct arena){0};
	deadline_init(&fetch->note_next, on_note_next);
	note_later(fetch);
	if (str_find(url, '?') == url.length)
		url = ARENA_JOIN(&fetch->arena, url, STR(PAGE_OF_LIST));
	download(fetch, url, FIRMWARE_LIST_BYTES_MAX, on_list);
}
