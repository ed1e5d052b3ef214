#include "backup_token.h"
#include "base/clock.h"
#include "base/limits.h"
#include "db/backup_run.h"
#include "db/note.h"
#include "http/stream.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

#include <sodium.h>

/* GET /web/admin/backups/{backupId} - makes and sends the backup that was ordered, encrypted
 * (backup_order.c).
 *
 *   begin -> the first piece, or 409 or 503 -> a stream: each piece is made after the last was
 * taken
 *
 * A failure in the middle ends the connection, and the file says that it is incomplete. A client
 * that takes less than LIMIT_BACKUP_BYTES_PER_S on average is dropped, since the database keeps
 * replaced rows meanwhile. */

struct download {
	struct backup_run *run;
	struct http_stream *stream; /* NULL: no stream has begun */
	struct task *task;
	uint64_t began_us;
	uint64_t bytes;
	bool is_ready; /* the run has a piece that was not sent */
	bool is_made;  /* the last piece was sent */
};

static struct step_result backup_download_missing(struct task *task)
{
	return task_fail(task, PROBLEM_BACKUP_NOT_FOUND,
			 "this backup was not ordered in this session, or more than a minute ago; "
			 "order it again");
}

static bool is_too_slow(const struct download *download)
{
	uint64_t elapsed_s = (clock_monotonic_us() - download->began_us) / 1000000;

	return elapsed_s > LIMIT_BACKUP_START_S &&
	       download->bytes / elapsed_s < LIMIT_BACKUP_BYTES_PER_S;
}

/* Sends the piece, and has the next one made. Returns whether there may be more. */
static bool send_piece(struct download *download)
{
	struct str piece;
	enum backup_run_state state = backup_run_take(download->run, &piece);

	download->is_ready = false;
	download->bytes += piece.length;
	http_stream_write(download->stream, piece);
	if (state == BACKUP_RUN_END)
		download->is_made = true;
	else
		backup_run_more(download->run);
	return true;
}

static void note(struct task *task)
{
	struct db_note *note = db_note_new();

	statement_backup_note(&note->query, NULL);
	db_note_send(task_service(task)->db, note);
	web_changed(task, (struct id){0}, "admin");
}

static bool write_more(struct task *task, struct http_stream *stream)
{
	struct download *download = task_state(task);

	download->stream = stream;
	if (download->is_made) {
		note(task);
		return false;
	}
	if (!download->is_ready)
		return true;
	if (is_too_slow(download)) {
		task_end_stream(task, stream, false);
		return true;
	}
	return send_piece(download);
}

static struct step_result backup_download_made(struct task *task)
{
	struct download *download = task_state(task);
	struct str piece;
	char now[TIMESTAMP_LENGTH + 1];

	switch (backup_run_take(download->run, &piece)) {
	case BACKUP_RUN_BUSY:
		return task_fail(task, PROBLEM_BACKUP_RUNNING,
				 "another backup is being made, try again when it is done");
	case BACKUP_RUN_FAILED:
		return task_fail_busy(
		    task, PROBLEM_BACKUP_UNAVAILABLE, 5,
		    "the database gives no backup now, try again; the log says why");
	case BACKUP_RUN_PIECE:
	case BACKUP_RUN_END:
		break;
	}
	download->is_ready = true;
	timestamp_format(clock_wall_us(), now);
	task_add_field(task, STR("Cache-Control"), STR("no-store"));
	task_add_field(task, STR("Content-Disposition"),
		       arena_printf(task_arena(task),
				    "attachment; filename=\"displayd-%.10s.backup.age\"", now));
	return task_reply_stream(task, 200, STR("application/octet-stream"), write_more);
}

/* Called when the thread is done: for the first piece, the task waits; for others, the stream. */
static void on_done(void *context)
{
	struct download *download = context;
	struct str piece;

	if (download->began_us == 0) {
		download->began_us = clock_monotonic_us();
		task_resume(download->task);
		return;
	}
	download->is_ready = true;
	if (backup_run_take(download->run, &piece) == BACKUP_RUN_FAILED)
		task_end_stream(download->task, download->stream, false);
	else if (!http_stream_is_full(download->stream))
		send_piece(download);
}

static struct step_result backup_download_begin(struct task *task)
{
	struct download *download = task_state(task);
	const struct web_service *web = web_service_of(task);
	struct backup_run_order order = {.done = on_done, .context = download};
	struct backup_token token;

	task_request(task)->log_hides_path = true;
	if (!backup_token_read(web->api.settings_key, task_path_parameter(task, 0), &token) ||
	    !id_equal(token.session_id, web_session_id(task)) ||
	    token.ends_s < clock_common_us() / 1000000)
		return backup_download_missing(task);
	order.key = token.key;
	order.own_key = web->backs_up_key ? web->api.settings_key->bytes : NULL;
	download->task = task;
	download->run = backup_run_start(task_service(task)->db, &order);
	sodium_memzero(&token, sizeof(token));
	sodium_memzero(&order, sizeof(order));
	return task_wait(task, backup_download_made);
}

static void backup_download_finish(void *state)
{
	struct download *download = state;

	if (download->run)
		backup_run_end(download->run);
}

ENDPOINT_BACKUP_DOWNLOAD(.handler = backup_download_begin, .state_size = sizeof(struct download),
			 .finish = backup_download_finish);
