#include "render/download.h"
#include "base/buffer.h"
#include "base/require.h"
#include "downloads.h"
#include "loop/lanes.h"
#include "outbound.h"
#include "record/json_memory.h"
#include "record/json_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct downloads {
	struct loop *loop;
	struct egress *egress; /* NULL: there is none, or it has ended */
	struct list flights;
	struct list waiting; /* flights that wait for a file to be emptied */
	struct list failed;  /* those whose done() must be called */
	struct later later;
	struct slot {
		struct downloads *downloads;
		int file; /* -1: none */
		bool is_used, is_emptied;
		struct lane_job job; /* empties the file */
	} slots[DOWNLOADS_OF_WORKER];
	bool is_draining;
};

struct download_flight {
	struct list node;
	struct downloads *downloads;
	struct download *download;
	struct egress_fetch fetch;
	crypto_hash_sha256_state hash;
	struct buffer waiting; /* parts that are not being written yet */
	struct buffer written; /* parts that the thread has */
	struct lane_job job;
	bool is_writing;
	bool is_answered; /* no further parts come */
	int error;	  /* of writing: a negative errno */
};

static const char no_host[] = "this server cannot send requests, see its log";
static const char ends[] = "the server is being restarted";
static const char cancelled[] = "the download was cancelled";
static const char no_file[] = "this worker fetches as many files as it can, try again later";

/* ---- the end ---- */

static void set_problem(struct download *download, struct str words)
{
	snprintf(download->problem, sizeof(download->problem), "%.*s", STR_ARG(words));
	download->status = 0;
}

static void finish(struct download_flight *flight)
{
	struct download *download = flight->download;

	if (flight->error < 0 && download->status)
		set_problem(download, str_from(flight->error == -ENOSPC
						   ? "the server has no room left on disk"
						   : "the server cannot store the file"));
	crypto_hash_sha256_final(&flight->hash, download->sha256);
	download->flight = NULL;
	list_remove(&flight->node);
	buffer_finish(&flight->waiting);
	buffer_finish(&flight->written);
	free(flight);
	download->done(download);
}

static void fail_later(struct download_flight *flight, const char *words)
{
	struct downloads *downloads = flight->downloads;

	set_problem(flight->download, str_from(words));
	flight->is_answered = true;
	list_remove(&flight->node);
	list_append(&downloads->failed, &flight->node);
	loop_later(downloads->loop, &downloads->later);
}

static void on_later(struct later *later)
{
	struct downloads *downloads = container_of(later, struct downloads, later);

	list_for_each (node, &downloads->failed) {
		struct download_flight *flight = container_of(node, struct download_flight, node);

		if (!flight->is_writing) /* else when the thread is done */
			finish(flight);
	}
}

/* ---- writing ---- */

static bool write_all(struct lane_job *job)
{
	struct download_flight *flight = container_of(job, struct download_flight, job);
	struct str left = buffer_view(&flight->written);

	crypto_hash_sha256_update(&flight->hash, (const uint8_t *)left.data, left.length);
	while (left.length && flight->error == 0) {
		ssize_t length = write(flight->download->file, left.data, left.length);

		if (length > 0)
			left = str_from_offset(left, (size_t)length);
		else if (length == 0 || errno != EINTR)
			flight->error = length == 0 ? -ENOSPC : -errno;
	}
	return false;
}

static void write_more(struct download_flight *flight);

static void on_written(struct lane_job *job)
{
	struct download_flight *flight = container_of(job, struct download_flight, job);
	size_t length = buffer_length(&flight->written);

	flight->is_writing = false;
	flight->download->bytes += length;
	buffer_clear(&flight->written);
	if (flight->is_answered && (flight->error < 0 || buffer_length(&flight->waiting) == 0)) {
		finish(flight);
	} else if (flight->error < 0) {
		egress_forget(&flight->fetch);
		flight->download->status = -flight->error; /* finish() explains it */
		finish(flight);
	} else {
		if (!flight->is_answered)
			egress_take(&flight->fetch, length);
		write_more(flight);
	}
}

static void write_more(struct download_flight *flight)
{
	struct buffer waiting = flight->waiting;
	unsigned retry_after_s;

	if (flight->is_writing || buffer_length(&waiting) == 0)
		return;
	flight->waiting = flight->written;
	flight->written = waiting;
	flight->is_writing = true;
	flight->job = (struct lane_job){.account = flight->download->account,
					.size = buffer_length(&flight->written),
					.goes_on = true,
					.run = write_all,
					.done = on_written};
	require(lanes_submit(flight->downloads->loop, LANE_LONG, &flight->job, &retry_after_s) ==
		0);
}

/* ---- the egress ---- */

static void on_part(struct egress_fetch *fetch, int64_t size, struct str data)
{
	struct download_flight *flight = container_of(fetch, struct download_flight, fetch);

	flight->download->size = size;
	buffer_append_str(&flight->waiting, data);
	write_more(flight);
}

static void read_answer(struct download *download, yyjson_val *answer)
{
	yyjson_val *error = yyjson_obj_get(answer, "error");
	yyjson_val *etag = yyjson_obj_get(yyjson_obj_get(answer, "headers"), "etag");

	download->status = yyjson_get_int(yyjson_obj_get(answer, "status"));
	if (yyjson_is_str(error))
		set_problem(download, json_text(error));
	if (yyjson_is_str(etag) && yyjson_get_len(etag) < sizeof(download->etag))
		snprintf(download->etag, sizeof(download->etag), "%s", yyjson_get_str(etag));
}

static void on_answered(struct egress_fetch *fetch, struct str head, struct str body)
{
	struct download_flight *flight = container_of(fetch, struct download_flight, fetch);
	yyjson_doc *doc = yyjson_read_opts((char *)head.data, head.length, 0, &json_memory, NULL);

	(void)body;
	flight->is_answered = true;
	flight->download->is_lost = fetch->is_lost;
	read_answer(flight->download, yyjson_obj_get(yyjson_doc_get_root(doc), "fetch"));
	yyjson_doc_free(doc);
	if (!flight->is_writing)
		finish(flight);
}

static void ask(struct download_flight *flight)
{
	const struct download *download = flight->download;
	struct egress_asker asker = {.account = download->account,
				     .scope = download->scope,
				     .why_public = download->why_public,
				     .is_paced = download->is_paced,
				     .download_bytes = download->bytes_max};

	flight->fetch.answered = on_answered;
	flight->fetch.on_part = on_part;
	outbound_ask(flight->downloads->egress, &flight->fetch, &asker,
		     &(struct outbound_request){.url = download->url,
						.headers = download->headers,
						.header_count = download->header_count},
		     "GET");
}

/* ---- files ---- */

static int take_file(struct downloads *downloads)
{
	for (unsigned i = 0; i < DOWNLOADS_OF_WORKER; i++) {
		struct slot *slot = &downloads->slots[i];

		if (slot->is_used || slot->file < 0)
			continue;
		slot->is_used = true;
		return slot->file;
	}
	return -1;
}

static bool empty_file(struct lane_job *job)
{
	const struct slot *slot = container_of(job, struct slot, job);

	/* If the blocks cannot be given back, the next file overwrites them. */
	(void)!ftruncate(slot->file, 0);
	(void)!lseek(slot->file, 0, SEEK_SET);
	return false;
}

static void download_begin(struct download_flight *flight)
{
	struct downloads *downloads = flight->downloads;

	flight->download->file = take_file(downloads);
	list_append(&downloads->flights, &flight->node);
	ask(flight);
}

static void on_emptied(struct lane_job *job)
{
	struct slot *slot = container_of(job, struct slot, job);
	struct list *next = list_take_first(&slot->downloads->waiting);

	slot->is_used = slot->is_emptied = false;
	if (next)
		download_begin(container_of(next, struct download_flight, node));
}

/* Whether a file is free, or soon. *ret_must_wait: soon. */
static bool has_file(const struct downloads *downloads, bool *ret_must_wait)
{
	bool is_free = false, is_soon = false;

	for (unsigned i = 0; i < DOWNLOADS_OF_WORKER; i++) {
		const struct slot *slot = &downloads->slots[i];

		is_free |= !slot->is_used && slot->file >= 0;
		is_soon |= slot->is_emptied;
	}
	*ret_must_wait = !is_free && is_soon && list_is_empty(&downloads->waiting);
	return is_free || *ret_must_wait;
}

/* Returns a file without a name; -1: none can be made. File systems without such files, and a
 * missing folder, are replaced by memory. */
static int open_file(const char *folder)
{
	int file = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;

	return file < 0 ? memfd_create("displayd-download", MFD_CLOEXEC) : file;
}

void download_start(struct downloads *downloads, struct download *download)
{
	struct download_flight *flight = memory_zalloc(sizeof(*flight));
	bool must_wait = false;

	require(download->bytes_max > 0 && download->bytes_max <= DOWNLOAD_BYTES_MAX);
	download->flight = flight;
	download->bytes = 0;
	download->size = -1;
	download->status = 0;
	download->problem[0] = download->etag[0] = '\0';
	download->is_dropped = downloads->is_draining;
	download->is_lost = false;
	flight->downloads = downloads;
	flight->download = download;
	crypto_hash_sha256_init(&flight->hash);
	list_init(&flight->node);
	download->file = -1;
	if (!downloads->egress)
		fail_later(flight, downloads->is_draining ? ends : no_host);
	else if (!has_file(downloads, &must_wait))
		fail_later(flight, no_file);
	else if (must_wait)
		list_append(&downloads->waiting, &flight->node);
	else
		download_begin(flight);
}

static void drop(struct download_flight *flight, const char *words)
{
	bool is_asked = flight->download->file >= 0 && !flight->is_answered;

	if (is_asked)
		egress_forget(&flight->fetch);
	flight->download->is_dropped = true;
	fail_later(flight, words);
}

void download_cancel(struct downloads *downloads, struct download *download)
{
	(void)downloads;
	if (download->flight)
		drop(download->flight, cancelled);
}

void download_end(struct downloads *downloads, struct download *download)
{
	require(!download->flight);
	for (unsigned i = 0; i < DOWNLOADS_OF_WORKER; i++) {
		struct slot *slot = &downloads->slots[i];
		unsigned retry_after_s;

		if (download->file < 0 || slot->file != download->file)
			continue;
		slot->is_emptied = true;
		slot->job = (struct lane_job){.account = download->account,
					      .goes_on = true,
					      .run = empty_file,
					      .done = on_emptied};
		require(lanes_submit(downloads->loop, LANE_LONG, &slot->job, &retry_after_s) == 0);
	}
	download->file = -1;
}

struct downloads *downloads_create(struct loop *loop, struct egress *egress, const char *folder)
{
	struct downloads *downloads = memory_zalloc(sizeof(*downloads));

	downloads->loop = loop;
	downloads->egress = egress;
	list_init(&downloads->flights);
	list_init(&downloads->waiting);
	list_init(&downloads->failed);
	loop_later_init(&downloads->later, on_later);
	for (unsigned i = 0; i < DOWNLOADS_OF_WORKER; i++)
		downloads->slots[i] =
		    (struct slot){.downloads = downloads, .file = open_file(folder)};
	return downloads;
}

void downloads_drain(struct downloads *downloads)
{
	downloads->is_draining = true;
	downloads->egress = NULL;
	list_for_each (node, &downloads->waiting)
		drop(container_of(node, struct download_flight, node), ends);
	list_for_each (node, &downloads->flights)
		drop(container_of(node, struct download_flight, node), ends);
}

void downloads_destroy(struct downloads *downloads)
{
	require(list_is_empty(&downloads->flights) && list_is_empty(&downloads->failed));
	loop_later_cancel(&downloads->later);
	for (unsigned i = 0; i < DOWNLOADS_OF_WORKER; i++)
		if (downloads->slots[i].file >= 0)
			close(downloads->slots[i].file);
	free(downloads);
}
