#include "main/supervisor.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/priority.h"
#include "base/zones.h"
#include "db/background.h"
#include "db/storage.h"
#include "main/certificates.h"
#include "main/child_table.h"
#include "main/children.h"
#include "main/heartbeat.h"
#include "main/known_timeline.h"
#include "main/log_destination.h"
#include "main/notify.h"
#include "main/process_stats.h"
#include "main/reload.h"
#include "main/secret_key.h"
#include "main/state_dir.h"
#include "metric/errors.h"
#include "metric/metric.h"
#include "render/health.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	DATABASE_LOOK_MS = 1000,
	SECOND_US = 1000 * 1000,
	READY_LOOK_MS = 20, /* interval of checks whether the workers serve */
};

struct supervisor {
	struct instance instance;
	struct process_stats stats;
	struct children children;
	struct upgrade *upgrade;
	struct reload reload;
	struct timeline saved_timeline; /* in the state directory */
	bool is_ready;
	uint64_t alive_every_ms; /* interval of reports to the service manager; 0: never */
	uint64_t alive_at_ms;
	struct reason crash;  /* EXIT_CRASHES: last crash of the loop */
	uint64_t database_ms; /* when to check the private PostgreSQL */
	bool wants_reload;    /* SIGHUP was received */
	bool waits_to_reload; /* the log has the reason for the wait */
};

struct forked {
	struct instance *instance;
	const struct child *child;
};

/* Sets HOME: libpq looks there for passwords and certificates, and fails if it may not. */
static void go_home(void)
{
	const struct passwd *user = getpwuid(geteuid());

	if (user)
		setenv("HOME", user->pw_dir, /* overwrite= */ 1);
}

static int run_child(void *context)
{
	const struct forked *forked = context;
	int code;

	metric_detach();
	instance_leave(forked->instance);
	forked->instance->is_successor = forked->child->role == CHILD_NEW;
	if (forked->child->kind->user && forked->child->kind->user(forked->instance))
		go_home();
	code = forked->child->kind->run(forked->instance, forked->child->index);
	log_finish();
	return code;
}

static pid_t start_child(struct instance *instance, const struct child *child)
{
	const struct child_kind *kind = child->kind;
	struct forked forked = {.instance = instance, .child = child};
	struct process process = {
	    .run = run_child,
	    .context = &forked,
	    .user = kind->user ? kind->user(instance) : NULL,
	    .limits = kind->limits,
	    .limit_count = kind->limit_count,
	    .gives_up_rights = kind->gives_up_rights,
	    .death_signal = kind->stop_signal,
	};
	pid_t pid;

	if (kind->start)
		return kind->start(instance, &process);
	pid = process_start(&process);
	if (pid < 0)
		log_error("supervisor", "cannot start a process", LOG_TEXT("process", kind->name),
			  LOG_TEXT("error", strerror(-pid)));
	return pid;
}

static void signal_child(pid_t pid, int number)
{
	kill(pid, number);
}

static const struct child_system child_system = {.start = start_child, .signal = signal_child};

static void on_stop_signal(struct supervisor *supervisor, unsigned number)
{
	unsigned before = supervisor->children.stop_requests;

	if (upgrade_cancel_restart(supervisor->upgrade)) {
		log_info("supervisor", "stopping without starting the new program",
			 LOG_TEXT("signal", sigabbrev_np((int)number)));
		notify_stopping();
		return; /* already stopping */
	}
	if (before == 0) {
		log_info("supervisor", "stopping after requests finish",
			 LOG_TEXT("signal", sigabbrev_np((int)number)));
		notify_stopping();
	}
	if (before == 1)
		log_warn("supervisor", "stopping at once");
	children_stop(&supervisor->children, clock_monotonic_ms());
}

/* Whether a SIGHUP requests a reload: the kernel also sends it when displayd's terminal closes. */
static bool is_for_reload(const struct signalfd_siginfo *info)
{
	return info->ssi_signo == SIGHUP && info->ssi_code != SI_KERNEL;
}

static void read_signals(struct supervisor *supervisor)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	while (read(supervisor->instance.signal_fd, &info, sizeof(info)) == sizeof(info))
		if (is_for_reload(&info))
			supervisor->wants_reload = true;
		else if (info.ssi_signo == SIGUSR2)
			supervisor->upgrade->is_wanted = true;
		else if (info.ssi_signo != SIGCHLD)
			on_stop_signal(supervisor, info.ssi_signo);
	/* A single SIGCHLD may stand for several children. */
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (!upgrade_note_end(supervisor->upgrade, &supervisor->instance,
				      &supervisor->children, pid, status, clock_monotonic_ms()))
			children_note_end(&supervisor->children, pid, status, clock_monotonic_ms());
}

static void wait_for_events(struct supervisor *supervisor, uint64_t until_ms)
{
	struct instance *instance = &supervisor->instance;
	struct pollfd fds[1 + CHILD_KIND_COUNT] = {{.fd = instance->signal_fd, .events = POLLIN}};
	uint64_t now_ms = clock_monotonic_ms();
	int timeout_ms = -1;

	/* poll() ignores it if it is -1. */
	for (unsigned i = 0; i < CHILD_KIND_COUNT; i++)
		fds[1 + i] = (struct pollfd){
		    .fd = child_table[i]->output ? child_table[i]->output(instance) : -1,
		    .events = POLLIN,
		};
	if (until_ms != UINT64_MAX)
		timeout_ms = until_ms > now_ms ? (int)(until_ms - now_ms) : 0;
	if (poll(fds, array_length(fds), timeout_ms) <= 0)
		return;
	for (unsigned i = 0; i < CHILD_KIND_COUNT; i++)
		if (fds[1 + i].revents)
			child_table[i]->read_output(instance);
	if (fds[0].revents)
		read_signals(supervisor);
}

static void write_urls(const struct instance *instance)
{
	if (state_dir_write_urls(instance->config->state_dir, instance->public_url,
				 instance->panel_url) < 0)
		log_warn("supervisor", "cannot write the files public-url and panel-url");
}

/* Describes the crash that made displayd give up: the last worker, and its end. */
static void describe_crash(const struct children *children, struct reason *ret)
{
	const struct child *child = children->crashed;
	int status = children->crash_status, number = WTERMSIG(status);

	if (WIFSIGNALED(status))
		reason_set(ret, "%s %u was killed by signal %d (SIG%s)", child->kind->name,
			   child->index + 1, number, sigabbrev_np(number));
	else
		reason_set(ret, "%s %u ended with exit status %d", child->kind->name,
			   child->index + 1, WEXITSTATUS(status));
}

static void become_ready(struct supervisor *supervisor)
{
	const struct instance *instance = &supervisor->instance;

	supervisor->is_ready = true;
	log_info("supervisor", "ready", LOG_TEXT("url", instance->public_url),
		 LOG_INT("workers", instance->config->workers));
	if (instance->config->first_link)
		children_run(&supervisor->children, "first link", clock_monotonic_ms());
	heartbeat_note_instance_ready(instance->shared);
	write_urls(instance);
	upgrade_note_ready(supervisor->upgrade, instance);
	notify_ready(instance->public_url);
}

/* Reports to the service manager from this loop, which watches the workers. Returns when to call it
 * again. */
static uint64_t say_alive(struct supervisor *supervisor, uint64_t now_ms)
{
	if (supervisor->alive_every_ms == 0)
		return UINT64_MAX;
	if (now_ms >= supervisor->alive_at_ms) {
		notify_alive();
		supervisor->alive_at_ms = now_ms + supervisor->alive_every_ms;
	}
	return supervisor->alive_at_ms;
}

static void try_renderers_again(struct supervisor *supervisor)
{
	render_health_reset(region_common(supervisor->instance.shared, &render_health_region));
	children_try_again(&supervisor->children, clock_monotonic_ms());
}

static void begin_reload(struct supervisor *supervisor)
{
	enum reload_outcome result;

	supervisor->wants_reload = supervisor->waits_to_reload = false;
	notify_reloading();
	known_timeline_load(&supervisor->instance, &supervisor->saved_timeline);
	result = reload_begin(&supervisor->reload, &supervisor->instance, supervisor->upgrade->argc,
			      supervisor->upgrade->argv);
	if (result == RELOAD_BEGUN)
		children_renew(&supervisor->children, clock_monotonic_ms());
	else
		notify_ready(supervisor->instance.public_url);
	if (result == RELOAD_UNCHANGED)
		try_renderers_again(supervisor);
}

/* Begins a reload, unless old workers still retire, whose slots are in use. */
static void reload_if_possible(struct supervisor *supervisor)
{
	if (!supervisor->wants_reload || supervisor->reload.next ||
	    upgrade_was_handed_over(supervisor->upgrade))
		return;
	if (children_may_renew(&supervisor->children)) {
		begin_reload(supervisor);
		return;
	}
	if (!supervisor->waits_to_reload)
		log_info("supervisor", "reload postponed until the old workers exit");
	supervisor->waits_to_reload = true;
}

/* Ends the renewal for a new configuration or a new program. */
static void end_renewal(struct supervisor *supervisor)
{
	enum children_renewal result = children_take_result(&supervisor->children);
	bool is_done = result == RENEWAL_DONE;
	bool changes_host = supervisor->reload.changes_host;

	if (result == RENEWAL_NONE)
		return;
	if (upgrade_was_handed_over(supervisor->upgrade)) {
		upgrade_end(supervisor->upgrade, &supervisor->instance, &supervisor->children,
			    is_done);
		changes_host = true;
		write_urls(&supervisor->instance);
	} else {
		reload_end(&supervisor->reload, &supervisor->instance, is_done);
	}
	notify_ready(supervisor->instance.public_url);
	if (is_done)
		try_renderers_again(supervisor);
	if (is_done && changes_host)
		children_restart(&supervisor->children, "renderers");
}

/* Returns when to call it again. */
static uint64_t keep_running(struct supervisor *supervisor, uint64_t now_ms)
{
	if (!supervisor->is_ready) {
		if (!children_are_ready(&supervisor->children))
			return now_ms + READY_LOOK_MS;
		become_ready(supervisor);
	}
	end_renewal(supervisor);
	reload_if_possible(supervisor);
	return upgrade_run_due(supervisor->upgrade, &supervisor->instance, &supervisor->children,
			       supervisor->reload.next != NULL, now_ms);
}

/* Workers get the zones by their fork. */
static void load_zones(void)
{
	struct zones_count count = zones_load(ZONES_FOLDER);

	if (count.loaded == 0 || count.refused)
		log_warn("main", "time zone data is missing, all devices use UTC",
			 LOG_TEXT("folder", ZONES_FOLDER), LOG_INT("loaded", count.loaded),
			 LOG_INT("malformed", count.refused));
}

/* Adopts the running children, or starts all from the first one on. */
static bool begin_children(struct supervisor *supervisor)
{
	struct upgrade *upgrade = supervisor->upgrade;
	struct children *children = &supervisor->children;
	struct reason why;

	children_init(children, child_table, CHILD_KIND_COUNT, &child_system,
		      &supervisor->instance);
	if (!upgrade_was_handed_over(upgrade)) {
		children_start(children, clock_monotonic_ms());
		/* Do this while the first child prepares the database, so that reading 600 files
		 * delays nothing. */
		load_zones();
		return true;
	}
	load_zones();
	supervisor->is_ready = true;
	heartbeat_note_instance_ready(supervisor->instance.shared);
	if (!upgrade_take_children(upgrade, &supervisor->instance, children, &why)) {
		upgrade_go_back(upgrade, why.text);
		log_error("supervisor", "cannot take over", LOG_TEXT("reason", why.text));
		return false;
	}
	if (!upgrade_was_handed_over(upgrade))
		notify_ready(supervisor->instance.public_url);
	/* Children may have ended while no signals were read. */
	read_signals(supervisor);
	return true;
}

static uint64_t earliest(uint64_t one, uint64_t other, uint64_t third)
{
	uint64_t first = one < other ? one : other;

	return first < third ? first : third;
}

/* Returns when to look again: at next_ms, or earlier for tickets. */
static uint64_t rotate_tickets(const struct supervisor *supervisor, uint64_t next_ms)
{
	const struct instance *instance = &supervisor->instance;
	uint64_t at_ms;

	if (instance->config->tls_certificates.count == 0)
		return next_ms;
	at_ms = clock_monotonic_ms() + certificates_rotate_tickets(instance->shared);
	return at_ms < next_ms ? at_ms : next_ms;
}

/* Checks PostgreSQL's processes that run list queries, and its free space. A new process keeps an
 * ordinary priority until the next check. */
static void look_after_database(struct supervisor *supervisor, uint64_t now_ms)
{
	const struct instance *instance = &supervisor->instance;
	struct storage *storage = region_common(instance->shared, &storage_region);
	struct disk_room room;

	if (now_ms < supervisor->database_ms)
		return;
	supervisor->database_ms = now_ms + DATABASE_LOOK_MS;
	known_timeline_save(instance, &supervisor->saved_timeline);
	metric_set(METRIC_CERTIFICATE_ENDS, 0, instance->tls_ends_at_s * SECOND_US);
	if (!instance_is_embedded(instance))
		return;
	room = cluster_room(&instance->cluster);
	storage_set_room(storage, &room);
	metric_set(METRIC_DISK_REFUSES_PICTURES, 0, !storage_takes_pictures(storage));
	metric_set(METRIC_DISK_BYTES, 0, (int64_t)room.all_bytes);
	metric_set(METRIC_DISK_FREE_BYTES, 0, room.all_bytes ? (int64_t)room.left_bytes : 0);
	for (unsigned i = 0; i < config_worker_slots(instance->config); i++)
		background_lower(region_slot(instance->shared, &background_region, i),
				 instance->cluster.pid);
}

static enum exit_code run_children(struct supervisor *supervisor)
{
	struct children *children = &supervisor->children;
	enum exit_code code;

	known_timeline_load(&supervisor->instance, &supervisor->saved_timeline);
	if (!begin_children(supervisor))
		return EXIT_FAILED;
	process_stats_start(&supervisor->stats, supervisor->instance.shared);
	supervisor->alive_every_ms = notify_watchdog_ms();
	while (children->phase != CHILDREN_END) {
		uint64_t now_ms = clock_monotonic_ms();
		uint64_t alive_ms = say_alive(supervisor, now_ms);
		uint64_t upgrade_ms = UINT64_MAX, next_ms;

		if (children->phase == CHILDREN_RUN)
			upgrade_ms = keep_running(supervisor, now_ms);
		next_ms = children_run_due(children, now_ms);
		process_stats_look(&supervisor->stats, children, now_ms);
		look_after_database(supervisor, now_ms);
		log_flush();
		next_ms = rotate_tickets(supervisor, next_ms);
		wait_for_events(supervisor, earliest(next_ms, alive_ms, upgrade_ms));
	}
	code = children->exit_code;
	if (code == EXIT_CRASHES)
		describe_crash(children, &supervisor->crash);
	children_finish(children);
	return code;
}

static enum exit_code open_instance(struct supervisor *supervisor, const struct config *config)
{
	struct upgrade *upgrade = supervisor->upgrade;
	enum exit_code code;
	struct reason why;

	if (!upgrade_was_handed_over(upgrade)) {
		code = instance_open(&supervisor->instance, config, &why);
		if (code == EXIT_DONE)
			upgrade_note_start(upgrade, &supervisor->instance);
	} else {
		code = upgrade_take_over(upgrade, &supervisor->instance, config, &why);
		if (code != EXIT_DONE)
			upgrade_go_back(upgrade, why.text);
	}
	if (code != EXIT_DONE)
		log_error("supervisor", "cannot start", LOG_TEXT("reason", why.text));
	return code;
}

enum exit_code supervisor_run(const struct config *config, struct upgrade *upgrade)
{
	struct supervisor supervisor = {.upgrade = upgrade};
	struct log_destination destination;
	enum exit_code code;

	/* Short turns fit: requests wake workers and PostgreSQL many times, for much less than a
	 * turn each. */
	priority_take_short_turns();
	reload_init(&supervisor.reload, config);
	code = open_instance(&supervisor, config);
	if (code == EXIT_DONE)
		code = run_children(&supervisor);
	/* Remove the key, so that the next start also finds it missing, instead of a wrong one. */
	if (code == EXIT_STATE_DIR && supervisor.instance.has_new_key && !supervisor.is_ready)
		secret_key_take_back(config->state_dir);
	if (code != EXIT_DONE)
		notify_status("ended, see the log");
	if (code != EXIT_DONE && !supervisor.is_ready)
		upgrade_note_failed_start(upgrade, &supervisor.instance);
	if (upgrade_is_restart(upgrade))
		instance_leave_given_sockets(&supervisor.instance);
	metric_detach();
	errors_detach();
	instance_close(&supervisor.instance);
	reload_finish(&supervisor.reload);
	if (code == EXIT_DONE)
		log_info("supervisor", "stopped");
	if (code == EXIT_CRASHES)
		log_error("supervisor", "ended: workers crashed too often before being ready",
			  LOG_INT("times", CHILD_CRASHES_MAX),
			  LOG_TEXT("last", supervisor.crash.text),
			  LOG_TEXT("log", log_destination_find(&destination)));
	upgrade_restart(upgrade);
	return code;
}
