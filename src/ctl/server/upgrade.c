#include "ctl/ctl.h"
#include "ctl/server/server_signal.h"

#include <signal.h>

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

static enum ctl_exit tell(struct ctl *ctl, const struct upgrade_note *note)
{
	struct upgrade_row row = {
	    .state = str_from(upgrade_state_name(note->state)),
	    .from = str_from(note->from),
	    .to = str_from(note->to),
	    .reason = str_from(note->reason),
	};

	if (note->state == UPGRADE_REFUSED)
		return ctl_fail(CTL_REFUSED, "not upgraded, %s continues: %s", note->from,
				note->reason);
	if (note->state == UPGRADE_FAILED)
		return ctl_fail(CTL_FAILED, "the upgrade failed, %s continues: %s", note->from,
				note->reason);
	return ctl_print_row(ctl, &record, &row);
}

enum ctl_exit ctl_upgrade(struct ctl *ctl)
{
	/* Workers of an upgrade before may retire for long, and the new ones may take a minute. */
	static const struct server_wish wish = {
	    .signal = SIGUSR2, .note = UPGRADE_NOTE, .what = "the upgrade", .wait_ms = 1000 * 1000};
	struct upgrade_note note;
	enum ctl_exit code = server_signal_and_wait(ctl, &wish, &note);

	return code == CTL_DONE ? tell(ctl, &note) : code;
}
