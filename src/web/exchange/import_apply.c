#include "base/limits.h"
#include "base/memory.h"
#include "domain/account_import.h"
#include "domain/account_line.h"
#include "task/access.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* POST /web/admin/imports/{importId}/apply - makes the account from all lines, in one transaction,
 * or nothing. A repeated request gets the same answer. */

/* Less than the limit of the statement, so that the database ends it, and reports that. */
enum { APPLY_S = LIMIT_APART_MS / 1000 - 60 };

struct applying {
	struct account_import_apply_row row;
	struct account_imported imported;
};

/* Explains the rule that forbids a line, in this instance or in the file itself: a constraint, or
 * an SQLSTATE. */
static const char *explain(const struct account_import_apply_row *row)
{
	static const struct {
		const char *rule, *text;
	} rules[] = {
	    {"account_email_unique",
	     "there is an account with this e-mail address already: remove it first, or give "
	     "another address with --email"},
	    {"app_pkey", "there is an app with this ID already: was the account imported before?"},
	    {"app_slug_unique", "there is another app with this slug"},
	    {"app_slug_public_unique", "there is another app with this slug"},
	    {"app_slug_collection_unique", "there is another app with this slug"},
	    {"app_version_name_unique", "its app has a version of this name already"},
	    {"app_version_one_pending", "two versions of its app await review"},
	    {"app_version_limit", "its app already has the maximum number of versions"},
	    {"app_deployed_is_approved", "it is deployed but was not approved"},
	    {"app_version_reviewed", "its review does not match its status"},
	    {"app_version_rejected", "its review does not match its status"},
	    {"device_pkey",
	     "there is a device with this ID already: was the account imported before?"},
	    {"device_serial_unique", "there is another device with this serial number"},
	    {"device_mac_unique", "there is another device with this MAC address"},
	    {"device_entry_limit", "its device has 100 entries already"},
	    {"installation_pkey", "its device has an entry with this ID already"},
	    {"api_key_pkey", "this key exists already: was the account imported before?"},
	    {"api_key_secret_hash_unique",
	     "this key exists already: was the account imported before?"},
	    {"account_key_limit", "the account already has the maximum number of keys"},
	    {"account_app_limit", "it has more apps than an account may have"},
	    {"passkey_credential_id_unique", "an account has this passkey already"},
	    {"account_passkey_limit", "the account already has the maximum number of passkeys"},
	    {"import_picture_size", "its picture has more bytes than its device accepts"},
	    {"import_leader_missing", "the file has no device that it follows"},
	    {"device_leader_leads", "a device follows one that follows another"},
	};

	for (unsigned i = 0; i < array_length(rules); i++)
		if (str_equal(row->rule, str_from(rules[i].rule)))
			return rules[i].text;
	if (str_equal(row->rule, STR("import_order")))
		return str_equal(row->failed_kind, STR("entry"))
			   ? "it does not belong to the previous device"
		       : str_equal(row->failed_kind, STR("version")) ||
			       str_equal(row->failed_kind, STR("draft"))
			   ? "it does not belong to the previous app"
			   : "it is not allowed at this line of the file";
	if (str_equal(row->rule, STR("22023")) && str_equal(row->failed_kind, STR("device")))
		return "the database does not know its time zone";
	return "the database cannot store one of its values: a time, a number or a text";
}

static struct step_result fail_line(struct task *task, const struct account_import_apply_row *row)
{
	if (str_equal(row->rule, STR("import_app_missing")))
		return task_fail(task, PROBLEM_IMPORT_CONFLICT,
				 "line %lld of the file: there is no app \"%.*s\" here that the "
				 "account can install; --skip-missing-apps leaves such entries "
				 "out; nothing was changed",
				 (long long)row->failed_line, STR_ARG(row->failed_name));
	if (str_equal(row->rule, STR("import_time")))
		return task_fail(task, PROBLEM_IMPORT_CONFLICT,
				 "the database has made %lld lines of the file in %d minutes, and "
				 "an import may take no longer; nothing was changed",
				 (long long)row->failed_line - 1, APPLY_S / 60);
	return task_fail(task, PROBLEM_IMPORT_CONFLICT,
			 "line %lld of the file: %.*s \"%.*s\": %s; nothing was changed",
			 (long long)row->failed_line, STR_ARG(row->failed_kind),
			 STR_ARG(row->failed_name), explain(row));
}

static struct step_result applied(struct task *task)
{
	struct applying *applying = task_state(task);
	const struct account_import_apply_row *row = &applying->row;

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_IMPORT_NOT_FOUND, "there is no such import");
	if (row->is_busy)
		return task_fail_busy(task, PROBLEM_SERVER_BUSY, 1, "the import is being applied");
	if (row->rule.length)
		return fail_line(task, row);
	applying->imported = (struct account_imported){
	    .account = row->account,
	    .devices = row->devices,
	    .entries = row->entries,
	    .apps = row->apps,
	    .versions = row->versions,
	    .keys = row->keys,
	    .skipped = row->skipped,
	};
	web_changed(task, (struct id){0}, "admin");
	return task_reply_record(task, 200, &account_imported_record, &applying->imported);
}

static struct step_result import_apply_begin(struct task *task)
{
	struct applying *applying = task_state(task);
	struct id id;

	if (!task_is_of_operator(task))
		return web_refuse_all_but_operator(task);
	if (!id_parse(task_path_parameter(task, 0), &id))
		return task_fail(task, PROBLEM_IMPORT_NOT_FOUND, "there is no such import");
	statement_account_import_apply(
	    task_new_query(task),
	    &(struct account_import_apply_parameters){.id = id,
						      .session_id = access_operator_session(),
						      .limit_s = APPLY_S,
						      .columns = str_from(account_line_columns)},
	    &applying->row);
	return task_query(task, applied);
}

ENDPOINT_ACCOUNT_IMPORT_APPLY(.handler = import_apply_begin, .state_size = sizeof(struct applying));
