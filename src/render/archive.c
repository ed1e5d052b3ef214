#include "render/archive.h"
#include "base/memory.h"
#include "base/require.h"
#include "frame.h"
#include "loop/lanes.h"
#include "record/json.h"
#include "record/json_memory.h"
#include "sandboxed.h"

#include <stdio.h>
#include <sys/wait.h>
#include <text/utf8.h>
#include <unistd.h>
#include <yyjson.h>

enum {
	BLOCK_MAX = 1024 * 1024,
	/* Longest silence of the program: it unpacks, and asks for the next block soon. */
	SILENCE_MS = 60 * 1000,
	INPUT_MAX = FRAME_HEAD_MAX + FRAME_BLOB_MAX + FRAME_LENGTHS_BYTES,
};

struct archive_flight {
	struct archive *archive; /* NULL: closed */
	struct archive *closed;	 /* gets on_closed() */
	struct loop *loop;
	struct sandboxed *process; /* NULL: ended */
	struct deadline deadline;
	struct later later;
	struct lane_job job;
	struct str bytes;
	int file;
	int64_t offset;
	size_t block;
	struct buffer reply; /* frame of the block that is read */
	unsigned apps;
	size_t manifest_bytes, app_bytes;
	bool is_listed, is_reading, is_given; /* is_given: files of an app may come */
	bool is_frame_open;		      /* on_bytes() runs */
	bool is_waiting; /* the program waits for archive_want() or archive_next() */
};

static const char no_program[] = "this server cannot unpack archives, see its log";
static const char lost[] = "the server was interrupted";
static const char late[] = "takes too long to unpack";
static const char broken[] = "cannot be unpacked";
static const char costly[] = "needs more time or memory to be unpacked than an archive of apps may";

/* ---- the end ---- */

static void finish_if_closed(struct archive_flight *flight)
{
	if (flight->archive || flight->is_reading || flight->is_frame_open)
		return;
	loop_later(flight->loop, &flight->later);
}

static void on_later(struct later *later)
{
	struct archive_flight *flight = container_of(later, struct archive_flight, later);
	struct archive *closed = flight->closed;

	if (flight->archive) { /* no process could be started */
		struct archive *archive = flight->archive;

		archive->is_lost = true;
		archive->on_end(archive, no_program);
		return;
	}
	buffer_finish(&flight->reply);
	free(flight);
	closed->flight = NULL;
	closed->on_closed(closed);
}

static void end_process(struct archive_flight *flight)
{
	deadline_clear(flight->loop, &flight->deadline);
	if (flight->process)
		sandboxed_end(flight->process);
	flight->process = NULL;
}

void archive_close(struct archive *archive)
{
	struct archive_flight *flight = archive->flight;

	require(flight->archive == archive);
	end_process(flight);
	flight->closed = archive;
	flight->archive = NULL;
	finish_if_closed(flight);
}

static void archive_fail(struct archive_flight *flight, const char *problem, bool is_lost)
{
	struct archive *archive = flight->archive;

	end_process(flight);
	if (!archive)
		return;
	archive->is_lost = is_lost;
	archive->on_end(archive, problem);
}

static void on_deadline(struct deadline *deadline)
{
	archive_fail(container_of(deadline, struct archive_flight, deadline), late, false);
}

/* Whether the program was ended by its limits: by a signal beyond its CPU time, by Go without
 * memory. */
static bool is_unfinished(int status)
{
	enum { STATUS_OF_GO = 2 };

	return WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_OF_GO);
}

static void on_gone(struct sandboxed *process, enum sandboxed_end end, int status)
{
	struct archive_flight *flight = sandboxed_context(process);

	flight->process = NULL;
	if (flight->archive)
		flight->archive->cpu_ms = sandboxed_cpu_ms(process);
	archive_fail(flight,
		     end == SANDBOXED_ENDED	    ? (is_unfinished(status) ? costly : broken)
		     : end == SANDBOXED_NOT_STARTED ? no_program
						    : lost,
		     end != SANDBOXED_ENDED);
}

/* ---- frames to the program ---- */

static void send_frame(struct archive_flight *flight, struct str head)
{
	struct buffer frame = {0};

	if (!flight->process)
		return;
	require(frame_append(&frame, head, (struct str){0}));
	flight->is_waiting = false;
	sandboxed_write(flight->process, &frame);
	deadline_set(flight->loop, &flight->deadline, SILENCE_MS);
}

static void on_started(struct sandboxed *process)
{
	struct archive_flight *flight = sandboxed_context(process);
	struct archive *archive = flight->archive;
	struct buffer head = {0};

	sandboxed_note_ready(process);
	buffer_printf(&head, "{\"size\":%lld,\"folder\":", (long long)archive->size);
	json_write_str(&head, archive->folder);
	buffer_append_str(&head, archive->is_alone ? STR(",\"alone\":true}") : STR("}"));
	send_frame(flight, buffer_view(&head));
	buffer_finish(&head);
}

void archive_want(struct archive *archive, const unsigned *apps, unsigned count)
{
	struct buffer head = {0};

	buffer_append_str(&head, STR("{\"want\":["));
	for (unsigned i = 0; i < count; i++)
		buffer_printf(&head, i ? ",%u" : "%u", apps[i]);
	buffer_append_str(&head, STR("]}"));
	send_frame(archive->flight, buffer_view(&head));
	buffer_finish(&head);
}

void archive_next(struct archive *archive)
{
	archive->flight->app_bytes = 0;
	archive->flight->is_given = true;
	send_frame(archive->flight, STR("{\"next\":true}"));
}

static bool read_block(struct lane_job *job)
{
	struct archive_flight *flight = container_of(job, struct archive_flight, job);
	char *block;
	size_t done = 0;

	if (flight->bytes.data) { /* take_read() has checked the place */
		require(
		    frame_append(&flight->reply, STR("{\"data\":true}"),
				 (struct str){flight->bytes.data + flight->offset, flight->block}));
		return false;
	}
	block = memory_alloc(flight->block);
	while (done < flight->block) {
		ssize_t length = pread(flight->file, block + done, flight->block - done,
				       flight->offset + (off_t)done);

		if (length <= 0)
			break;
		done += (size_t)length;
	}
	require(frame_append(&flight->reply, STR("{\"data\":true}"), (struct str){block, done}));
	free(block);
	return false;
}

static void on_block(struct lane_job *job)
{
	struct archive_flight *flight = container_of(job, struct archive_flight, job);

	flight->is_reading = false;
	if (!flight->archive) {
		finish_if_closed(flight);
		return;
	}
	if (!flight->process) {
		buffer_clear(&flight->reply);
		return;
	}
	sandboxed_write(flight->process, &flight->reply);
	deadline_set(flight->loop, &flight->deadline, SILENCE_MS);
}

/* ---- frames of the program ---- */

static struct str text_of(yyjson_val *object, const char *name)
{
	yyjson_val *value = yyjson_obj_get(object, name);

	return yyjson_is_str(value) ? (struct str){yyjson_get_str(value), yyjson_get_len(value)}
				    : (struct str){0};
}

static bool take_read(struct archive_flight *flight, yyjson_val *wish)
{
	int64_t offset = yyjson_get_sint(yyjson_obj_get(wish, "offset"));
	int64_t size = yyjson_get_sint(yyjson_obj_get(wish, "size"));
	int64_t end = flight->archive->size;
	unsigned retry_after_s;

	if (flight->is_reading || offset < 0 || size < 1 || size > BLOCK_MAX || offset > end ||
	    size > end - offset)
		return false;
	flight->offset = offset;
	flight->block = (size_t)size;
	flight->is_reading = true;
	buffer_clear(&flight->reply);
	flight->job = (struct lane_job){
	    .size = flight->block, .goes_on = true, .run = read_block, .done = on_block};
	require(lanes_submit(flight->loop, LANE_SHORT, &flight->job, &retry_after_s) == 0);
	return true;
}

/* Whether a relative path leads nowhere else, as the program promises. */
static bool is_path(struct str path)
{
	struct str rest = path, part;

	if (path.length == 0 || path.length > ARCHIVE_PATH_MAX || path.data[0] == '/' ||
	    path.data[path.length - 1] == '/' || !utf8_is_valid(path) ||
	    memchr(path.data, '\n', path.length) || memchr(path.data, '\0', path.length))
		return false;
	while (str_next(&rest, '/', &part))
		if (part.length == 0 || str_equal(part, STR("..")))
			return false;
	return true;
}

static bool take_app(struct archive_flight *flight, yyjson_val *app, struct str manifest)
{
	struct archive *archive = flight->archive;
	struct archive_app found = {.path = text_of(app, "path"),
				    .sha256 = text_of(app, "sha256"),
				    .manifest = manifest,
				    .fault = text_of(app, "fault")};

	flight->manifest_bytes += manifest.length;
	if (flight->is_listed || flight->apps++ == ARCHIVE_APPS_MAX || !is_path(found.path) ||
	    found.sha256.length != ARCHIVE_HASH_LENGTH || !utf8_is_valid(found.fault) ||
	    found.fault.length > ARCHIVE_PATH_MAX ||
	    flight->manifest_bytes > ARCHIVE_MANIFEST_BYTES_MAX)
		return false;
	archive->on_app(archive, &found);
	return true;
}

static bool take_file(struct archive_flight *flight, yyjson_val *file, struct str content)
{
	struct archive *archive = flight->archive;
	int64_t app = yyjson_get_sint(yyjson_obj_get(file, "app"));
	struct str name = text_of(file, "name");

	flight->app_bytes += content.length + name.length;
	if (!flight->is_given || app < 0 || app >= flight->apps ||
	    flight->app_bytes > ARCHIVE_APP_BYTES_MAX + ARCHIVE_APP_BYTES_MAX / 4)
		return false;
	if (yyjson_is_true(yyjson_obj_get(file, "last"))) {
		flight->is_given = false;
		flight->is_waiting = true;
		archive->on_app_end(archive, (unsigned)app);
		return true;
	}
	if (!is_path(name))
		return false;
	archive->on_file(archive, name, content);
	return true;
}

static bool take_end(struct archive_flight *flight, struct str error)
{
	struct archive *archive = flight->archive;
	char problem[ARCHIVE_PROBLEM_BYTES];

	if (error.length && !utf8_is_valid(error))
		return false;
	snprintf(problem, sizeof(problem), "%.*s", STR_ARG(utf8_cut(error, sizeof(problem) - 1)));
	end_process(flight);
	archive->is_lost = false;
	archive->on_end(archive, problem);
	return true;
}

static bool take_frame(struct archive_flight *flight, const struct frame *frame)
{
	yyjson_doc *doc = yyjson_read_opts((char *)frame->head.data, frame->head.length,
					   YYJSON_READ_NOFLAG, &json_memory, NULL);
	yyjson_val *head = yyjson_doc_get_root(doc), *value;
	bool fits = yyjson_is_obj(head);

	if (fits && (value = yyjson_obj_get(head, "read")))
		fits = take_read(flight, value);
	else if (fits && (value = yyjson_obj_get(head, "app")))
		fits = take_app(flight, value, frame->blob);
	else if (fits && (value = yyjson_obj_get(head, "file")))
		fits = take_file(flight, value, frame->blob);
	else if (fits && yyjson_obj_get(head, "listed")) {
		fits = !flight->is_listed;
		flight->is_listed = flight->is_waiting = true;
		if (fits)
			flight->archive->on_listed(flight->archive);
	} else if (fits)
		fits = (yyjson_is_true(yyjson_obj_get(head, "done")) ||
			text_of(head, "error").length) &&
		       take_end(flight, text_of(head, "error"));
	yyjson_doc_free(doc);
	return fits;
}

static void on_bytes(struct sandboxed *process, struct buffer *input)
{
	struct archive_flight *flight = sandboxed_context(process);
	enum frame_state state = FRAME_NEEDS_MORE;
	struct frame frame;

	flight->is_frame_open = true;
	deadline_set(flight->loop, &flight->deadline, SILENCE_MS);
	while (flight->process && flight->archive &&
	       (state = frame_read(buffer_view(input), &frame)) == FRAME_IS_WHOLE) {
		if (!take_frame(flight, &frame) && flight->process)
			archive_fail(flight, broken, false);
		if (flight->process)
			buffer_consume(input, frame.size);
	}
	flight->is_frame_open = false;
	if (flight->is_waiting)
		deadline_clear(flight->loop, &flight->deadline);
	if (flight->process && flight->archive &&
	    (state == FRAME_IS_WRONG || buffer_length(input) > INPUT_MAX))
		archive_fail(flight, broken, false);
	if (!flight->archive)
		finish_if_closed(flight);
}

/* ---- the start ---- */

void archive_open(struct engines *engines, struct loop *loop, struct archive *archive)
{
	static const struct sandboxed_events events = {
	    .on_started = on_started, .on_bytes = on_bytes, .on_gone = on_gone};
	struct archive_flight *flight = memory_zalloc(sizeof(*flight));
	struct host_link *host = engines_host(engines);
	const char *why_not;

	archive->flight = flight;
	archive->is_lost = false;
	flight->archive = archive;
	flight->loop = loop;
	flight->bytes = archive->bytes;
	flight->file = archive->file;
	loop_later_init(&flight->later, on_later);
	deadline_init(&flight->deadline, on_deadline);
	if (!host || !engines_has(engines, ENGINE_STARLARK, &why_not)) {
		loop_later(loop, &flight->later);
		return;
	}
	flight->process = sandboxed_start(loop, host, RENDER_COLLECTION, &events, flight);
}
