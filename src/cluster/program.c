#include "base/buffer.h"
#include "base/log.h"
#include "base/memory.h"
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_BYTES_MAX = 64 * 1024 };

/* Process ID of the running program; 0: none. */
static volatile sig_atomic_t running;
static volatile sig_atomic_t is_interrupted;

const struct process_user *cluster_user(const struct cluster *cluster)
{
	return cluster->drops_privileges ? &cluster->user : NULL;
}

int cluster_fail(struct cluster_error *reterr, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reterr->text, sizeof(reterr->text), format, args);
	va_end(args);
	reterr->is_not_installed = false;
	return -1;
}

pid_t cluster_program_start(const struct cluster_program *program, const struct process *as)
{
	/* The caller's own variables (PGDATA, PGOPTIONS, LC_ALL, ...) must not reach the program.
	 */
	static const char *const environment[] = {
	    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C",
	    "TZ=UTC", NULL};
	int input_fd =
	    program->input_fd < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : program->input_fd;
	const int fds[] = {input_fd, program->output_fd, program->output_fd, program->data_fd,
			   program->other_fd};
	struct process process = *as;
	pid_t pid = -errno;

	process.arguments = program->arguments;
	process.environment = environment;
	process.run = program->function;
	process.context = program->context;
	/* Setting is_apart also leaves this process's working directory: PostgreSQL 15 changes its
	 * directory and back while it looks for its own programs, and cannot return to a directory
	 * that its user may not walk to. */
	process.is_apart = true;
	process.fds = fds;
	process.fd_count = program->other_fd ? array_length(fds) : array_length(fds) - 1;
	process.folder = program->folder;
	if (input_fd >= 0)
		pid = process_start(&process);
	if (program->input_fd < 0 && input_fd >= 0)
		close(input_fd);
	return pid;
}

void cluster_program_interrupt(void)
{
	int error = errno;

	is_interrupted = 1;
	if (running > 0)
		kill((pid_t)running, SIGTERM);
	errno = error;
}

bool cluster_program_is_interrupted(void)
{
	return is_interrupted;
}

void cluster_program_reset(void)
{
	is_interrupted = 0;
}

static void read_output(int fd, struct buffer *output)
{
	for (;;) {
		char chunk[4096];
		ssize_t got = read(fd, chunk, sizeof(chunk));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return;
		if (buffer_length(output) < OUTPUT_BYTES_MAX)
			buffer_append(output, chunk, (size_t)got);
	}
}

/* Returns the most useful line: the last one with "error" or "fatal" in it, else the last.
 */
static struct str telling_line(struct str output)
{
	struct str line, telling = {0}, last = {0};

	while (output.data && str_next(&output, '\n', &line)) {
		/* Skip the last line of pg_upgrade, which follows the reason. */
		if (line.length == 0 || str_equal(line, STR("Failure, exiting")))
			continue;
		last = line;
		for (size_t i = 0; i + 5 <= line.length; i++)
			if (strncasecmp(line.data + i, "error", 5) == 0 ||
			    strncasecmp(line.data + i, "fatal", 5) == 0)
				telling = line;
	}
	return telling.data ? telling : last;
}

static int report_end(const struct cluster_program *program, int status, struct str output,
		      struct cluster_error *reterr)
{
	const char *name = program->arguments ? program->arguments[0] : "a database helper";
	struct str line = telling_line(output);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && line.length == 0)
		return cluster_fail(reterr, "cannot run %s", name);
	if (is_interrupted)
		return cluster_fail(reterr, "interrupted");
	if (WIFSIGNALED(status))
		return cluster_fail(reterr, "%s was killed by signal %d", name, WTERMSIG(status));
	if (line.length == 0)
		return cluster_fail(reterr, "%s failed with exit status %d", name,
				    WEXITSTATUS(status));
	return cluster_fail(reterr, "%s failed: %.*s", name, STR_ARG(line));
}

/* Makes a pipe that holds the whole input, which is shorter than a pipe's buffer. Returns its
 * reading end.
 */
static int pipe_with(const char *input)
{
	int ends[2];

	if (!input)
		return -1;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	if (write(ends[1], input, strlen(input)) < 0)
		log_warn("cluster", "cannot write to a pipe");
	close(ends[1]);
	return ends[0];
}

int cluster_program_run(const struct cluster *cluster, const struct cluster_program *program,
			const char *input, struct cluster_error *reterr)
{
	/* initdb runs PostgreSQL, which must not go on writing when initdb is interrupted. */
	const struct process as = {
	    .user = cluster_user(cluster),
	    .gives_up_rights = true,
	    .death_signal = SIGTERM,
	    .is_guarded = true,
	};
	struct cluster_program piped = *program;
	struct buffer output = {0};
	int ends[2], status = 0, rc;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return cluster_fail(reterr, "cannot create a pipe: %s", strerror(errno));
	piped.output_fd = ends[1];
	piped.input_fd = pipe_with(input);
	pid = cluster_program_start(&piped, &as);
	close(ends[1]);
	if (piped.input_fd >= 0)
		close(piped.input_fd);
	if (pid < 0) {
		close(ends[0]);
		return cluster_fail(reterr, "cannot start a process: %s", strerror(-pid));
	}
	running = pid;
	/* The signal may have come earlier. */
	if (is_interrupted)
		kill(pid, SIGTERM);
	read_output(ends[0], &output);
	close(ends[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	running = 0;
	rc = report_end(program, status, buffer_view(&output), reterr);
	buffer_finish(&output);
	return rc;
}
