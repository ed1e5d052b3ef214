#include "base/clock.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"

#include <inttypes.h>
#include <poll.h>
#include <unistd.h>

/* Stop waiting for a removal that makes no progress for so long. Progress is a change of what the
 * server shows of the account; installations and versions, which may take minutes, are not counted.
 */
enum { GIVE_UP_MS = 5 * 60 * 1000, LOOK_AGAIN_MS = 50 };

/* Shows on a terminal what is left to remove; account: its data is NULL for nothing. */
static void show_progress(struct str account)
{
	if (!isatty(STDERR_FILENO))
		return;
	fputs("\r\x1b[K", stderr);
	if (account.data)
		fprintf(stderr, "%" PRId64 " devices and %" PRId64 " apps are left",
			ctl_json_number(account, "devices"), ctl_json_number(account, "apps"));
}

/* Waits until the account is removed completely. */
static enum ctl_exit wait_for_end(struct ctl *ctl, struct str account)
{
	struct ctl_request request = {.path = ARENA_JOIN(&ctl->arena, STR("/web/admin/accounts/"),
							 ctl_json_text(ctl, account, "id")),
				      .sentences = {{.status = 404}}};
	uint64_t changed_ms = clock_monotonic_ms();
	struct str left = {0};
	enum ctl_exit code;

	while ((code = ctl_ask_json(ctl, &request, &left)) == CTL_DONE) {
		if (!str_equal(left, account))
			changed_ms = clock_monotonic_ms();
		if (clock_monotonic_ms() - changed_ms >= GIVE_UP_MS)
			return ctl_fail(
			    CTL_FAILED,
			    "no data of the account was removed for five minutes, perhaps because "
			    "another program locks its rows; nobody can sign in, its keys are "
			    "revoked, and the server continues the removal");
		account = left;
		show_progress(account);
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
	show_progress((struct str){0});
	return code == CTL_NOT_FOUND ? CTL_DONE : code;
}

enum ctl_exit ctl_account_remove(struct ctl *ctl)
{
	struct str account = {0};
	enum ctl_exit code = ctl_ask_plain(ctl, NULL, &account);

	if (code == CTL_DONE)
		code = wait_for_end(ctl, account);
	return code == CTL_DONE ? ctl_print_json(ctl, account) : code;
}
