/* Asks the running server for an upgrade or a reload by a signal, and waits for the outcome. */
#include "base/clock.h"
#include "ctl/ctl.h"
#include "ctl/server/text.h"
#include "main/state_dir.h"
#include "main/upgrade_note.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>

enum { LOOK_AGAIN_MS = 50 };

struct server_wish {
	int signal;
	const char *note; /* name of its file: UPGRADE_NOTE, RELOAD_NOTE */
	const char *what; /* "the upgrade" */
	unsigned wait_ms;
};

static bool is_over(const struct upgrade_note *note)
{
	return note->state == UPGRADE_DONE || note->state == UPGRADE_REFUSED ||
	       note->state == UPGRADE_FAILED;
}

/* Waits until the server reports the outcome with a larger number than last, or ends, or wait_ms
 * have passed. */
static enum ctl_exit wait_for_end(const struct ctl *ctl, const struct server_wish *wish,
				  pid_t server, unsigned long last, struct upgrade_note *ret)
{
	uint64_t begun_ms = clock_monotonic_ms();

	do {
		if (upgrade_note_read(ctl->config.state_dir, wish->note, ret) &&
		    ret->number > last && is_over(ret))
			return CTL_DONE;
		if (kill(server, 0) < 0 && errno == ESRCH)
			return ctl_fail(CTL_FAILED, "the server (pid %d) has ended; see its log",
					(int)server);
		poll(NULL, 0, LOOK_AGAIN_MS);
	} while (clock_monotonic_ms() - begun_ms < wish->wait_ms);
	if (ret->number <= last)
		return ctl_fail(CTL_FAILED,
				"the server (pid %d) did not start %s within %u s; see its log",
				(int)server, wish->what, wish->wait_ms / 1000);
	return ctl_fail(CTL_FAILED, "%s did not finish within %u s: it is %s%s%s", wish->what,
			wish->wait_ms / 1000, upgrade_state_name(ret->state),
			*ret->reason ? ": " : "", ret->reason);
}

/* Whether the process is a displayd, so that no other process gets the signal: a displayctl may
 * hold the lock, and the ID of a process in a container may belong to another process here. */
static bool is_displayd(pid_t pid)
{
	char path[64], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = 0;
	fclose(file);
	return strcmp(name, "displayd\n") == 0;
}

/* Signals the server and waits. Returns CTL_DONE with the outcome in *ret, or another code after
 * printing the reason. */
static enum ctl_exit signal_and_wait(const struct ctl *ctl, const struct server_wish *wish,
				     struct upgrade_note *ret)
{
	const char *state_dir = ctl->config.state_dir;
	unsigned long last;
	pid_t server;

	if (state_dir_is_locked(state_dir) != 1 || (server = state_dir_owner(state_dir)) <= 1)
		return ctl_fail(CTL_DATABASE, CTL_NO_SERVER, state_dir);
	if (!is_displayd(server))
		return ctl_fail(
		    CTL_REFUSED,
		    "process %d with the state directory %s is not a displayd that displayctl can "
		    "signal; in a container, start a new container instead",
		    (int)server, state_dir);
	(void)upgrade_note_read(state_dir, wish->note, ret);
	last = ret->number;
	if (kill(server, wish->signal) < 0)
		return ctl_fail(
		    CTL_REFUSED,
		    "cannot signal the server (pid %d): %s; run this as its user, or as root",
		    (int)server, strerror(errno));
	return wait_for_end(ctl, wish, server, last, ret);
}

enum ctl_exit ctl_reload(struct ctl *ctl)
{
	/* Allow minutes: workers of an earlier reload may still be draining. */
	static const struct server_wish wish = {
	    .signal = SIGHUP, .note = RELOAD_NOTE, .what = "the reload", .wait_ms = 600 * 1000};
	struct upgrade_note note = {0};
	enum ctl_exit code = signal_and_wait(ctl, &wish, &note);

	if (code == CTL_DONE && note.state != UPGRADE_DONE)
		return ctl_fail(CTL_REFUSED, "not reloaded, the old configuration stays: %s",
				note.reason);
	if (code != CTL_DONE)
		return code;
	return ctl_print_members(
	    ctl, CTL_MEMBERS(ctl_text("state", str_from(upgrade_state_name(note.state))),
			     ctl_text("reason", str_from(note.reason))));
}

enum ctl_exit ctl_upgrade(struct ctl *ctl)
{
	/* Allow long: workers of an earlier upgrade may still be draining, and new ones may need a
	 * minute. */
	static const struct server_wish wish = {
	    .signal = SIGUSR2, .note = UPGRADE_NOTE, .what = "the upgrade", .wait_ms = 1000 * 1000};
	struct upgrade_note note = {0};
	enum ctl_exit code = signal_and_wait(ctl, &wish, &note);

	if (code == CTL_DONE && note.state == UPGRADE_REFUSED)
		return ctl_fail(CTL_REFUSED, "not upgraded, %s continues: %s", note.from,
				note.reason);
	if (code == CTL_DONE && note.state == UPGRADE_FAILED)
		return ctl_fail(CTL_FAILED, "the upgrade failed, %s continues: %s", note.from,
				note.reason);
	if (code != CTL_DONE)
		return code;
	return ctl_print_members(
	    ctl,
	    CTL_MEMBERS(ctl_text("state", str_from(upgrade_state_name(note.state))),
			ctl_text("from", str_from(note.from)), ctl_text("to", str_from(note.to)),
			ctl_text("reason", str_from(note.reason))));
}
