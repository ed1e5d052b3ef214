#include "base/process.h"
#include "base/priority.h"
#include "base/require.h"
#include "base/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT_PREPARE = 126, CANNOT_EXECUTE = 127 };

static bool set_limits(const struct process *process)
{
	for (unsigned i = 0; i < process->limit_count; i++) {
		const struct process_limit *wanted = &process->limits[i];
		struct rlimit limit;

		if (getrlimit(wanted->resource, &limit) < 0)
			return false;
		if (wanted->value < limit.rlim_max)
			limit.rlim_max = wanted->value;
		limit.rlim_cur = limit.rlim_max;
		if (setrlimit(wanted->resource, &limit) < 0)
			return false;
	}
	return true;
}

static bool set_user(const struct process_user *user)
{
	return !user ||
	       (setgroups(1, &user->gid) == 0 && setresgid(user->gid, user->gid, user->gid) == 0 &&
		setresuid(user->uid, user->uid, user->uid) == 0);
}

static bool set_user_and_rights(const struct process *process)
{
	if (process->gives_up_rights && rights_bound() < 0)
		return false;
	return set_user(process->user) && (!process->gives_up_rights || rights_give_up() == 0);
}

/* The kernel forgets the death signal when the user changes, so it is set after that. If the parent
 * ended before, another process is the parent now. */
static bool end_with_parent(const struct process *process, pid_t parent)
{
	return prctl(PR_SET_PDEATHSIG, (unsigned long)process->death_signal) == 0 &&
	       getppid() == parent;
}

/* Copies all descriptors to higher numbers first: the new number of one may be the old number of
 * another. */
static bool set_descriptors(const struct process *process)
{
	int copies[PROCESS_FDS_MAX];

	for (unsigned i = 0; i < process->fd_count; i++) {
		copies[i] = fcntl(process->fds[i], F_DUPFD, process->fd_count);
		if (copies[i] < 0)
			return false;
	}
	for (unsigned i = 0; i < process->fd_count; i++)
		if (dup2(copies[i], (int)i) < 0)
			return false;
	return close_range(process->fd_count, ~0U, 0) == 0;
}

static bool set_apart(const struct process *process)
{
	sigset_t none;

	if (!process->keeps_session)
		setsid();
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	umask(077);
	return chdir(process->folder ? process->folder : "/") == 0 && set_descriptors(process);
}

/* Async-signal-safe. */
static void end_group(int number)
{
	(void)number;
	kill(0, SIGKILL);
}

/* Ends as the guarded process did. */
_Noreturn static void end_as(int status)
{
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : CANNOT_PREPARE);
}

/* Returns in the guarded process. A process's death signal does not reach its children, but the
 * guard leads their group. */
static void set_guard(const struct process *process)
{
	pid_t guard = getpid(), pid;
	int status = 0;

	signal(process->death_signal, end_group);
	pid = fork();
	if (pid == 0) {
		signal(process->death_signal, SIG_DFL);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == guard)
			return;
	}
	if (pid <= 0)
		_exit(CANNOT_PREPARE);
	close_range(0, ~0U, 0);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	end_as(status);
}

/* Runs in the child: no malloc and no log before run(). */
_Noreturn static void run_child(const struct process *process, pid_t parent)
{
	if (!set_limits(process) || !set_user_and_rights(process) ||
	    !end_with_parent(process, parent) || (process->is_apart && !set_apart(process)))
		_exit(CANNOT_PREPARE);
	if (process->is_guarded)
		set_guard(process);
	if (process->nice > 0) {
		if (process->keeps_session)
			priority_set_process(getpid(), process->nice);
		else
			(void)priority_set(getpid(), process->nice);
		priority_take_ordinary_turns();
	}
	if (process->arguments) {
		execve(process->arguments[0], (char *const *)process->arguments,
		       (char *const *)process->environment);
		_exit(CANNOT_EXECUTE);
	}
	if (process->is_apart)
		_exit(process->run(process->context));
	exit(process->run(process->context));
}

pid_t process_start(const struct process *process)
{
	pid_t parent = getpid(), pid;
	sigset_t all, before;
	int error;

	require(process->fd_count <= PROCESS_FDS_MAX);
	require(process->is_apart || !process->is_guarded);
	/* Blocks signals until the child is apart: a handler of ours in the child would lose them.
	 */
	sigfillset(&all);
	if (process->is_apart)
		sigprocmask(SIG_BLOCK, &all, &before);
	pid = fork();
	if (pid == 0)
		run_child(process, parent);
	error = errno;
	if (process->is_apart)
		sigprocmask(SIG_SETMASK, &before, NULL);
	return pid < 0 ? -error : pid;
}
