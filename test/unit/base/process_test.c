/* Our own processes and programs: what they inherit, what they do not inherit, and how they end. */
#include "../cmocka_test.h"
#include "base/memory.h"
#include "base/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int wait_for(pid_t pid)
{
	int status;

	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void assert_exits(const struct process *process, int code)
{
	int status = wait_for(process_start(process));

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), code);
}

static int give(void *context)
{
	return *(int *)context;
}

TEST(a_functions_result_is_the_exit_code)
{
	int code = 42;

	assert_exits(&(struct process){.run = give, .context = &code}, 42);
	assert_exits(&(struct process){.run = give, .context = &code, .is_apart = true}, 42);
}

TEST(a_program_runs_with_its_own_variables)
{
	static const char *const arguments[] = {
	    "/bin/sh", "-c", "test \"$A$HOME\" = b && test \"$0\" = zero", "zero", NULL};
	static const char *const environment[] = {"A=b", NULL};
	static const char *const missing[] = {"/nonexistent/program", NULL};

	setenv("HOME", "/root", 1);
	assert_exits(&(struct process){.arguments = arguments, .environment = environment}, 0);
	assert_exits(&(struct process){.arguments = missing, .environment = environment}, 127);
}

static void take_signal(int number)
{
	(void)number;
}

/* Sends the signal before the child has forgotten its parent's handlers. */
TEST(a_signal_at_once_is_not_lost)
{
	static const char *const arguments[] = {"/bin/sleep", "20", NULL};
	static const char *const environment[] = {NULL};
	const int fds[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
	const struct process process = {.arguments = arguments,
					.environment = environment,
					.is_apart = true,
					.fds = fds,
					.fd_count = array_length(fds)};

	signal(SIGTERM, take_signal);
	for (int i = 0; i < 20; i++) {
		pid_t pid = process_start(&process);
		int status;

		assert_true(pid > 0);
		kill(pid, SIGTERM);
		status = wait_for(pid);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGTERM);
	}
	signal(SIGTERM, SIG_DFL);
}

static int check_limits(void *context)
{
	const rlim_t *wanted = context;
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == *wanted &&
		       limit.rlim_max == *wanted
		   ? 0
		   : 1;
}

TEST(limits_are_set_in_the_child_alone)
{
	struct process_limit limits[] = {{RLIMIT_CORE, 0}, {RLIMIT_NOFILE, 77}};
	struct process process = {.run = check_limits, .limits = limits, .limit_count = 2};
	struct rlimit before, after;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	process.context = &limits[1].value;
	assert_exits(&process, 0);
	limits[1].value = RLIM_INFINITY; /* as much as allowed */
	process.context = &before.rlim_max;
	assert_exits(&process, 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &after), 0);
	assert_int_equal(after.rlim_cur, before.rlim_cur);
}

static int check_user(void *context)
{
	const struct process_user *user = context;
	gid_t groups[8];

	return getuid() == user->uid && geteuid() == user->uid && getgid() == user->gid &&
		       getgroups(8, groups) == 1 && groups[0] == user->gid
		   ? 0
		   : 1;
}

TEST(becomes_another_user)
{
	struct process_user user = {.uid = 65534, .gid = 65533};

	if (geteuid() != 0)
		skip();
	assert_exits(
	    &(struct process){.run = check_user, .context = &user, .user = &user, .is_apart = true},
	    0);
	assert_int_equal(geteuid(), 0);
}

TEST(a_user_that_it_cannot_become)
{
	struct process_user nobody = {.uid = 65534, .gid = 65534}, root = {.uid = 0, .gid = 0};
	struct process process = {.run = check_user, .context = &root, .user = &root};
	pid_t child;

	if (geteuid() != 0)
		skip();
	child = fork();
	if (child == 0) {
		if (setresuid(nobody.uid, nobody.uid, nobody.uid) < 0)
			_exit(2);
		_exit(WEXITSTATUS(wait_for(process_start(&process))));
	}
	assert_int_equal(WEXITSTATUS(wait_for(child)), 126);
}

static int check_rights(void *context)
{
	const struct process_user *user = context;
	char line[128];
	bool is_clean = true;
	FILE *status = fopen("/proc/self/status", "re");

	while (status && fgets(line, sizeof(line), status)) {
		if (strncmp(line, "CapPrm:", 7) == 0 || strncmp(line, "CapEff:", 7) == 0 ||
		    strncmp(line, "CapInh:", 7) == 0)
			is_clean &= strtoull(line + 7, NULL, 16) == 0;
		if (strncmp(line, "NoNewPrivs:", 11) == 0)
			is_clean &= strtol(line + 11, NULL, 10) == 1;
	}
	if (status)
		fclose(status);
	/* No user can become root again, and root without capabilities cannot change its user. */
	is_clean &= setuid(user->uid == 0 ? 65534 : 0) < 0;
	return status && is_clean && geteuid() == user->uid ? 0 : 1;
}

TEST(gives_up_its_rights)
{
	struct process_user users[] = {
	    {.uid = 65534, .gid = 65534}, {.uid = 0, .gid = 65534}, {.uid = geteuid(), .gid = 0}};
	bool is_root = geteuid() == 0;

	for (size_t i = is_root ? 0 : 2; i < 3; i++)
		assert_exits(&(struct process){.run = check_rights,
					       .context = &users[i],
					       .user = is_root ? &users[i] : NULL,
					       .gives_up_rights = true},
			     0);
	/* The rights of this process are unchanged. */
	if (is_root)
		assert_int_equal(setegid(65534) | setegid(0), 0);
}

static unsigned count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned count = 0;

	if (!folder)
		return 0;
	while (readdir(folder))
		count++;
	closedir(folder);
	return count - 3; /* ".", "..", the folder itself */
}

/* Checks that the files of 0 and 1 are swapped, and nothing else is open. */
static int check_apart(void *context)
{
	const struct stat *wanted = context;
	struct stat got[2];
	struct sigaction action;
	sigset_t blocked;
	char folder[8];

	if (fstat(0, &got[0]) < 0 || fstat(1, &got[1]) < 0 || count_descriptors() != 2)
		return 1;
	if (got[0].st_ino != wanted[1].st_ino || got[1].st_ino != wanted[0].st_ino)
		return 2;
	if (getsid(0) != getpid() || !getcwd(folder, sizeof(folder)) || strcmp(folder, "/") != 0)
		return 3;
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	sigaction(SIGHUP, NULL, &action);
	return sigismember(&blocked, SIGUSR1) || action.sa_handler != SIG_DFL ? 4 : 0;
}

static int start_apart(void *context)
{
	int fds[] = {1, 0}, ends[2];
	struct stat wanted[2];
	struct process process = {
	    .run = check_apart, .context = wanted, .is_apart = true, .fds = fds, .fd_count = 2};
	sigset_t blocked;

	(void)context;
	if (pipe(ends) < 0 || dup2(ends[0], 0) < 0 || dup2(ends[1], 1) < 0 ||
	    dup2(open("/dev/null", O_RDONLY), 0) < 0 || fstat(0, &wanted[0]) < 0 ||
	    fstat(1, &wanted[1]) < 0)
		return 9;
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	return WEXITSTATUS(wait_for(process_start(&process)));
}

TEST(apart_means_with_what_it_is_given)
{
	assert_exits(&(struct process){.run = start_apart}, 0);
}

/* Waits for ever with the pipe's end open. */
static int linger(void *context)
{
	(void)context;
	while (pause() < 0)
		;
	return 0;
}

static int leave_one_behind(void *context)
{
	return process_start(&(struct process){
		   .run = linger, .context = context, .death_signal = SIGKILL}) > 0
		   ? 0
		   : 1;
}

TEST(ends_with_its_parent)
{
	int ends[2];
	char byte;

	assert_int_equal(pipe(ends), 0);
	assert_exits(&(struct process){.run = leave_one_behind}, 0);
	/* The remaining process is the last one that has the pipe for writing. */
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

TEST(a_guard_ends_as_what_it_guards)
{
	static const char *const exits[] = {"/bin/sh", "-c", "exit 42", NULL};
	static const char *const dies[] = {"/bin/sh", "-c", "kill -SEGV $$", NULL};
	static const char *const none[] = {NULL};
	struct process process = {.arguments = exits,
				  .environment = none,
				  .death_signal = SIGTERM,
				  .is_apart = true,
				  .is_guarded = true};
	int status;

	assert_exits(&process, 42);
	process.arguments = dies;
	status = wait_for(process_start(&process));
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
}

/* A program and a child of its own, both with the pipe's end as descriptor 0. */
static pid_t start_family(int pipe_fd)
{
	static const char *const arguments[] = {
	    "/bin/sh", "-c", "trap '' TERM; (sleep 10000; :) & echo >&0; wait", NULL};
	static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};

	return process_start(&(struct process){.arguments = arguments,
					       .environment = environment,
					       .death_signal = SIGTERM,
					       .is_apart = true,
					       .is_guarded = true,
					       .fds = &pipe_fd,
					       .fd_count = 1});
}

static int leave_a_family_behind(void *context)
{
	int *ends = context;
	char byte;

	/* once it has started its child */
	return start_family(ends[1]) > 0 && read(ends[0], &byte, 1) == 1 ? 0 : 1;
}

TEST(what_is_guarded_ends_with_its_parent)
{
	int ends[2];
	char byte;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_exits(&(struct process){.run = leave_a_family_behind, .context = ends}, 0);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

TEST(what_is_guarded_ends_by_its_death_signal)
{
	int ends[2], status;
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = start_family(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[1]);
	kill(pid, SIGTERM);
	status = wait_for(pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

RUN_TESTS(NULL, NULL)
