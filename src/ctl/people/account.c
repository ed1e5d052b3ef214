#include "domain/account.h"
#include "base/clock.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"

#include <inttypes.h>
#include <poll.h>
#include <unistd.h>

/* Stop waiting for a removal that makes no progress for so long. Progress is the number of devices
 * and apps; installations and versions, which may take minutes, are not counted. */
enum { GIVE_UP_MS = 5 * 60 * 1000, LOOK_AGAIN_MS = 50 };

struct owner {
	struct id id;
	struct str email;
	int64_t devices;
	int64_t keys;
	int64_t apps;
};

static const struct record_field fields[] = {
    RECORD_ID(struct owner, id, .name = "id"),
    RECORD_STR(struct owner, email, .name = "email"),
    RECORD_INT8(struct owner, devices, .name = "devices"),
    RECORD_INT8(struct owner, keys, .name = "keys"),
    RECORD_INT8(struct owner, apps, .name = "apps"),
};
static const struct record owner_record = RECORD(struct owner, fields);

/* ---- account limit, account previews ---- */

/* Returns the limit in bytes in decimal, "0" for the default; data is NULL if it is invalid. */
static struct str read_limit(struct ctl *ctl, struct str text)
{
	unsigned long long bytes;

	if (str_equal(text, STR("default")))
		return STR("0");
	if (!str_to_uint64(text, ACCOUNT_BYTE_LIMIT_MAX, &bytes) || bytes == 0)
		return (struct str){0};
	return arena_printf(&ctl->arena, "%llu", bytes);
}

enum ctl_exit ctl_account_limit(struct ctl *ctl)
{
	struct str limit = read_limit(ctl, ctl->positionals[1]);

	if (!limit.data)
		return ctl_fail(CTL_USAGE,
				"BYTES must be an integer from 1 to %" PRId64 ", or \"default\"",
				ACCOUNT_BYTE_LIMIT_MAX);
	return ctl_plain_with(ctl, (const struct ctl_member[]){{"byteLimit", limit, true}, {0}});
}

enum ctl_exit ctl_account_previews(struct ctl *ctl)
{
	struct str which = ctl->positionals[1];
	bool is_local = str_equal(which, STR("local"));
	const struct ctl_member members[] = {
	    {"reachesLocal", is_local ? STR("true") : STR("false"), true}, {0}};

	if (!is_local && !str_equal(which, STR("public")))
		return ctl_fail(CTL_USAGE, "ADDRESSES must be \"local\" or \"public\"");
	return ctl_plain_with(ctl, members);
}

/* ---- account remove ---- */

/* Returns a text such as "3 devices". */
static struct str counted(struct ctl *ctl, int64_t count, const char *thing)
{
	return arena_printf(&ctl->arena, "%" PRId64 " %s%s", count, thing, count == 1 ? "" : "s");
}

static enum ctl_exit confirm(struct ctl *ctl, const struct owner *owner)
{
	return ctl_confirm(ctl,
			   "This removes the account %.*s with its devices, keys and apps. It has "
			   "%.*s, %.*s and %.*s.",
			   STR_ARG(owner->email), STR_ARG(counted(ctl, owner->devices, "device")),
			   STR_ARG(counted(ctl, owner->keys, "key")),
			   STR_ARG(counted(ctl, owner->apps, "app")));
}

/* Shows on a terminal what is left to remove; owner NULL: nothing. */
static void show_progress(const struct owner *owner)
{
	if (!isatty(STDERR_FILENO))
		return;
	fputs("\r\x1b[K", stderr);
	if (owner)
		fprintf(stderr, "%" PRId64 " devices and %" PRId64 " apps are left", owner->devices,
			owner->apps);
}

/* Waits until the account is removed completely. */
static enum ctl_exit wait_for_end(struct ctl *ctl, struct owner *owner)
{
	struct ctl_request request = {.path = ctl_path(ctl, "/web/admin/accounts/", owner->id, ""),
				      .sentences = {{.status = 404}}};
	uint64_t changed_ms = clock_monotonic_ms();
	struct owner left = {0};
	enum ctl_exit code;

	while ((code = ctl_ask_row(ctl, &request, &owner_record, &left)) == CTL_DONE) {
		if (left.devices != owner->devices || left.apps != owner->apps)
			changed_ms = clock_monotonic_ms();
		if (clock_monotonic_ms() - changed_ms >= GIVE_UP_MS)
			return ctl_fail(
			    CTL_FAILED,
			    "no data of the account was removed for five minutes, perhaps because "
			    "another program locks its rows; nobody can sign in, its keys are "
			    "revoked, and the server continues the removal");
		owner->devices = left.devices;
		owner->apps = left.apps;
		show_progress(owner);
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
	show_progress(NULL);
	return code == CTL_NOT_FOUND ? CTL_DONE : code;
}

enum ctl_exit ctl_account_remove(struct ctl *ctl)
{
	struct owner owner = {0};
	struct ctl_request request = {
	    .method = "DELETE",
	    .sentences = {{404, NULL,
			   STR("the account % is being removed already; the server continues by "
			       "itself")},
			  {409, NULL,
			   STR("% is the last administrator; make another one first, see "
			       "displayctl account link")}}};
	struct ctl_found found = {0};
	enum ctl_exit code = ctl_find_account(ctl, ctl->positionals[0], &found);

	if (code == CTL_DONE)
		code = ctl_read_row(ctl, found.json, &owner_record, &owner);
	if (code == CTL_DONE)
		code = confirm(ctl, &owner);
	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, "/web/admin/accounts/", owner.id, "");
	request.subject = owner.email;
	code = ctl_ask_row(ctl, &request, NULL, NULL);
	if (code == CTL_DONE)
		code = wait_for_end(ctl, &owner);
	return code == CTL_DONE ? ctl_print_json(ctl, found.json) : code;
}
