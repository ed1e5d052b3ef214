#include "base/users.h"
#include "db/result.h"
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

enum { IDENT_BYTES = 2048, /* and of the other files */ DATA_FD = 3 };

static const char hba[] = "# displayd writes this file at each start.\n"
			  "local all all peer map=displayd\n";

/* PostgreSQL's settings, written at each start so that a later displayd brings its own. Settings in
 * the cluster's own file count if this one does not set them; those of ALTER SYSTEM override
 * both. */
static const char settings[] =
    "# displayd writes this file at each start.\n"
    "include_if_exists = 'postgresql.conf'\n"
    "unix_socket_directories = '../socket'\n"
    "unix_socket_permissions = 0770\n"
    "shared_buffers = 64MB\n"
    "max_wal_size = 256MB\n"
    /* Flash wears out: with little load, each checkpoint causes a full-page write of each block
     * that changes after it, and WAL for replicas gets a record of running transactions every 15 s.
     * max_wal_size bounds the time of recovery after a crash. */
    "checkpoint_timeout = 6h\n"
    /* Asynchronous commits (when panels were last seen) are written together. */
    "wal_writer_delay = 2s\n"
    /* If 20 panels poll, the times when panels were last seen change 50 times a minute; statistics
     * would be written as often. */
    "autovacuum_vacuum_threshold = 500\n"
    "autovacuum_analyze_threshold = 500\n"
    "wal_level = minimal\n"
    "max_wal_senders = 0\n"
    "archive_mode = off\n"
    /* Sync the file system with one call instead of a thousand files with one each. */
    "recovery_init_sync_method = syncfs\n"
    "max_parallel_workers_per_gather = 0\n"
    "max_logical_replication_workers = 0\n"
    "jit = off\n"
    "timezone = 'UTC'\n"
    /* Log only messages about the server: a statement's error goes to the client that sent it. */
    "logging_collector = off\n"
    "log_destination = 'stderr'\n"
    "log_line_prefix = ''\n"
    "log_error_verbosity = terse\n"
    "log_min_messages = log\n"
    "log_min_error_statement = panic\n"
    "log_checkpoints = off\n";

/* A superuser can run programs on the server. pg_write_all_data excludes system tables, so that the
 * workers' role cannot become superuser. */
static const char admit[] =
    "DO $$ BEGIN "
    "IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'displayd_worker') THEN "
    "CREATE ROLE displayd_worker LOGIN; "
    "GRANT pg_read_all_data, pg_write_all_data TO displayd_worker; "
    "END IF; END $$";

static bool add_line(char text[static IDENT_BYTES], const char *user, const char *role)
{
	size_t length = strlen(text);

	return snprintf(text + length, IDENT_BYTES - length, "displayd \"%s\" %s\n", user, role) <
	       (int)(IDENT_BYTES - length);
}

/* Maps the operating system's users to the database's roles. */
static bool write_ident(const struct cluster *cluster, bool for_upgrade,
			char text[static IDENT_BYTES])
{
	const struct passwd *own =
	    cluster->drops_privileges && !for_upgrade ? NULL : getpwuid(cluster->user.uid);

	snprintf(text, IDENT_BYTES, "# displayd writes this file at each start.\n");
	if (!add_line(text, "root", "displayd") || !add_line(text, "root", "displayd_worker"))
		return false;
	if (cluster->drops_privileges && !for_upgrade)
		return add_line(text, USERS_WORKER, "displayd_worker");
	return own && !strpbrk(own->pw_name, "\"\n") && add_line(text, own->pw_name, "displayd") &&
	       add_line(text, own->pw_name, "displayd_worker");
}

static bool holds(const char *name, const char *text)
{
	char found[IDENT_BYTES + 1];
	int fd = openat(DATA_FD, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, found, sizeof(found));

	if (fd >= 0)
		close(fd);
	return length == (ssize_t)strlen(text) && memcmp(found, text, (size_t)length) == 0;
}

/* Replaces the file atomically. */
static bool write_file(const char *name, const char *text)
{
	static const char fresh[] = "displayd.new";
	size_t length = strlen(text);
	bool is_done;
	int fd;

	if (holds(name, text))
		return true;
	fd = openat(DATA_FD, fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	is_done = fd >= 0 && write(fd, text, length) == (ssize_t)length && fsync(fd) == 0 &&
		  renameat(DATA_FD, fresh, DATA_FD, name) == 0;
	if (!is_done)
		/* The caller reads it. */
		dprintf(STDERR_FILENO, "cannot write %s: %s\n", name, strerror(errno));
	if (fd >= 0)
		close(fd);
	return is_done;
}

/* Runs in a child with the rights of the cluster's user, as these are that user's files. */
static int write_files(void *context)
{
	return write_file("pg_hba.conf", hba) && write_file("pg_ident.conf", context) &&
		       write_file(CLUSTER_SETTINGS, settings)
		   ? 0
		   : 1;
}

int cluster_write_access(const struct cluster *cluster, int data_fd, bool for_upgrade,
			 struct cluster_error *reterr)
{
	char ident[IDENT_BYTES];
	struct cluster_program program = {
	    .function = write_files, .context = ident, .data_fd = data_fd};

	if (!write_ident(cluster, for_upgrade, ident))
		return cluster_fail(reterr,
				    "the user that runs PostgreSQL (uid %u) has no name, and the "
				    "private database identifies users by name",
				    (unsigned)cluster->user.uid);
	return cluster_program_run(cluster, &program, NULL, reterr);
}

int cluster_admit_workers(struct pg_conn *pg, struct cluster_error *reterr)
{
	PGresult *result = PQexec(pg, admit);
	int rc = 0;

	if (PQresultStatus(result) != PGRES_COMMAND_OK)
		rc = cluster_fail(reterr, "cannot create the workers' role in the database: %.*s",
				  STR_ARG(result_first_line(PQerrorMessage(pg))));
	PQclear(result);
	return rc;
}
