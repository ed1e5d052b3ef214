#include "main/upgrade_check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/process.h"
#include "cluster/cluster.h"
#include "db/migrate.h"
#include "main/certificates.h"
#include "main/config_secrets.h"
#include "main/exit_code.h"
#include "main/handover.h"
#include "main/metrics_token.h"
#include "main/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHECK_MS = 60 * 1000, OUTPUT_BYTES = 1024, CANNOT_EXECUTE = 127 };

static int last_migration(void)
{
	return migrations[migration_count - 1].number;
}

/* Checks certificates and the token: otherwise the new program would find a fault only after
 * replacing the old one. */
static int check_files(const struct config *config, struct reason *reterr)
{
	uint8_t hash[METRICS_TOKEN_HASH_BYTES];
	struct config_secrets secrets;
	char name[HTTP_TLS_NAME_BYTES];
	struct region_map *shared;
	int64_t ends_at_s;
	int rc, fd = -1;

	if (config->metrics_token_file &&
	    metrics_token_load(config->metrics_token_file, hash, reterr) < 0)
		return -1;
	if (config_load_secrets(config, &secrets, reterr) < 0)
		return -1;
	sodium_memzero(&secrets, sizeof(secrets));
	if (config->tls_certificates.count == 0)
		return 0;
	shared = shared_create(config_worker_slots(config), &fd);
	if (!shared)
		return reason_set(reterr, "cannot map shared memory: %s", strerror(errno));
	rc = certificates_load(config, shared, name, &ends_at_s, reterr);
	region_map_destroy(shared);
	close(fd);
	return rc;
}

int upgrade_check_print(const struct config *config)
{
	char settings[CONFIG_FIXED_BYTES];
	struct cluster_error why;
	struct cluster cluster;
	struct reason reason;
	int rc = 0;

	if (!config->database) {
		rc = cluster_open(config->state_dir, &cluster, &why);
		cluster_close(&cluster);
	}
	if (rc < 0) {
		fprintf(stderr, "displayd: %s\n", why.text);
		return why.is_not_installed ? EXIT_NO_POSTGRESQL : EXIT_DATABASE;
	}
	if (check_files(config, &reason) < 0) {
		fprintf(stderr, "displayd: %s\n", reason.text);
		return EXIT_CONFIG;
	}
	config_hash_fixed(config, settings);
	printf("displayd-upgrade %s %d %d %s\n", DISPLAYD_VERSION, HANDOVER_VERSION,
	       last_migration(), settings);
	return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}

struct call {
	const char *program;
	char **arguments;
	int output_fd;
};

/* Runs in the child, which has this process's working folder and variables. */
static int execute(void *context)
{
	const struct call *call = context;
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(call->output_fd, STDOUT_FILENO) >= 0 && dup2(call->output_fd, STDERR_FILENO) >= 0)
		execv(call->program, call->arguments);
	dprintf(STDERR_FILENO, "cannot execute %s: %s\n", call->program, strerror(errno));
	_exit(CANNOT_EXECUTE);
}

int upgrade_check_start(struct upgrade_check *check, const char *program, int argc,
			char *const argv[])
{
	char *flag = memory_strdup("--check-upgrade");
	struct call call = {.program = program};
	struct process process = {.run = execute, .context = &call, .death_signal = SIGKILL};
	int ends[2];
	pid_t pid;

	call.arguments = memory_zalloc(((size_t)argc + 2) * sizeof(*call.arguments));
	memcpy(call.arguments, argv, (size_t)argc * sizeof(*argv));
	call.arguments[argc] = flag;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) {
		pid = -errno;
	} else {
		call.output_fd = ends[1];
		pid = process_start(&process);
		close(ends[1]);
		if (pid < 0)
			close(ends[0]);
	}
	free(call.arguments);
	free(flag);
	if (pid < 0)
		return (int)pid;
	*check = (struct upgrade_check){
	    .pid = pid, .output_fd = ends[0], .until_ms = clock_monotonic_ms() + CHECK_MS};
	return 0;
}

uint64_t upgrade_check_watch(const struct upgrade_check *check, uint64_t now_ms)
{
	if (check->pid == 0)
		return UINT64_MAX;
	if (now_ms < check->until_ms)
		return check->until_ms;
	kill(check->pid, SIGKILL);
	return now_ms + 1000;
}

/* Reads the end of its output: the result comes last, after any warnings.
 */
static void read_output(int fd, char ret_text[static OUTPUT_BYTES])
{
	enum { KEPT = OUTPUT_BYTES / 2 };
	size_t length = 0;
	ssize_t got;

	while ((got = read(fd, ret_text + length, OUTPUT_BYTES - 1 - length)) > 0) {
		length += (size_t)got;
		if (length < OUTPUT_BYTES - 1)
			continue;
		memmove(ret_text, ret_text + length - KEPT, KEPT);
		length = KEPT;
	}
	ret_text[length] = 0;
}

/* Returns the last line that is not empty. */
static struct str last_line(const char *text)
{
	struct str rest = str_from(text), line, last = {"", 0};

	while (str_next(&rest, '\n', &line))
		if (line.length > 0)
			last = line;
	return last;
}

/* version, handover, schema, settings: as printed by the new program. */
static enum upgrade_result compare(const struct config *config, int handover, int schema,
				   const char *settings, struct reason *reterr)
{
	char own[CONFIG_FIXED_BYTES];

	config_hash_fixed(config, own);
	if (schema < last_migration()) {
		reason_set(reterr,
			   "the database is at migration %d, and that program only knows %d: it "
			   "could not start",
			   last_migration(), schema);
		return UPGRADE_UNFIT;
	}
	if (schema > last_migration())
		reason_set(reterr, "the database must be migrated from %d to %d", last_migration(),
			   schema);
	else if (handover != HANDOVER_VERSION)
		reason_set(reterr, "the programs use different handover versions, %d and %d",
			   HANDOVER_VERSION, handover);
	else if (strcmp(settings, own) != 0)
		reason_set(reterr, "changed settings need a restart");
	else
		return UPGRADE_FITS;
	return UPGRADE_RESTARTS;
}

/* said: last line of its output; empty: none. */
static void report_failure(int status, struct str said, struct reason *reterr)
{
	if (WIFSIGNALED(status))
		reason_set(reterr, "the program was killed by signal %d during the check",
			   WTERMSIG(status));
	else if (WEXITSTATUS(status) == EXIT_DONE)
		reason_set(reterr, "the program is not a displayd that can take over: it did not "
				   "answer the check");
	else if (said.length == 0)
		reason_set(reterr,
			   "the program failed the check with exit status %d and no message",
			   WEXITSTATUS(status));
	else
		reason_set(reterr, "the program failed the check with exit status %d: %.*s",
			   WEXITSTATUS(status), STR_ARG(said));
}

enum upgrade_result upgrade_check_end(struct upgrade_check *check, int status,
				      const struct config *config, char ret_version[static 64],
				      struct reason *reterr)
{
	char output[OUTPUT_BYTES], settings[CONFIG_FIXED_BYTES];
	const char *line;
	int handover, schema;

	read_output(check->output_fd, output);
	close(check->output_fd);
	*check = (struct upgrade_check){.output_fd = -1};
	/* A sanitizer or a library may print something before. */
	line = strstr(output, "displayd-upgrade ");
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_DONE && line &&
	    /* Numbers too large for their type fit nothing. NOLINTNEXTLINE(cert-err34-c) */
	    sscanf(line, "displayd-upgrade %63s %d %d %64s", ret_version, &handover, &schema,
		   settings) == 4)
		return compare(config, handover, schema, settings, reterr);
	report_failure(status, last_line(output), reterr);
	return UPGRADE_UNFIT;
}
