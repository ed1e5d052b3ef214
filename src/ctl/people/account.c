#include "domain/account.h"
#include "base/clock.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "db/account_removal.h"
#include "domain/person.h"

#include <inttypes.h>
#include <poll.h>

/* A removal that finds all that is left locked for so long ends. */
enum { GIVE_UP_MS = 30 * 1000 };

struct account_row {
	struct id id;
	struct str email;
	struct str name;
	int64_t created_at_us;
};

static const struct record_field fields[] = {
    RECORD_ID(struct account_row, id, .name = "id", .column = "id"),
    RECORD_STR(struct account_row, email, .name = "email", .column = "email"),
    RECORD_STR(struct account_row, name, .name = "name", .column = "name"),
    RECORD_TIMESTAMP(struct account_row, created_at_us, .name = "createdAt",
		     .column = "created_at"),
};
const struct record account_row_record = RECORD(struct account_row, fields);

enum ctl_exit ctl_account_create(struct ctl *ctl)
{
	struct str email = ctl->positionals[0], name = ctl_value(ctl, "name");
	struct ctl_rows rows;
	enum ctl_exit code;
	const char *fault = email_check(email);

	if (fault)
		return ctl_fail(CTL_USAGE, "the e-mail address %s", fault);
	if (str_equal_ignore_case(name, email))
		return ctl_fail(CTL_USAGE,
				"--name is shown to others and must not be the e-mail address");
	statement_account_create(
	    ctl_new_query(ctl),
	    &(struct account_create_parameters){.id = id_new(), .email = email, .name = name},
	    NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.refusal == REFUSAL_EMAIL_TAKEN)
		return ctl_fail(CTL_REFUSED, "there is an account %.*s already", STR_ARG(email));
	return ctl_print_row(ctl, &account_row_record, rows.rows);
}

struct owner_row {
	struct account_row account;
	int64_t devices;
	int64_t keys;
	int64_t apps;
	struct account_bytes bytes;
	bool is_reviewer;
	bool is_administrator;
	bool reaches_local;
};

static const struct record_field owner_fields[] = {
    RECORD_ID(struct owner_row, account.id, .name = "id", .column = "id"),
    RECORD_STR(struct owner_row, account.email, .name = "email", .column = "email"),
    RECORD_STR(struct owner_row, account.name, .name = "name", .column = "name"),
    RECORD_TIMESTAMP(struct owner_row, account.created_at_us, .name = "createdAt",
		     .column = "created_at"),
    RECORD_INT8(struct owner_row, devices, .name = "devices", .column = "devices"),
    RECORD_INT8(struct owner_row, keys, .name = "keys", .column = "keys"),
    RECORD_INT8(struct owner_row, apps, .name = "apps", .column = "apps"),
    RECORD_INT8(struct owner_row, bytes.bytes, .name = "bytes", .column = "bytes"),
    RECORD_INT8(struct owner_row, bytes.bytes_allowed, .name = "bytesAllowed",
		.column = "bytes_allowed"),
    RECORD_BOOL(struct owner_row, is_reviewer, .name = "isReviewer", .column = "is_reviewer"),
    RECORD_BOOL(struct owner_row, is_administrator, .name = "isAdministrator",
		.column = "is_administrator"),
    RECORD_BOOL(struct owner_row, reaches_local, .name = "reachesLocal", .column = "reaches_local"),
};
const struct record owner_row_record = RECORD(struct owner_row, owner_fields);

enum ctl_exit ctl_account_list(struct ctl *ctl)
{
	struct ctl_request request = {.path = STR("/web/admin/accounts")};
	struct ctl_rows rows;
	enum ctl_exit code = ctl_ask_rows(ctl, &request, &owner_row_record, &rows);

	return code == CTL_DONE ? ctl_print_rows(ctl, &owner_row_record, &rows) : code;
}

/* Runs the query, and prints the account that it returns. */
static enum ctl_exit print_account(struct ctl *ctl, const struct record *record, struct str email)
{
	struct ctl_rows rows;
	enum ctl_exit code = ctl_query(ctl, &rows);

	if (code != CTL_DONE)
		return code;
	return rows.count ? ctl_print_row(ctl, record, rows.rows) : ctl_fail_account(email);
}

/* Finds an account whose address no path can have as a part. */
static enum ctl_exit search(struct ctl *ctl, struct str email, struct owner_row *ret_owner)
{
	struct ctl_request request = {
	    .path = ARENA_JOIN(&ctl->arena, STR("/web/admin/accounts?q="), ctl_encode(ctl, email))};
	struct ctl_rows rows;
	enum ctl_exit code = ctl_ask_rows(ctl, &request, &owner_row_record, &rows);
	const struct owner_row *owners = rows.rows;

	for (unsigned i = 0; code == CTL_DONE && i < rows.count; i++) {
		if (str_equal_ignore_case(owners[i].account.email, email)) {
			*ret_owner = owners[i];
			return CTL_DONE;
		}
	}
	return code == CTL_DONE ? ctl_fail_account(email) : code;
}

static enum ctl_exit find_owner(struct ctl *ctl, struct str email, struct owner_row *ret_owner)
{
	struct ctl_request request = {0};

	if (!ctl_is_segment(email))
		return search(ctl, email, ret_owner);
	request.path = ARENA_JOIN(&ctl->arena, STR("/web/admin/accounts/"), ctl_encode(ctl, email));
	request.sentences[0] = (struct ctl_sentence){
	    404, NULL, ARENA_JOIN(&ctl->arena, STR("there is no account "), email)};
	return ctl_ask_row(ctl, &request, &owner_row_record, ret_owner);
}

enum ctl_exit ctl_account_show(struct ctl *ctl)
{
	struct str email = ctl->positionals[0];
	const char *fault = email_check(email);
	struct owner_row owner = {0};
	enum ctl_exit code;

	if (fault)
		return ctl_fail(CTL_USAGE, "the e-mail address %s", fault);
	code = find_owner(ctl, email, &owner);
	return code == CTL_DONE ? ctl_print_row(ctl, &owner_row_record, &owner) : code;
}

enum ctl_exit ctl_account_rename(struct ctl *ctl)
{
	struct str email = ctl->positionals[0], name = ctl->positionals[1];
	const char *fault = email_check(email);
	struct options_error why;

	if (fault)
		return ctl_fail(CTL_USAGE, "the e-mail address %s", fault);
	if (ctl_check_name((char *)(uintptr_t)name.data, &why) < 0)
		return ctl_fail(CTL_USAGE, "the name %s", why.text);
	if (str_equal_ignore_case(name, email))
		return ctl_fail(CTL_USAGE,
				"the name is shown to others and must not be the e-mail address");
	statement_account_name(ctl_new_query(ctl),
			       &(struct account_name_parameters){.email = email, .name = name},
			       NULL);
	return print_account(ctl, &account_row_record, email);
}

/* "default", or bytes. */
static bool read_limit(struct str text, int64_t *ret_bytes)
{
	unsigned long long bytes;

	*ret_bytes = 0;
	if (str_equal(text, STR("default")))
		return true;
	if (!str_to_uint64(text, ACCOUNT_BYTE_LIMIT_MAX, &bytes) || bytes == 0)
		return false;
	*ret_bytes = (int64_t)bytes;
	return true;
}

enum ctl_exit ctl_account_limit(struct ctl *ctl)
{
	struct str email = ctl->positionals[0];
	const char *fault = email_check(email);
	int64_t bytes;

	if (fault)
		return ctl_fail(CTL_USAGE, "the e-mail address %s", fault);
	if (!read_limit(ctl->positionals[1], &bytes))
		return ctl_fail(CTL_USAGE,
				"BYTES must be an integer from 1 to %" PRId64 ", or \"default\"",
				ACCOUNT_BYTE_LIMIT_MAX);
	statement_account_limit(
	    ctl_new_query(ctl),
	    &(struct account_limit_parameters){.email = email, .byte_limit = bytes}, NULL);
	return print_account(ctl, &owner_row_record, email);
}

enum ctl_exit ctl_account_previews(struct ctl *ctl)
{
	struct str email = ctl->positionals[0], which = ctl->positionals[1];
	const char *fault = email_check(email);

	if (fault)
		return ctl_fail(CTL_USAGE, "the e-mail address %s", fault);
	if (!str_equal(which, STR("local")) && !str_equal(which, STR("public")))
		return ctl_fail(CTL_USAGE, "ADDRESSES must be \"local\" or \"public\"");
	statement_account_previews(ctl_new_query(ctl),
				   &(struct account_previews_parameters){
				       .email = email,
				       .reaches_local = str_equal(which, STR("local")),
				   },
				   NULL);
	return print_account(ctl, &owner_row_record, email);
}

static const struct record_field removed_fields[] = {
    RECORD_ID(struct account_row, id, .name = "id", .column = "id"),
    RECORD_STR(struct account_row, email, .name = "email", .column = "email"),
};
const struct record account_removed_record = RECORD(struct account_row, removed_fields);

static enum ctl_exit find(struct ctl *ctl, struct str email, struct ctl_rows *ret_rows)
{
	enum ctl_exit code;

	statement_account_find(ctl_new_query(ctl),
			       &(struct account_find_parameters){.email = email}, NULL);
	code = ctl_query(ctl, ret_rows);
	if (code == CTL_DONE && ret_rows->count == 0)
		return ctl_fail_account(email);
	return code;
}

enum ctl_exit ctl_find_account(struct ctl *ctl, struct str email, struct id *ret_id)
{
	struct ctl_rows rows;
	enum ctl_exit code = find(ctl, email, &rows);

	if (code == CTL_DONE)
		*ret_id = ((const struct account_row *)rows.rows)->id;
	return code;
}

static enum ctl_exit fail_last_administrator(const struct account_row *account)
{
	return ctl_fail(CTL_REFUSED,
			"%.*s is the last administrator: make somebody else one first, see "
			"displayctl account link",
			STR_ARG(account->email));
}

/* Checks in advance: else the account's belongings would be gone before the database rejects its
 * own removal. */
static enum ctl_exit check_removal(struct ctl *ctl, const struct account_row *account)
{
	const struct removal_preview *preview;
	struct ctl_rows rows = {0};
	enum ctl_exit code;

	statement_account_removal_preview(
	    ctl_new_query(ctl), &(struct account_removal_preview_parameters){account->id}, NULL);
	code = ctl_query(ctl, &rows);
	preview = rows.rows;
	if (code == CTL_DONE && rows.count && preview->is_last_administrator)
		return fail_last_administrator(account);
	return code;
}

/* Its rights end before what it owns goes, which may take long. */
static enum ctl_exit shut(struct ctl *ctl, const struct account_row *account)
{
	struct ctl_rows rows = {0};
	enum ctl_exit code;

	statement_account_shut(ctl_new_query(ctl), &(struct account_shut_parameters){account->id},
			       NULL);
	code = ctl_query(ctl, &rows);
	return rows.refusal == REFUSAL_LAST_ADMINISTRATOR ? fail_last_administrator(account) : code;
}

static enum ctl_exit remove_in_portions(struct ctl *ctl, struct account_removal *removal)
{
	while (account_removal_next(removal, ctl_new_query(ctl), NULL)) {
		uint64_t begun_ms = clock_monotonic_ms();
		struct ctl_rows rows;
		enum ctl_exit code = ctl_query(ctl, &rows);

		if (code != CTL_DONE)
			return code;
		poll(
		    NULL, 0,
		    (int)account_removal_take(removal, rows.rows, clock_monotonic_ms() - begun_ms));
		if (removal->idle_ms >= GIVE_UP_MS)
			return ctl_fail(
			    CTL_FAILED,
			    "something else keeps rows of the account locked; nobody can "
			    "sign in, its keys are revoked, and the same command removes "
			    "what is left");
	}
	return CTL_DONE;
}

enum ctl_exit ctl_account_remove(struct ctl *ctl)
{
	struct str email = ctl->positionals[0];
	const struct account_row *account;
	struct account_removal removal;
	struct ctl_rows rows = {0};
	enum ctl_exit code = find(ctl, email, &rows);

	account = rows.rows;
	if (code == CTL_DONE)
		code = check_removal(ctl, account);
	if (code == CTL_DONE)
		code = ctl_confirm(ctl,
				   "This removes the account %.*s with its devices, keys and apps.",
				   STR_ARG(email));
	if (code != CTL_DONE)
		return code;
	/* Twice: a sign-in that the first one waited for is seen by the second, and no other one
	 * begins. */
	for (unsigned i = 0; i < 2 && code == CTL_DONE; i++)
		code = shut(ctl, account);
	if (code != CTL_DONE)
		return code;
	account_removal_begin(&removal, account->id);
	code = remove_in_portions(ctl, &removal);
	if (code != CTL_DONE)
		return code;
	if (!removal.has_removed)
		return ctl_fail_account(email);
	return ctl_print_row(ctl, &account_removed_record, account);
}
