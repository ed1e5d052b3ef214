#include "base/buffer.h"
#include "base/log.h"
#include "base/memory.h"
#include "db/cluster_private.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_BYTES_MAX = 64 * 1024 };

int cluster_fail(struct cluster_error *reterr, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reterr->text, sizeof(reterr->text), format, args);
	va_end(args);
	return -1;
}

/* From here on in the child: no malloc, no log. */
static bool drop_privileges(const struct cluster *cluster)
{
	if (!cluster->drops_privileges)
		return true;
	return setgroups(1, &cluster->gid) == 0 &&
	       setresgid(cluster->gid, cluster->gid, cluster->gid) == 0 &&
	       setresuid(cluster->uid, cluster->uid, cluster->uid) == 0;
}

static void reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Leaves 0 to 3 open and nothing else. The descriptors given are above 3. */
static bool set_descriptors(const struct cluster_program *program)
{
	int input = program->input_fd;

	if (input < 0)
		input = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (input < 0 || dup2(input, 0) < 0 || dup2(program->output_fd, 1) < 0 ||
	    dup2(program->output_fd, 2) < 0 || dup2(program->data_fd, 3) < 0)
		return false;
	return close_range(4, ~0U, 0) == 0;
}

_Noreturn static void run_child(const struct cluster *cluster,
				const struct cluster_program *program, pid_t parent)
{
	/* The user's own variables (PGDATA, PGOPTIONS, LC_ALL, ...) must not reach it. */
	static const char *const environment[] = {
	    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C",
	    "TZ=UTC", NULL};

	/* A session of its own: Ctrl-C in a terminal is for the supervisor, which then stops it in
	 * order. Its folder of work is "/": PostgreSQL 15 leaves it and comes back while it looks
	 * for its own programs, which it could not in a folder that its user may not walk to. */
	setsid();
	reset_signals();
	/* The kernel forgets the death signal when the user changes: set it after that. */
	if (!drop_privileges(cluster) ||
	    prctl(PR_SET_PDEATHSIG, (unsigned long)program->death_signal) < 0 ||
	    getppid() != parent || chdir("/") < 0 || !set_descriptors(program))
		_exit(126);
	umask(077);
	if (program->function)
		_exit(program->function());
	execve(program->arguments[0], (char *const *)program->arguments,
	       (char *const *)environment);
	_exit(127);
}

pid_t cluster_program_start(const struct cluster *cluster, const struct cluster_program *program)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0)
		run_child(cluster, program, parent);
	return pid;
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

/* The last line with "error" in it, else the last line: what a person wants to read. */
static struct str telling_line(struct str output)
{
	struct str line, telling = {0}, last = {0};

	while (output.data && str_next(&output, '\n', &line)) {
		if (line.length == 0)
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
	const char *name = program->arguments ? program->arguments[0] : "a helper of the database";
	struct str line = telling_line(output);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && line.length == 0)
		return cluster_fail(reterr, "cannot run %s", name);
	if (WIFSIGNALED(status))
		return cluster_fail(reterr, "%s was ended by signal %d", name, WTERMSIG(status));
	return cluster_fail(reterr, "%s failed: %.*s", name, STR_ARG(line));
}

/* Input is shorter than a pipe holds, so it can be written before anyone reads. */
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
	struct cluster_program piped = *program;
	struct buffer output = {0};
	int ends[2], status = 0, rc;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return cluster_fail(reterr, "cannot make a pipe: %s", strerror(errno));
	piped.output_fd = ends[1];
	piped.input_fd = pipe_with(input);
	piped.death_signal = SIGTERM;
	pid = cluster_program_start(cluster, &piped);
	close(ends[1]);
	if (piped.input_fd >= 0)
		close(piped.input_fd);
	if (pid < 0) {
		close(ends[0]);
		return cluster_fail(reterr, "cannot start a process: %s", strerror(-pid));
	}
	read_output(ends[0], &output);
	close(ends[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	rc = report_end(program, status, buffer_view(&output), reterr);
	buffer_finish(&output);
	return rc;
}
