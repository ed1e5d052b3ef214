#include "main/supervisor.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "main/state_dir.h"
#include "main/supervisor_private.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	/* Workers end by themselves before that; see worker.h. */
	DRAIN_MS_MAX = 20 * 1000,
	/* A fast shutdown writes what is dirty; then it is ended at once, and recovers later. */
	CLUSTER_STOP_MS_MAX = 60 * 1000,
	/* After the second signal. */
	AT_ONCE_MS_MAX = 3 * 1000,
};

static void enter(struct supervisor *supervisor, enum phase phase);

static bool workers_run(const struct supervisor *supervisor)
{
	for (unsigned i = 0; i < supervisor->config->workers; i++)
		if (supervisor->workers[i].pid)
			return true;
	return false;
}

static void signal_workers(const struct supervisor *supervisor, int number)
{
	for (unsigned i = 0; i < supervisor->config->workers; i++)
		if (supervisor->workers[i].pid)
			kill(supervisor->workers[i].pid, number);
}

static void begin_run(struct supervisor *supervisor)
{
	for (unsigned i = 0; i < supervisor->config->workers; i++)
		supervisor_start_worker(supervisor, i);
	if (state_dir_write_public_url(supervisor->config->state_dir, supervisor->public_url) < 0)
		log_warn("supervisor", "cannot write the file public-url");
	log_info("supervisor", "ready", LOG_TEXT("url", supervisor->public_url),
		 LOG_INT("workers", supervisor->config->workers));
}

static void give_up(struct supervisor *supervisor, enum exit_code code)
{
	supervisor->exit_code = code;
	enter(supervisor, PHASE_DRAIN);
}

static void begin_migrate(struct supervisor *supervisor)
{
	if (supervisor_is_embedded(supervisor) && !supervisor_start_postmaster(supervisor))
		give_up(supervisor, EXIT_DATABASE);
	else if (!supervisor_start_helper(supervisor, helper_migrate))
		give_up(supervisor, EXIT_FAILED);
}

static void enter(struct supervisor *supervisor, enum phase phase)
{
	supervisor->phase = phase;
	supervisor->phase_since_ms = clock_monotonic_ms();
	switch (phase) {
	case PHASE_PREPARE:
		if (!supervisor_start_helper(supervisor, helper_prepare))
			give_up(supervisor, EXIT_FAILED);
		break;
	case PHASE_MIGRATE:
		begin_migrate(supervisor);
		break;
	case PHASE_RUN:
		begin_run(supervisor);
		break;
	case PHASE_DRAIN:
		if (supervisor->helper)
			kill(supervisor->helper, SIGTERM);
		signal_workers(supervisor, SIGTERM);
		break;
	case PHASE_STOP_CLUSTER:
		cluster_ask_to_stop(&supervisor->cluster, supervisor->stop_signals > 1);
		break;
	case PHASE_END:
		break;
	}
}

static void on_stop_signal(struct supervisor *supervisor, unsigned number)
{
	supervisor->stop_signals++;
	if (supervisor->stop_signals == 1)
		log_info("supervisor", "stopping: requests at work are finished",
			 LOG_TEXT("signal", sigabbrev_np((int)number)));
	if (supervisor->stop_signals == 2)
		log_warn("supervisor", "stopping at once");
	if (supervisor->phase < PHASE_DRAIN)
		enter(supervisor, PHASE_DRAIN);
	if (supervisor->stop_signals < 2)
		return;
	if (supervisor->helper)
		kill(supervisor->helper, SIGKILL);
	signal_workers(supervisor, SIGKILL);
	cluster_ask_to_stop(&supervisor->cluster, /* at_once= */ true);
}

static void on_helper_end(struct supervisor *supervisor, int status)
{
	bool done = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_DONE;

	supervisor->helper = 0;
	if (supervisor->phase >= PHASE_DRAIN)
		return;
	if (supervisor->phase == PHASE_RUN) {
		/* It made the folder ready for another postmaster. */
		if (!done || !supervisor_start_postmaster(supervisor))
			keeper_note_end(&supervisor->postmaster);
		return;
	}
	if (done) {
		enter(supervisor, supervisor->phase + 1);
		return;
	}
	if (WIFSIGNALED(status))
		log_error("supervisor", "cannot start",
			  LOG_TEXT("reason", "the process that prepares the database was killed"),
			  LOG_INT("signal", WTERMSIG(status)));
	/* Else it has said why. */
	give_up(supervisor, WIFEXITED(status) ? (enum exit_code)WEXITSTATUS(status) : EXIT_FAILED);
}

static void on_postmaster_end(struct supervisor *supervisor)
{
	cluster_read_log(&supervisor->cluster);
	supervisor->cluster.pid = 0;
	keeper_note_end(&supervisor->postmaster);
	if (supervisor->phase == PHASE_STOP_CLUSTER) {
		log_info("supervisor", "PostgreSQL stopped");
		return;
	}
	if (supervisor->phase == PHASE_MIGRATE) {
		log_error("supervisor", "cannot start",
			  LOG_TEXT("reason", "PostgreSQL ended while it was starting"),
			  LOG_TEXT("postgresql", supervisor->cluster.last_fatal));
		give_up(supervisor, EXIT_DATABASE);
		return;
	}
	log_error(
	    "supervisor", "PostgreSQL ended unexpectedly",
	    LOG_INT("restart_in_ms", supervisor->postmaster.start_at_ms - clock_monotonic_ms()));
}

static void on_worker_end(struct supervisor *supervisor, unsigned index, int status)
{
	struct keeper *worker = &supervisor->workers[index];

	keeper_note_end(worker);
	if (supervisor->phase >= PHASE_DRAIN && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return;
	log_error("supervisor", "worker ended unexpectedly", LOG_INT("worker", index + 1),
		  LOG_INT(WIFSIGNALED(status) ? "signal" : "code",
			  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)),
		  LOG_INT("restart_in_ms", worker->start_at_ms - clock_monotonic_ms()));
}

static void on_child_end(struct supervisor *supervisor, pid_t pid, int status)
{
	if (pid == supervisor->helper)
		on_helper_end(supervisor, status);
	if (pid == supervisor->cluster.pid)
		on_postmaster_end(supervisor);
	for (unsigned i = 0; i < supervisor->config->workers; i++)
		if (pid == supervisor->workers[i].pid)
			on_worker_end(supervisor, i, status);
}

static void read_signals(struct supervisor *supervisor)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	while (read(supervisor->signal_fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			on_stop_signal(supervisor, info.ssi_signo);
	/* One SIGCHLD may stand for several children. */
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		on_child_end(supervisor, pid, status);
}

static void restart_postmaster(struct supervisor *supervisor)
{
	/* Its folder may still be in use by what it left behind: that is ended first. */
	if (!supervisor_start_helper(supervisor, helper_prepare))
		keeper_note_end(&supervisor->postmaster);
}

/* Starts what is due; *next_ms becomes the time of what is due first, where that is earlier. */
static void keep_running(struct supervisor *supervisor, uint64_t now_ms, uint64_t *next_ms)
{
	struct keeper *postmaster = &supervisor->postmaster;

	if (supervisor_is_embedded(supervisor) && !postmaster->pid && !supervisor->helper) {
		if (now_ms >= postmaster->start_at_ms)
			restart_postmaster(supervisor);
		if (!supervisor->helper && postmaster->start_at_ms < *next_ms)
			*next_ms = postmaster->start_at_ms;
	}
	for (unsigned i = 0; i < supervisor->config->workers; i++) {
		struct keeper *worker = &supervisor->workers[i];

		if (!worker->pid && now_ms >= worker->start_at_ms)
			supervisor_start_worker(supervisor, i);
		if (!worker->pid && worker->start_at_ms < *next_ms)
			*next_ms = worker->start_at_ms;
	}
}

static void keep_draining(struct supervisor *supervisor, uint64_t now_ms, uint64_t *next_ms)
{
	uint64_t limit_ms = supervisor->phase_since_ms + DRAIN_MS_MAX;

	if (!workers_run(supervisor) && !supervisor->helper) {
		enter(supervisor, supervisor->cluster.pid ? PHASE_STOP_CLUSTER : PHASE_END);
		*next_ms = now_ms;
	} else if (now_ms < limit_ms) {
		*next_ms = limit_ms;
	} else {
		if (supervisor->helper)
			kill(supervisor->helper, SIGKILL);
		signal_workers(supervisor, SIGKILL);
	}
}

static void keep_stopping(struct supervisor *supervisor, uint64_t now_ms, uint64_t *next_ms)
{
	uint64_t limit_ms = supervisor->phase_since_ms +
			    (supervisor->stop_signals > 1 ? AT_ONCE_MS_MAX : CLUSTER_STOP_MS_MAX);

	if (!supervisor->cluster.pid) {
		enter(supervisor, PHASE_END);
	} else if (now_ms < limit_ms) {
		*next_ms = limit_ms;
	} else {
		log_warn("supervisor", "PostgreSQL does not stop: killed, it will recover");
		kill(supervisor->cluster.pid, SIGKILL);
	}
}

/* What is due by time. Returns the time of the next thing. */
static uint64_t run_due(struct supervisor *supervisor)
{
	uint64_t now_ms = clock_monotonic_ms(), next_ms = UINT64_MAX;

	if (supervisor->phase == PHASE_RUN)
		keep_running(supervisor, now_ms, &next_ms);
	if (supervisor->phase == PHASE_DRAIN)
		keep_draining(supervisor, now_ms, &next_ms);
	if (supervisor->phase == PHASE_STOP_CLUSTER)
		keep_stopping(supervisor, now_ms, &next_ms);
	return next_ms;
}

static void wait_for_events(struct supervisor *supervisor, uint64_t until_ms)
{
	uint64_t now_ms = clock_monotonic_ms();
	struct pollfd fds[] = {
	    {.fd = supervisor->signal_fd, .events = POLLIN},
	    {.fd = supervisor->cluster.log_fd, .events = POLLIN}, /* passed over where it is -1 */
	};
	int timeout_ms = -1;

	if (until_ms != UINT64_MAX)
		timeout_ms = until_ms > now_ms ? (int)(until_ms - now_ms) : 0;
	if (poll(fds, 2, timeout_ms) <= 0)
		return;
	if (fds[1].revents && !cluster_read_log(&supervisor->cluster))
		cluster_close_log(&supervisor->cluster);
	if (fds[0].revents)
		read_signals(supervisor);
}

static enum exit_code begin(struct supervisor *supervisor)
{
	struct cluster_error why;

	if (!supervisor_is_embedded(supervisor)) {
		enter(supervisor, PHASE_MIGRATE);
		return EXIT_DONE;
	}
	if (cluster_open(supervisor->config->state_dir, &supervisor->cluster, &why) < 0) {
		log_error("supervisor", "cannot start", LOG_TEXT("reason", why.text));
		return EXIT_DATABASE;
	}
	enter(supervisor, PHASE_PREPARE);
	return EXIT_DONE;
}

enum exit_code supervisor_run(const struct config *config)
{
	struct supervisor *supervisor = memory_zalloc(sizeof(*supervisor));
	enum exit_code code;
	struct reason why;

	*supervisor = (struct supervisor){.config = config, .lock_fd = -1, .signal_fd = -1};
	supervisor->cluster.log_fd = supervisor->cluster.socket_fd = -1;
	code = supervisor_open(supervisor, &why);
	if (code != EXIT_DONE) {
		log_error("supervisor", "cannot start", LOG_TEXT("reason", why.text));
	} else {
		code = begin(supervisor);
		while (code == EXIT_DONE && supervisor->phase != PHASE_END) {
			uint64_t next_ms = run_due(supervisor);

			if (supervisor->phase != PHASE_END)
				wait_for_events(supervisor, next_ms);
		}
		if (code == EXIT_DONE)
			code = supervisor->exit_code;
	}
	supervisor_close(supervisor);
	free(supervisor);
	if (code == EXIT_DONE)
		log_info("supervisor", "stopped");
	return code;
}
