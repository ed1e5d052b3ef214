#include "ctl/server/server_signal.h"
#include "base/clock.h"
#include "main/state_dir.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>

enum { LOOK_AGAIN_MS = 50 };

static bool is_over(const struct upgrade_note *note)
{
	return note->state == UPGRADE_DONE || note->state == UPGRADE_REFUSED ||
	       note->state == UPGRADE_FAILED;
}

/* Until the server has said what became of it. */
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

/* The lock may be displayctl's, and the number in it that of a process in a container, which is
 * another one here: no process but a displayd gets the signal. */
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

enum ctl_exit server_signal_and_wait(const struct ctl *ctl, const struct server_wish *wish,
				     struct upgrade_note *ret)
{
	const char *state_dir = ctl->config.state_dir;
	unsigned long last;
	pid_t server;

	if (state_dir_is_locked(state_dir) != 1 || (server = state_dir_owner(state_dir)) <= 1)
		return ctl_fail(CTL_NOT_FOUND, "no server runs on the state directory %s",
				state_dir);
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
