#include "db/backup_run.h"
#include "base/log.h"
#include "base/memory.h"
#include "db/backup.h"
#include "db/hosts.h"
#include "db/result.h"
#include "db_private.h"
#include "loop/lane_threads.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* A backup gives way to all else, as pictures do (loop/lanes.c). */
enum { PIECE_BYTES = 64 * 1024, NICE = 10 };

struct backup_run {
	struct lane_job job;
	struct lane_threads *threads;
	struct db *db;
	struct backup_run_order order;
	bool is_under_way; /* the thread has the job */
	bool is_ended;	   /* free it as soon as the thread is done */
	char *url;

	/* Only for the thread while it has the job: */
	struct backup_dump dump;
	struct age_writer age;
	struct buffer piece;
	enum backup_run_state state;
};

static void append(void *context, const void *data, size_t size)
{
	struct backup_run *run = context;

	buffer_append(&run->piece, data, size);
}

static enum backup_run_state backup_run_fail(struct str why)
{
	log_error("backup", "backup for a download failed", LOG_STR("reason", why));
	return BACKUP_RUN_FAILED;
}

/* Takes the lock of backups, which ends with the connection. */
static enum backup_run_state take_lock(struct backup_run *run)
{
	PGresult *result = PQexec(run->dump.pg, "SELECT pg_try_advisory_lock(" BACKUP_LOCK_KEY ")");
	bool has_answer = PQresultStatus(result) == PGRES_TUPLES_OK;
	bool is_free = has_answer && PQgetvalue(result, 0, 0)[0] == 't';

	PQclear(result);
	if (!has_answer)
		return backup_run_fail(result_first_line(PQerrorMessage(run->dump.pg)));
	return is_free ? BACKUP_RUN_PIECE : BACKUP_RUN_BUSY;
}

static enum backup_run_state connect_and_begin(struct backup_run *run)
{
	const struct hosts_use use = HOSTS_USE_OF_PRIMARY("displayd backup");
	struct hosts_failure failure;
	enum backup_run_state state;

	run->dump.pg = hosts_connect_once(run->url, &use, run->db->settings.timeline, &failure);
	if (!run->dump.pg)
		return backup_run_fail(str_from(failure.words));
	state = take_lock(run);
	if (state != BACKUP_RUN_PIECE)
		return state;
	run->age.write = append;
	run->age.context = run;
	age_begin(&run->age, &run->order.key);
	sodium_memzero(&run->order.key, sizeof(run->order.key));
	run->dump.writer.write = age_write;
	run->dump.writer.context = &run->age;
	run->dump.key = run->order.own_key;
	backup_dump_begin(&run->dump);
	return BACKUP_RUN_PIECE;
}

static enum backup_run_state make_piece(struct backup_run *run)
{
	int rc = 1;

	while (rc > 0 && buffer_length(&run->piece) < PIECE_BYTES)
		rc = backup_dump_step(&run->dump);
	if (rc > 0)
		return BACKUP_RUN_PIECE;
	if (rc < 0)
		return backup_run_fail(run->dump.fault == BACKUP_STATEMENT
					   ? result_reason(run->dump.result)
					   : str_from(run->dump.why));
	age_finish(&run->age);
	return BACKUP_RUN_END;
}

static void on_thread(struct lane_job *job)
{
	struct backup_run *run = container_of(job, struct backup_run, job);

	if (!run->dump.pg)
		(void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	buffer_clear(&run->piece);
	if (!run->dump.pg)
		run->state = connect_and_begin(run);
	if (run->state == BACKUP_RUN_PIECE)
		run->state = make_piece(run);
}

static void free_run(struct backup_run *run)
{
	lane_threads_destroy(run->threads);
	backup_dump_end(&run->dump);
	PQfinish(run->dump.pg);
	buffer_finish(&run->piece);
	free(run->url);
	sodium_memzero(run, sizeof(*run));
	free(run);
}

static void on_done(struct loop *loop, struct lane_job *job)
{
	struct backup_run *run = container_of(job, struct backup_run, job);

	(void)loop;
	run->is_under_way = false;
	if (run->is_ended)
		free_run(run);
	else
		run->order.done(run->order.context);
}

void backup_run_more(struct backup_run *run)
{
	run->is_under_way = true;
	lane_threads_run(run->threads, &run->job);
}

struct backup_run *backup_run_start(struct db *db, const struct backup_run_order *order)
{
	struct backup_run *run = memory_zalloc(sizeof(*run));

	run->db = db;
	run->order = *order;
	run->url = memory_strdup(db->backup_url);
	run->threads = lane_threads_create(db->loop, 1, on_thread, on_done);
	backup_run_more(run);
	return run;
}

enum backup_run_state backup_run_take(struct backup_run *run, struct str *ret_piece)
{
	*ret_piece = buffer_view(&run->piece);
	return run->state;
}

void backup_run_end(struct backup_run *run)
{
	run->is_ended = true;
	if (!run->is_under_way)
		free_run(run);
}
