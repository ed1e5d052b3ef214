#include "ctl/ctl.h"
#include "ctl/server/server_signal.h"

#include <signal.h>

struct reload_row {
	struct str state;
	struct str reason;
};

static const struct record_field fields[] = {
    RECORD_STR(struct reload_row, state, .name = "state"),
    RECORD_STR(struct reload_row, reason, .name = "reason"),
};
static const struct record record = RECORD(struct reload_row, fields);

enum ctl_exit ctl_reload(struct ctl *ctl)
{
	/* Workers of a reload before may retire for minutes. */
	static const struct server_wish wish = {
	    .signal = SIGHUP, .note = RELOAD_NOTE, .what = "the reload", .wait_ms = 600 * 1000};
	struct upgrade_note note;
	enum ctl_exit code = server_signal_and_wait(ctl, &wish, &note);
	struct reload_row row;

	if (code != CTL_DONE)
		return code;
	if (note.state != UPGRADE_DONE)
		return ctl_fail(CTL_REFUSED, "not reloaded, the old configuration stays: %s",
				note.reason);
	row.state = str_from(upgrade_state_name(note.state));
	row.reason = str_from(note.reason);
	return ctl_print_row(ctl, &record, &row);
}
