#include "base/clock.h"
#include "base/log.h"
#include "main/supervisor_private.h"
#include "main/worker.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	DELAY_FIRST_MS = 100,
	DELAY_MAX_MS = 10 * 1000,
	/* Whoever ran for so long ended for a new reason. */
	RAN_WELL_MS = 30 * 1000,
	/* A worker's connections to the database, and room for displayctl, psql and a backup. */
	CONNECTIONS_PER_WORKER = 9,
	CONNECTIONS_APART = 40,
};

bool supervisor_is_embedded(const struct supervisor *supervisor)
{
	return supervisor->config->database == NULL;
}

const char *supervisor_database_url(const struct supervisor *supervisor)
{
	return supervisor_is_embedded(supervisor) ? supervisor->cluster.url
						  : supervisor->config->database;
}

void keeper_note_end(struct keeper *keeper)
{
	uint64_t now_ms = clock_monotonic_ms();

	keeper->pid = 0;
	if (now_ms - keeper->started_ms > RAN_WELL_MS || keeper->delay_ms == 0)
		keeper->delay_ms = DELAY_FIRST_MS;
	keeper->start_at_ms = now_ms + keeper->delay_ms;
	keeper->delay_ms =
	    keeper->delay_ms * 2 < DELAY_MAX_MS ? keeper->delay_ms * 2 : DELAY_MAX_MS;
}

static void keeper_note_start(struct keeper *keeper, pid_t pid)
{
	keeper->started_ms = clock_monotonic_ms();
	/* fork() failed: as if it had ended at once. */
	if (pid < 0)
		keeper_note_end(keeper);
	else
		keeper->pid = pid;
}

/* In a child: nothing of the supervisor's is kept but what the child needs. Ctrl-C reaches the
 * whole terminal; the supervisor alone decides what it means. */
static void become_child(struct supervisor *supervisor, pid_t parent, int death_signal)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, (unsigned long)death_signal);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	close(supervisor->signal_fd);
	close(supervisor->lock_fd);
	if (supervisor->cluster.log_fd >= 0)
		close(supervisor->cluster.log_fd);
	supervisor->signal_fd = supervisor->lock_fd = supervisor->cluster.log_fd = -1;
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int run_worker(struct supervisor *supervisor, unsigned index)
{
	int fds[CONFIG_LISTEN_MAX];
	struct worker_settings settings = {
	    .index = index,
	    .config = supervisor->config,
	    .database_url = supervisor_database_url(supervisor),
	    .public_url = supervisor->public_url,
	    .listener_fds = fds,
	    .listener_count = supervisor->listener_count,
	    .shared = supervisor->shared,
	};

	for (unsigned i = 0; i < supervisor->listener_count; i++)
		fds[i] = supervisor->listeners[i].fd;
	return worker_run(&settings);
}

void supervisor_start_worker(struct supervisor *supervisor, unsigned index)
{
	struct keeper *worker = &supervisor->workers[index];
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		become_child(supervisor, parent, SIGTERM);
		exit(run_worker(supervisor, index));
	}
	keeper_note_start(worker, pid);
	if (pid < 0)
		log_error("supervisor", "cannot start a worker",
			  LOG_TEXT("error", strerror(errno)));
	else
		log_info("supervisor", "worker started", LOG_INT("worker", index + 1),
			 LOG_INT("pid", pid));
}

bool supervisor_start_postmaster(struct supervisor *supervisor)
{
	unsigned connections =
	    CONNECTIONS_APART + CONNECTIONS_PER_WORKER * supervisor->config->workers;
	struct cluster_error why;

	if (cluster_spawn(&supervisor->cluster, connections, &why) < 0) {
		log_error("supervisor", "cannot start PostgreSQL", LOG_TEXT("reason", why.text));
		keeper_note_start(&supervisor->postmaster, -1);
		return false;
	}
	keeper_note_start(&supervisor->postmaster, supervisor->cluster.pid);
	log_info("supervisor", "PostgreSQL started", LOG_INT("pid", supervisor->cluster.pid),
		 LOG_INT("version", supervisor->cluster.version));
	return true;
}

bool supervisor_start_helper(struct supervisor *supervisor,
			     enum exit_code (*run)(struct supervisor *supervisor))
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		become_child(supervisor, parent, SIGTERM);
		exit(run(supervisor));
	}
	if (pid < 0) {
		log_error("supervisor", "cannot start a process",
			  LOG_TEXT("error", strerror(errno)));
		return false;
	}
	supervisor->helper = pid;
	return true;
}
