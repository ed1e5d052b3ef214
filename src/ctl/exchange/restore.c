#include "base/memory.h"
#include "cluster/upgrade.h"
#include "ctl/exchange/backup_tables.h"
#include "ctl/exchange/restore_steps.h"
#include "db/migrate.h"
#include "main/secret_key.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

struct restore_row {
	struct str made_at;
	int64_t schema;
	int64_t applied;
	int64_t rows;
	bool has_secret_key;
};

static const struct record_field fields[] = {
    RECORD_STR(struct restore_row, made_at, .name = "madeAt"),
    RECORD_INT(struct restore_row, schema, .name = "schema"),
    RECORD_INT(struct restore_row, applied, .name = "applied"),
    RECORD_INT(struct restore_row, rows, .name = "rows"),
    RECORD_BOOL(struct restore_row, has_secret_key, .name = "hasSecretKey"),
};
static const struct record record = RECORD(struct restore_row, fields);

/* ---- Ctrl-C: the restore fails, and removes what it has created ---- */

static volatile sig_atomic_t is_interrupted;
static PGcancel *volatile interruptible; /* cancels the running statement; NULL: none runs */

static void on_signal(int number)
{
	char ignored[256];

	is_interrupted = 1;
	cluster_upgrade_interrupt(number);
	if (interruptible)
		PQcancel(interruptible, ignored, sizeof(ignored));
}

static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	/* Without SA_RESTART, a signal ends a blocking read. */
	const struct sigaction action = {.sa_handler = on_signal};

	for (size_t i = 0; i < array_length(signals); i++) {
		struct sigaction before;

		/* nohup ignores SIGHUP. */
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

static ssize_t read_bytes(void *context, void *data, size_t size)
{
	const struct restore *restore = context;
	ssize_t length = -1;

	errno = EINTR;
	while (!is_interrupted && length < 0 && errno == EINTR)
		length = read(restore->fd, data, size);
	return length;
}

/* Checks the head of the backup, before anything is changed. */
static enum ctl_exit check_head(struct restore *restore)
{
	char expected[MIGRATE_DIGITS + 1];
	struct backup_frame frame;
	struct reason why;

	if (backup_open(&restore->reader, &why) < 0 ||
	    backup_read(&restore->reader, &frame, &why) < 0)
		return ctl_fail(CTL_REFUSED, "%s", why.text);
	if (frame.head.schema > migration_count)
		return ctl_fail(CTL_REFUSED,
				"the backup is from a newer displayd: it has migration %u, this "
				"program knows %zu",
				frame.head.schema, migration_count);
	migrate_fingerprint(frame.head.schema, expected);
	if (frame.head.schema == 0 || strcmp(frame.head.migrations, expected) != 0)
		return ctl_fail(CTL_REFUSED,
				"the backup is from another displayd: its first %u migrations "
				"differ from those of this program",
				frame.head.schema);
	restore->schema = frame.head.schema;
	restore->made_at = arena_copy(&restore->ctl->arena, frame.head.made_at);
	return CTL_DONE;
}

/* Prepares the backup's key for secret settings. With --secret-key-file it must be the same key,
 * else the settings could not be read. */
static enum ctl_exit prepare_key(const struct restore *restore)
{
	const struct config *config = &restore->ctl->config;
	struct settings_key own;
	struct reason why;
	bool is_same;

	if (!restore->has_key)
		return CTL_DONE;
	if (!config->secret_key_file)
		return secret_key_prepare(config->state_dir, &restore->key, &why) < 0
			   ? ctl_fail(CTL_FAILED, "%s", why.text)
			   : CTL_DONE;
	if (secret_key_find(config->state_dir, config->secret_key_file, &own, &why) < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	is_same = sodium_memcmp(own.bytes, restore->key.bytes, sizeof(own.bytes)) == 0;
	sodium_memzero(&own, sizeof(own));
	if (is_same)
		return CTL_DONE;
	return ctl_fail(CTL_REFUSED,
			"the key of --secret-key-file differs from the backup's, so secret "
			"settings would be unreadable; restore without that option");
}

/* Commits the rows, and puts the key in place at once. No server can start in between. */
static enum ctl_exit commit_rows_and_key(const struct restore *restore)
{
	const struct config *config = &restore->ctl->config;
	bool puts_key = restore->has_key && !config->secret_key_file;
	struct reason why;
	enum ctl_exit code = prepare_key(restore);

	if (code == CTL_DONE)
		code = backup_run(restore->ctl, "COMMIT");
	if (code != CTL_DONE) {
		/* After a lost connection the rows may be committed, so keep the key. */
		if (puts_key && PQstatus(restore->ctl->connection) == CONNECTION_OK)
			secret_key_drop(config->state_dir);
		return code;
	}
	/* Remove the key of an earlier, interrupted restore: its rows are gone now. */
	if (!puts_key)
		secret_key_drop(config->state_dir);
	else if (secret_key_replace(config->state_dir, &why) < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	return CTL_DONE;
}

/* Commits with signals blocked: one that comes meanwhile acts afterwards. */
static enum ctl_exit commit(const struct restore *restore)
{
	enum ctl_exit code;
	sigset_t signals, before;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &before);
	code = commit_rows_and_key(restore);
	sigprocmask(SIG_SETMASK, &before, NULL);
	/* Update statistics for the query planner. A failure is ignored: PostgreSQL does this later
	 * by itself. */
	if (code == CTL_DONE)
		PQclear(PQexec(restore->ctl->connection, "ANALYZE"));
	return code;
}

static enum ctl_exit run_steps(struct ctl *ctl, struct restore *restore)
{
	static const char begin[] =
	    "SET client_min_messages = error; SET statement_timeout = 0; "
	    "SET idle_in_transaction_session_timeout = 0; SET lock_timeout = '30s'; "
	    "BEGIN; SELECT pg_advisory_xact_lock(" MIGRATE_LOCK_KEY ")";
	struct migrate_error why;
	enum ctl_exit code = backup_run(ctl, begin);

	if (code == CTL_DONE)
		code = restore_make_empty(ctl);
	if (code == CTL_DONE && migrate_within(ctl->connection, restore->schema, &why) < 0)
		code = ctl_fail(CTL_FAILED, "%s", why.text);
	if (code == CTL_DONE)
		code = restore_load(restore);
	if (code == CTL_DONE &&
	    migrate_within(ctl->connection, (unsigned)migration_count, &why) < 0)
		code = ctl_fail(CTL_FAILED, "%s", why.text);
	return code == CTL_DONE ? commit(restore) : code;
}

static enum ctl_exit run(struct ctl *ctl, void *context)
{
	PGcancel *cancel = PQgetCancel(ctl->connection);
	enum ctl_exit code;

	interruptible = cancel;
	code = run_steps(ctl, context);
	interruptible = NULL;
	PQfreeCancel(cancel);
	/* Remove the key: the caller removes the new database after this failure. */
	if (code != CTL_DONE && ctl->cluster.is_new)
		secret_key_drop(ctl->config.state_dir);
	return code;
}

static enum ctl_exit restore_from(struct restore *restore)
{
	struct ctl *ctl = restore->ctl;
	struct restore_row row;
	enum ctl_exit code = check_head(restore);

	catch_signals();
	if (code == CTL_DONE)
		code = ctl_with_database(ctl, /* alone= */ true, run, restore);
	sodium_memzero(&restore->key, sizeof(restore->key));
	if (code != CTL_DONE)
		return is_interrupted ? CTL_FAILED : code;
	row = (struct restore_row){.made_at = restore->made_at,
				   .schema = restore->schema,
				   .applied = (int64_t)migration_count - restore->schema,
				   .rows = (int64_t)restore->rows,
				   .has_secret_key = restore->has_key};
	return ctl_print_row(ctl, &record, &row);
}

enum ctl_exit ctl_restore(struct ctl *ctl)
{
	struct restore restore = {.ctl = ctl};
	const char *path = ctl->positionals[0].data;
	enum ctl_exit code;

	restore.reader.read = read_bytes;
	restore.reader.context = &restore;
	restore.fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (restore.fd < 0)
		return ctl_fail(errno == ENOENT ? CTL_NOT_FOUND : CTL_FAILED, "cannot read %s: %s",
				path, strerror(errno));
	code = restore_from(&restore);
	if (restore.fd != STDIN_FILENO)
		close(restore.fd);
	return code;
}
