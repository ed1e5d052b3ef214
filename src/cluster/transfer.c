#include "transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONNECTIONS = 20, COPY_BYTES = 64 * 1024 };

/* A folder that PostgreSQL's user can walk to: pg_upgrade has its sockets there, and its programs
 * return to it. DIR may lead through closed folders, or be too long for a socket's address. */
static const char work_template[] = "/tmp/displayd-upgrade-XXXXXX";

int cluster_start_apart(struct cluster *cluster, struct cluster_error *reterr)
{
	struct process as = {.user = cluster_user(cluster),
			     .gives_up_rights = true,
			     .death_signal = CLUSTER_STOP_SIGNAL};

	if (cluster_spawn(cluster, &as, CONNECTIONS, reterr) < 0)
		return -1;
	return cluster_wait(cluster, reterr);
}

/* ---- pg_upgrade ---- */

/* Runs as the cluster's user, in whose folder root does not follow names. */
static int empty_work(void *none)
{
	(void)none;
	return cluster_remove_contents(".") == 0 ? 0 : 1;
}

static void remove_work(const struct cluster_pair *pair, const char *path)
{
	struct cluster_program program = {
	    .function = empty_work, .folder = path, .data_fd = pair->to_fd};
	struct cluster_error ignored;

	/* Leave the rest in /tmp if this fails: it is small and harmless. */
	if (cluster_program_run(pair->to, &program, NULL, &ignored) == 0)
		rmdir(path);
}

static bool make_work(const struct cluster_pair *pair, char path[static sizeof(work_template)],
		      struct cluster_error *reterr)
{
	const struct process_user *user = cluster_user(pair->to);

	memcpy(path, work_template, sizeof(work_template));
	if (mkdtemp(path) && (!user || lchown(path, user->uid, user->gid) == 0))
		return true;
	cluster_fail(reterr, "cannot create a directory in /tmp: %s", strerror(errno));
	return false;
}

static int call_pg_upgrade(const struct cluster_pair *pair, const char *work, bool is_check,
			   struct cluster_error *reterr)
{
	char program_path[300];
	const char *const arguments[] = {program_path,
					 "--old-bindir",
					 pair->from->programs,
					 "--new-bindir",
					 pair->to->programs,
					 "--old-datadir",
					 CLUSTER_DATA_PATH,
					 "--new-datadir",
					 CLUSTER_OTHER_PATH,
					 "--username",
					 "displayd",
					 "--socketdir",
					 work,
					 is_check ? "--check" : NULL,
					 NULL};
	struct cluster_program program = {.arguments = arguments,
					  .folder = work,
					  .data_fd = pair->from_fd,
					  .other_fd = pair->to_fd};

	snprintf(program_path, sizeof(program_path), "%s/pg_upgrade", pair->to->programs);
	return cluster_program_run(pair->to, &program, NULL, reterr);
}

int cluster_run_pg_upgrade(const struct cluster_pair *pair, struct cluster_error *reterr)
{
	char work[sizeof(work_template)];
	int rc;

	if (!cluster_has_program(pair->to, "pg_upgrade"))
		return cluster_fail(reterr, "%s/pg_upgrade is missing", pair->to->programs);
	if (!make_work(pair, work, reterr))
		return -1;
	rc = call_pg_upgrade(pair, work, /* is_check= */ true, reterr);
	if (rc == 0)
		rc = call_pg_upgrade(pair, work, /* is_check= */ false, reterr);
	remove_work(pair, work);
	return rc;
}

/* ---- dump and restore ---- */

struct dump {
	const char *programs;
	unsigned from_port;
	unsigned to_port;
};

static const char *const environment[] = {
    "PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC",
    /* The stop writes everything; before that the new cluster is not used. */
    "PGOPTIONS=-c synchronous_commit=off", NULL};

/* The folder of the sockets is the descriptor 3. */
static pid_t start_client(const char *const *arguments, int input_fd, int output_fd)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	signal(SIGPIPE, SIG_DFL);
	dup2(input_fd, STDIN_FILENO);
	dup2(output_fd, STDOUT_FILENO);
	/* All except the standard streams and the sockets' folder. */
	close_range(4, ~0U, 0);
	execve(arguments[0], (char *const *)arguments, (char *const *)environment);
	dprintf(STDERR_FILENO, "error: cannot run %s: %s\n", arguments[0], strerror(errno));
	_exit(127);
}

static pid_t start_dump(const struct dump *dump, int output_fd)
{
	char path[300], port[16];
	const char *const arguments[] = {
	    path,	"--no-password", "--host", CLUSTER_DATA_PATH, "-p", port, "-U",
	    "displayd", "--no-sync",	 NULL};

	snprintf(path, sizeof(path), "%s/pg_dumpall", dump->programs);
	snprintf(port, sizeof(port), "%u", dump->from_port);
	return start_client(arguments, STDIN_FILENO, output_fd);
}

static pid_t start_restore(const struct dump *dump, int input_fd)
{
	char path[300], port[16];
	const char *const arguments[] = {path,
					 "--no-psqlrc",
					 "--no-password",
					 "--quiet",
					 "-v",
					 "ON_ERROR_STOP=1",
					 "-o",
					 "/dev/null",
					 "--host",
					 CLUSTER_DATA_PATH,
					 "-p",
					 port,
					 "-U",
					 "displayd",
					 "-d",
					 "postgres",
					 NULL};

	snprintf(path, sizeof(path), "%s/psql", dump->programs);
	snprintf(port, sizeof(port), "%u", dump->to_port);
	return start_client(arguments, input_fd, STDOUT_FILENO);
}

/* Relays the roles, which come before the first database, except the role that initdb made. */
static bool relay_roles(FILE *from, FILE *to)
{
	size_t size = 0;
	char *line = NULL;
	bool is_done = true, is_over = false;

	while (is_done && !is_over && getline(&line, &size, from) > 0) {
		is_over = strncmp(line, "\\connect ", 9) == 0;
		if (strcmp(line, "CREATE ROLE displayd;\n") != 0)
			is_done = fputs(line, to) >= 0;
	}
	free(line);
	return is_done;
}

static bool relay(int from_fd, int to_fd)
{
	FILE *from = fdopen(from_fd, "r"), *to = fdopen(to_fd, "w");
	char data[COPY_BYTES];
	size_t length;
	bool is_done = from && to && relay_roles(from, to);

	while (is_done && (length = fread(data, 1, sizeof(data), from)) > 0)
		is_done = fwrite(data, 1, length, to) == length;
	if (from)
		fclose(from);
	if (to && fclose(to) != 0)
		is_done = false;
	return is_done;
}

static bool has_succeeded(pid_t pid)
{
	int status = 0;

	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Runs in a child, as the cluster's user. The caller reads the programs' stderr. */
static int dump_and_restore(void *context)
{
	const struct dump *dump = context;
	int out[2], in[2];
	pid_t dumper, restorer;
	bool is_relayed, is_dumped;

	/* Ignore SIGPIPE: psql reports why it has ended. */
	signal(SIGPIPE, SIG_IGN);
	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(in, O_CLOEXEC) < 0)
		return 1;
	dumper = start_dump(dump, out[1]);
	restorer = start_restore(dump, in[0]);
	close(out[1]);
	close(in[0]);
	is_relayed = relay(out[0], in[1]);
	is_dumped = has_succeeded(dumper);
	return has_succeeded(restorer) && is_dumped && is_relayed ? 0 : 1;
}

static int copy_rows(const struct cluster_pair *pair, struct cluster_error *reterr)
{
	struct dump dump = {pair->to->programs, pair->from->port, pair->to->port};
	struct cluster_program program = {
	    .function = dump_and_restore, .context = &dump, .data_fd = pair->to->socket_fd};
	static const char *const needed[] = {"pg_dumpall", "pg_dump", "psql"};

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (!cluster_has_program(pair->to, needed[i]))
			return cluster_fail(reterr, "%s/%s is missing", pair->to->programs,
					    needed[i]);
	return cluster_program_run(pair->to, &program, NULL, reterr);
}

int cluster_run_dump(struct cluster_pair *pair, struct cluster_error *reterr)
{
	int rc = cluster_start_apart(pair->from, reterr);

	if (rc < 0)
		return -1;
	rc = cluster_start_apart(pair->to, reterr);
	if (rc == 0) {
		rc = copy_rows(pair, reterr);
		cluster_stop(pair->to);
	}
	cluster_stop(pair->from);
	return rc;
}
