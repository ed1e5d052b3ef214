#include "main/upgrade.h"
#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_PROGRAM "/proc/self/exe"
/* Path of the program that could not be executed, set by a program that restarts itself. */
#define PROGRAM_VARIABLE "DISPLAYD_PROGRAM"

/* ---- path of the program ---- */

static bool is_this_program(const char *path)
{
	struct stat info, own;

	return stat(path, &info) == 0 && stat(OWN_PROGRAM, &own) == 0 &&
	       info.st_dev == own.st_dev && info.st_ino == own.st_ino;
}

/* Finds the program by the name under which it was started, without resolving links, which an
 * upgrade may change.
 */
static bool find_by_name(const char *name, char ret_path[static PATH_MAX])
{
	char folder[PATH_MAX];

	if (!strchr(name, '/') || (name[0] != '/' && !getcwd(folder, sizeof(folder))))
		return false;
	if (name[0] == '/')
		return snprintf(ret_path, PATH_MAX, "%s", name) < PATH_MAX;
	return snprintf(ret_path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

void upgrade_init(struct upgrade *upgrade, int argc, char *const argv[])
{
	const char *wanted = getenv(PROGRAM_VARIABLE);
	ssize_t length;

	/* If executed by a link or a descriptor, its name would be that. */
	prctl(PR_SET_NAME, "displayd");
	*upgrade = (struct upgrade){.argc = argc, .argv = argv, .check.output_fd = -1};
	handover_init(&upgrade->handover);
	if (wanted) {
		snprintf(upgrade->program, sizeof(upgrade->program), "%s", wanted);
		unsetenv(PROGRAM_VARIABLE);
		return;
	}
	if (argc > 0 && find_by_name(argv[0], upgrade->program) &&
	    is_this_program(upgrade->program))
		return;
	length = readlink(OWN_PROGRAM, upgrade->program, sizeof(upgrade->program) - 1);
	upgrade->program[length < 0 ? 0 : length] = 0;
}

/* ---- notes ---- */

static void note(struct upgrade *upgrade, const struct instance *instance, enum upgrade_state state,
		 const char *reason)
{
	upgrade->note.state = state;
	snprintf(upgrade->note.reason, sizeof(upgrade->note.reason), "%s", reason);
	if (upgrade_note_write(instance->config->state_dir, UPGRADE_NOTE, &upgrade->note) < 0)
		log_warn("supervisor", "cannot write the file upgrade");
}

static void upgrade_refuse(struct upgrade *upgrade, const struct instance *instance,
			   const char *why)
{
	upgrade->phase = UPGRADE_IDLE;
	note(upgrade, instance, UPGRADE_REFUSED, why);
	log_error("supervisor", "upgrade rejected, this program continues",
		  LOG_TEXT("program", upgrade->program), LOG_TEXT("reason", why));
}

static void upgrade_fail(struct upgrade *upgrade, const struct instance *instance, const char *why)
{
	upgrade->phase = UPGRADE_IDLE;
	note(upgrade, instance, UPGRADE_FAILED, why);
	log_error("supervisor", "upgrade failed, this program continues",
		  LOG_TEXT("version", DISPLAYD_VERSION), LOG_TEXT("reason", why));
}

/* ---- the check ---- */

static void upgrade_begin(struct upgrade *upgrade, const struct instance *instance)
{
	struct upgrade_note last;
	int error;

	upgrade->is_wanted = false;
	(void)upgrade_note_read(instance->config->state_dir, UPGRADE_NOTE, &last);
	upgrade->note = (struct upgrade_note){.number = last.number + 1, .from = DISPLAYD_VERSION};
	upgrade->phase = UPGRADE_IN_CHECK;
	note(upgrade, instance, UPGRADE_CHECKING, "");
	log_info("supervisor", "upgrade requested, checking the new program",
		 LOG_TEXT("program", upgrade->program));
	error =
	    upgrade_check_start(&upgrade->check, upgrade->program, upgrade->argc, upgrade->argv);
	if (error < 0)
		upgrade_refuse(upgrade, instance, strerror(-error));
}

static void restart(struct upgrade *upgrade, const struct instance *instance,
		    struct children *children, const char *why, uint64_t now_ms)
{
	upgrade->phase = UPGRADE_IN_RESTART;
	snprintf(upgrade->state_dir, sizeof(upgrade->state_dir), "%s", instance->config->state_dir);
	note(upgrade, instance, UPGRADE_RESTARTING, why);
	log_warn("supervisor", "upgrading by a normal restart after requests finish",
		 LOG_TEXT("to", upgrade->note.to), LOG_TEXT("reason", why));
	children_stop(children, now_ms);
}

bool upgrade_note_end(struct upgrade *upgrade, const struct instance *instance,
		      struct children *children, pid_t pid, int status, uint64_t now_ms)
{
	enum upgrade_result result;
	struct reason why;

	if (upgrade->check.pid != pid)
		return false;
	result =
	    upgrade_check_end(&upgrade->check, status, instance->config, upgrade->note.to, &why);
	if (children->phase != CHILDREN_RUN) {
		upgrade_refuse(upgrade, instance, "this server is stopping");
	} else if (result == UPGRADE_UNFIT) {
		upgrade_refuse(upgrade, instance, why.text);
	} else if (result == UPGRADE_RESTARTS) {
		restart(upgrade, instance, children, why.text, now_ms);
	} else {
		upgrade->phase = UPGRADE_IN_WAIT;
		upgrade_wait_begin(&upgrade->wait, now_ms);
	}
	return true;
}

/* ---- execve ---- */

/* Saves the configuration as read by this program, for the way back: by then the file may have
 * settings that only the new program understands. Returns a negative errno on failure. */
static int save_config(const struct config *config)
{
	int fd = memfd_create("displayd-config", MFD_CLOEXEC), copy = fd < 0 ? -1 : dup(fd);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
	bool is_done = out && config_write_file(config, out);
	int error;

	if (out)
		is_done = fclose(out) == 0 && is_done;
	if (is_done)
		return fd;
	error = errno ? -errno : -EIO;
	if (fd >= 0)
		close(fd);
	return error;
}

static void replace(struct upgrade *upgrade, struct instance *instance,
		    const struct children *children)
{
	struct handover *handover = &upgrade->handover;
	int error;

	handover_init(handover);
	handover->number = upgrade->note.number;
	memcpy(handover->program, upgrade->program, sizeof(handover->program));
	snprintf(handover->version, sizeof(handover->version), "%s", DISPLAYD_VERSION);
	instance_hand_over(instance, handover);
	handover->postmaster = instance->cluster.pid;
	children_hand_over(children, handover);
	note(upgrade, instance, UPGRADE_REPLACING, "");
	log_info("supervisor", "new program replaces this one", LOG_TEXT("from", DISPLAYD_VERSION),
		 LOG_TEXT("to", upgrade->note.to));
	log_flush();
	handover->first_fd = open(OWN_PROGRAM, O_RDONLY | O_CLOEXEC);
	error = handover->first_fd < 0 ? -errno : 0;
	if (error >= 0)
		error = handover->config_fd = save_config(instance->config);
	if (error >= 0)
		error = handover_execute(handover, upgrade->program, upgrade->argv);
	handover_finish(handover);
	upgrade_fail(upgrade, instance, strerror(-error));
}

/* Returns when to look again, even if nothing has happened. */
static uint64_t go_on_waiting(struct upgrade *upgrade, struct instance *instance,
			      const struct children *children, bool reloads, uint64_t now_ms)
{
	struct reason what;

	switch (upgrade_wait_look(&upgrade->wait, children, reloads, now_ms, &what)) {
	case UPGRADE_MAY_BEGIN:
		replace(upgrade, instance, children);
		return now_ms;
	case UPGRADE_GIVES_UP:
		upgrade_refuse(upgrade, instance, what.text);
		return now_ms;
	case UPGRADE_WAITS:
		break;
	}
	if (!upgrade->wait.is_told) {
		log_info("supervisor", "upgrade waiting", LOG_TEXT("reason", what.text));
		note(upgrade, instance, UPGRADE_WAITING, what.text);
	}
	upgrade->wait.is_told = true;
	return upgrade->wait.until_ms;
}

uint64_t upgrade_run_due(struct upgrade *upgrade, struct instance *instance,
			 struct children *children, bool reloads, uint64_t now_ms)
{
	if (upgrade->phase == UPGRADE_IDLE && upgrade->is_wanted)
		upgrade_begin(upgrade, instance);
	if (upgrade->phase == UPGRADE_IN_WAIT)
		return go_on_waiting(upgrade, instance, children, reloads, now_ms);
	return upgrade_check_watch(&upgrade->check, now_ms);
}

bool upgrade_is_restart(const struct upgrade *upgrade)
{
	return upgrade->phase == UPGRADE_IN_RESTART;
}

bool upgrade_cancel_restart(struct upgrade *upgrade)
{
	if (!upgrade_is_restart(upgrade))
		return false;
	upgrade->phase = UPGRADE_IDLE;
	return true;
}

/* Reports that this program starts again, instead of the new one. */
static void note_restart_failed(struct upgrade *upgrade, const char *why)
{
	enum { PROGRAM_SHOWN_MAX = 500 };

	upgrade->note.state = UPGRADE_FAILED;
	snprintf(upgrade->note.reason, sizeof(upgrade->note.reason), "%.*s: %s", PROGRAM_SHOWN_MAX,
		 upgrade->program, why);
	if (upgrade_note_write(upgrade->state_dir, UPGRADE_NOTE, &upgrade->note) < 0)
		log_warn("supervisor", "cannot write the file upgrade");
}

void upgrade_restart(struct upgrade *upgrade)
{
	const char *why;

	if (!upgrade_is_restart(upgrade))
		return;
	log_info("supervisor", "starting the new program", LOG_TEXT("program", upgrade->program));
	log_flush();
	execv(upgrade->program, upgrade->argv);
	why = strerror(errno);
	log_error("supervisor", "cannot execute the new program, restarting this one",
		  LOG_TEXT("program", upgrade->program), LOG_TEXT("error", why));
	note_restart_failed(upgrade, why);
	log_flush();
	setenv(PROGRAM_VARIABLE, upgrade->program, /* overwrite= */ 1);
	execv(OWN_PROGRAM, upgrade->argv);
}

/* ---- in the new program ---- */

bool upgrade_receive(struct upgrade *upgrade, struct reason *reterr)
{
	struct handover *handover = &upgrade->handover;
	int rc = handover_read(handover, reterr);

	if (rc == -ENOENT)
		return true;
	upgrade->phase = UPGRADE_TAKING;
	if (rc < 0)
		return false;
	memcpy(upgrade->program, handover->program, sizeof(upgrade->program));
	upgrade->note = (struct upgrade_note){.number = handover->number, .to = DISPLAYD_VERSION};
	snprintf(upgrade->note.from, sizeof(upgrade->note.from), "%s", handover->version);
	return true;
}

bool upgrade_was_handed_over(const struct upgrade *upgrade)
{
	return upgrade->phase == UPGRADE_TAKING;
}

const char *upgrade_config_file(const struct upgrade *upgrade, char ret_path[static 64])
{
	if (!upgrade->handover.returned[0])
		return NULL;
	snprintf(ret_path, 64, "/proc/self/fd/%d", upgrade->handover.config_fd);
	return ret_path;
}

void upgrade_go_back(struct upgrade *upgrade, const char *why)
{
	/* Return to the old program only once. */
	if (upgrade->phase == UPGRADE_TAKING && !upgrade->handover.returned[0])
		handover_return(&upgrade->handover, why, upgrade->argv);
}

/* Makes this program the current one again, without a renewal. */
static void come_back(struct upgrade *upgrade, struct instance *instance)
{
	instance_keep(instance, &upgrade->before);
	upgrade_fail(upgrade, instance, upgrade->handover.returned);
	handover_finish(&upgrade->handover);
}

enum exit_code upgrade_take_over(struct upgrade *upgrade, struct instance *instance,
				 const struct config *config, struct reason *reterr)
{
	return instance_take_over(instance, config, &upgrade->handover, &upgrade->before, reterr);
}

bool upgrade_take_children(struct upgrade *upgrade, struct instance *instance,
			   struct children *children, struct reason *reterr)
{
	uint64_t now_ms = clock_monotonic_ms();

	if (!children_adopt(children, &upgrade->handover, now_ms)) {
		reason_set(reterr, "the old program handed over an unknown process");
		instance_undo(instance, &upgrade->before);
		return false;
	}
	if (upgrade->handover.returned[0])
		come_back(upgrade, instance);
	else
		children_renew(children, now_ms);
	return true;
}

void upgrade_end(struct upgrade *upgrade, struct instance *instance, struct children *children,
		 bool is_done)
{
	int shared_fd = upgrade->handover.shared_fd;

	if (is_done) {
		instance_keep(instance, &upgrade->before);
	} else {
		/* Otherwise the file of a socket would remain without a listener. */
		instance_undo(instance, &upgrade->before);
		instance_hand_over(instance, &upgrade->handover);
		upgrade->handover.shared_fd = shared_fd;
		upgrade->handover.postmaster = instance->cluster.pid;
		children_hand_over(children, &upgrade->handover);
		upgrade_go_back(upgrade, "its workers did not start");
		instance_choose_urls(instance); /* by the sockets that it has again */
	}
	if (shared_fd != instance->shared_fd)
		close(shared_fd);
	handover_finish(&upgrade->handover);
	if (!is_done) {
		upgrade_fail(upgrade, instance,
			     "workers did not start, and the old program cannot be restored");
		return;
	}
	upgrade->phase = UPGRADE_IDLE;
	note(upgrade, instance, UPGRADE_DONE, "");
	log_info("supervisor", "upgraded", LOG_TEXT("from", upgrade->note.from),
		 LOG_TEXT("to", DISPLAYD_VERSION));
}

static bool is_under_way(enum upgrade_state state)
{
	return state == UPGRADE_CHECKING || state == UPGRADE_WAITING || state == UPGRADE_REPLACING;
}

void upgrade_note_start(struct upgrade *upgrade, const struct instance *instance)
{
	struct upgrade_note last;

	if (!upgrade_note_read(instance->config->state_dir, UPGRADE_NOTE, &last) ||
	    !is_under_way(last.state))
		return;
	upgrade->note = last;
	/* The new program had begun, and is started again now. */
	if (last.state == UPGRADE_REPLACING && strcmp(last.to, DISPLAYD_VERSION) == 0)
		note(upgrade, instance, UPGRADE_DONE, "displayd was restarted during the upgrade");
	else
		upgrade_fail(upgrade, instance, "displayd ended before the upgrade finished");
}

void upgrade_note_failed_start(struct upgrade *upgrade, const struct instance *instance)
{
	struct upgrade_note last;

	/* Without the lock, the file belongs to another server. */
	if (instance->lock_fd < 0 ||
	    !upgrade_note_read(instance->config->state_dir, UPGRADE_NOTE, &last) ||
	    last.state != UPGRADE_RESTARTING)
		return;
	upgrade->note = last;
	note(upgrade, instance, UPGRADE_FAILED, "the new program did not start, see its log");
}

void upgrade_note_ready(struct upgrade *upgrade, const struct instance *instance)
{
	struct upgrade_note last;

	if (!upgrade_note_read(instance->config->state_dir, UPGRADE_NOTE, &last) ||
	    last.state != UPGRADE_RESTARTING)
		return;
	upgrade->note = last;
	if (strcmp(last.to, DISPLAYD_VERSION) == 0)
		note(upgrade, instance, UPGRADE_DONE, last.reason);
	else
		upgrade_fail(upgrade, instance,
			     "the program that started is not the one that was checked");
}
