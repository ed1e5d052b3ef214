#include "base/clock.h"
#include "ctl/ctl.h"
#include "main/state_dir.h"
#include "main/upgrade_note.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>

enum {
	LOOK_AGAIN_MS = 50,
	/* Workers of an upgrade before may retire for so long, and the new ones may take a minute.
	 */
	WAIT_MS = 1000 * 1000,
};

struct upgrade_row {
	struct str state;
	struct str from;
	struct str to;
	struct str reason;
};

static const struct record_field fields[] = {
    RECORD_STR(struct upgrade_row, state, .name = "state"),
    RECORD_STR(struct upgrade_row, from, .name = "from"),
    RECORD_STR(struct upgrade_row, to, .name = "to"),
    RECORD_STR(struct upgrade_row, reason, .name = "reason"),
};
static const struct record record = RECORD(struct upgrade_row, fields);

static bool is_over(const struct upgrade_note *note)
{
	return note->state == UPGRADE_DONE || note->state == UPGRADE_REFUSED ||
	       note->state == UPGRADE_FAILED;
}

/* Until the server has said what became of it. */
static enum ctl_exit wait_for_end(const struct ctl *ctl, pid_t server, unsigned long last,
				  struct upgrade_note *ret)
{
	uint64_t begun_ms = clock_monotonic_ms();

	do {
		if (upgrade_note_read(ctl->config.state_dir, ret) && ret->number > last &&
		    is_over(ret))
			return CTL_DONE;
		if (kill(server, 0) < 0 && errno == ESRCH)
			return ctl_fail(CTL_FAILED,
					"the server (pid %d) has ended: its log says why",
					(int)server);
		poll(NULL, 0, LOOK_AGAIN_MS);
	} while (clock_monotonic_ms() - begun_ms < WAIT_MS);
	if (ret->number <= last)
		return ctl_fail(CTL_FAILED,
				"the server (pid %d) has not begun the upgrade within %d s: its "
				"log says what it does",
				(int)server, WAIT_MS / 1000);
	return ctl_fail(CTL_FAILED, "the upgrade has not ended within %d s: it is %s%s%s",
			WAIT_MS / 1000, upgrade_state_name(ret->state), *ret->reason ? ": " : "",
			ret->reason);
}

static enum ctl_exit tell(struct ctl *ctl, const struct upgrade_note *note)
{
	struct upgrade_row row = {
	    .state = str_from(upgrade_state_name(note->state)),
	    .from = str_from(note->from),
	    .to = str_from(note->to),
	    .reason = str_from(note->reason),
	};

	if (note->state == UPGRADE_REFUSED)
		return ctl_fail(CTL_REFUSED, "not upgraded, %s goes on: %s", note->from,
				note->reason);
	if (note->state == UPGRADE_FAILED)
		return ctl_fail(CTL_FAILED, "the upgrade failed, %s goes on: %s", note->from,
				note->reason);
	return ctl_print_row(ctl, &record, &row);
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

enum ctl_exit ctl_upgrade(struct ctl *ctl)
{
	const char *state_dir = ctl->config.state_dir;
	struct upgrade_note note;
	unsigned long last;
	enum ctl_exit code;
	pid_t server;

	if (state_dir_is_locked(state_dir) != 1 || (server = state_dir_owner(state_dir)) <= 1)
		return ctl_fail(CTL_NOT_FOUND, "no server runs on the state directory %s",
				state_dir);
	if (!is_displayd(server))
		return ctl_fail(
		    CTL_REFUSED,
		    "process %d, which has the state directory %s, is no displayd that "
		    "can be replaced from here: one in a container needs a new container",
		    (int)server, state_dir);
	(void)upgrade_note_read(state_dir, &note);
	last = note.number;
	if (kill(server, SIGUSR2) < 0)
		return ctl_fail(CTL_REFUSED,
				"the server (pid %d) cannot be told: %s; run this as its user, or "
				"as root",
				(int)server, strerror(errno));
	code = wait_for_end(ctl, server, last, &note);
	return code == CTL_DONE ? tell(ctl, &note) : code;
}
