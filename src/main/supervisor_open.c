#include "base/log.h"
#include "main/shared.h"
#include "main/state_dir.h"
#include "main/supervisor_private.h"
#include "main/worker.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

static enum exit_code open_listeners(struct supervisor *supervisor, struct reason *reterr)
{
	const struct config *config = supervisor->config;

	for (unsigned i = 0; i < config->listen_count; i++) {
		struct listener *listener = &supervisor->listeners[i];

		if (listener_open(&config->listen[i], listener, reterr) < 0)
			return EXIT_LISTEN;
		supervisor->listener_count++;
		log_info("supervisor", "listening", LOG_TEXT("address", listener->address.text),
			 LOG_INT("port", listener_port(listener)));
	}
	return EXIT_DONE;
}

/* The first listener that has a URL: a unix socket has none. */
static void choose_public_url(struct supervisor *supervisor)
{
	const struct config *config = supervisor->config;

	if (config->public_url) {
		snprintf(supervisor->public_url, sizeof(supervisor->public_url), "%s",
			 config->public_url);
		return;
	}
	for (unsigned i = 0; i < supervisor->listener_count; i++)
		if (listener_url(&supervisor->listeners[i], supervisor->public_url,
				 sizeof(supervisor->public_url)))
			return;
	snprintf(supervisor->public_url, sizeof(supervisor->public_url), "http://localhost");
	log_warn("supervisor", "URLs that are handed out start with http://localhost: there is "
			       "neither --public-url nor a TCP listener");
}

static int open_signals(struct supervisor *supervisor)
{
	sigset_t wanted;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGINT);
	/* A terminal that closes. */
	sigaddset(&wanted, SIGHUP);
	sigaddset(&wanted, SIGCHLD);
	signal(SIGPIPE, SIG_IGN);
	if (sigprocmask(SIG_BLOCK, &wanted, NULL) < 0)
		return -errno;
	supervisor->signal_fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	return supervisor->signal_fd < 0 ? -errno : 0;
}

/* A panel that listens costs a descriptor; the soft limit of 1,024 is for programs that still use
 * select(). */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		log_warn("supervisor", "cannot raise the limit of open files",
			 LOG_TEXT("error", strerror(errno)));
}

enum exit_code supervisor_open(struct supervisor *supervisor, struct reason *reterr)
{
	const struct config *config = supervisor->config;
	enum exit_code code;
	pid_t owner = 0;

	raise_descriptor_limit();
	if (open_signals(supervisor) < 0) {
		reason_set(reterr, "cannot open a descriptor for signals: %s", strerror(errno));
		return EXIT_FAILED;
	}
	supervisor->lock_fd = state_dir_lock(config->state_dir, &owner, reterr);
	if (supervisor->lock_fd < 0)
		return EXIT_STATE_DIR;
	code = open_listeners(supervisor, reterr);
	if (code != EXIT_DONE)
		return code;
	choose_public_url(supervisor);
	supervisor->shared = shared_create(config->workers);
	if (!supervisor->shared) {
		reason_set(reterr, "cannot map shared memory: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

void supervisor_close(struct supervisor *supervisor)
{
	if (supervisor->lock_fd >= 0 &&
	    state_dir_write_public_url(supervisor->config->state_dir, NULL) < 0)
		log_warn("supervisor", "cannot remove the file public-url");
	for (unsigned i = 0; i < supervisor->listener_count; i++)
		listener_close(&supervisor->listeners[i]);
	cluster_close(&supervisor->cluster);
	region_map_destroy(supervisor->shared);
	if (supervisor->signal_fd >= 0)
		close(supervisor->signal_fd);
	/* Last: whoever takes it finds everything ended. */
	if (supervisor->lock_fd >= 0)
		close(supervisor->lock_fd);
}
