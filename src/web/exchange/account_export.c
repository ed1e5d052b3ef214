#include "base/limits.h"
#include "domain/account_import.h"
#include "task/list.h"
#include "web/access.h"
#include "web/endpoints.h"

#include <sodium.h>

/* POST /web/admin/accounts/{accountId}/export - the lines of an account's export, all from one
 * snapshot, and after them a line with the numbers. */

struct exporting {
	struct account_export body; /* first: the pre-handler checks read the request into it */
	struct operator_account_row account;
	struct settings_key file_key;
	bool has_file_key;
	bool has_line; /* an account that is gone has none */
	struct account_exported exported;
};

/* Ends a line with secret settings, encrypted for the file instead of for the instance. */
static void append_encrypted(struct task *task, const struct account_export_row *row,
			     struct buffer *text)
{
	struct exporting *exporting = task_state(task);
	struct arena arena = {0};
	struct buffer encrypted = {0};
	struct str json;

	if (!settings_decrypt(web_service_of(task)->api.settings_key, row->device_id, row->entry,
			      row->encrypted, &arena, &json)) {
		exporting->exported.problem =
		    arena_printf(task_arena(task), "of the installation \"%.*s\": %s",
				 STR_ARG(row->entry), settings_open_failed);
		buffer_append_char(text, '}');
	} else {
		settings_encrypt(&exporting->file_key, row->device_id, row->entry, json,
				 &encrypted);
		buffer_append_str(text, STR(",\"secretSettings\":\""));
		buffer_append_base64(text, buffer_view(&encrypted));
		buffer_append_str(text, STR("\"}"));
	}
	buffer_finish(&encrypted);
	arena_finish(&arena);
}

static void write_line(struct task *task, const void *element, struct buffer *text)
{
	struct exporting *exporting = task_state(task);
	const struct account_export_row *row = element;
	struct str line = row->line;

	exporting->has_line = true;
	exporting->exported.devices += str_equal(row->kind, STR("device"));
	exporting->exported.apps += str_equal(row->kind, STR("app"));
	if (row->encrypted.data && exporting->has_file_key) {
		line.length--; /* without the closing brace */
		buffer_append_str(text, line);
		append_encrypted(task, row, text);
	} else {
		exporting->exported.secrets_left_out += row->encrypted.data != NULL;
		buffer_append_str(text, line);
	}
	buffer_append_char(text, '\n');
}

static void write_end(struct task *task, struct buffer *text)
{
	struct exporting *exporting = task_state(task);

	if (!exporting->has_line)
		exporting->exported.problem = STR("the account has been removed meanwhile");
	record_write_json(&account_exported_record, &exporting->exported, text);
	buffer_append_char(text, '\n');
}

static void account_export_ask(struct task *task, struct db_query *query,
			       const struct list_range *range)
{
	const struct exporting *exporting = task_state(task);

	(void)range;
	statement_account_export(query, &(struct account_export_parameters){exporting->account.id},
				 NULL);
}

static const struct task_list list = {
    .ask = account_export_ask, .write_line = write_line, .write_end = write_end};

static struct step_result account_export_found(struct task *task)
{
	const struct exporting *exporting = task_state(task);

	if (task_row_count(task) == 0 || exporting->account.is_closed)
		return task_fail(task, PROBLEM_ACCOUNT_NOT_FOUND, "there is no such account");
	return task_reply_lines(task, &list);
}

static struct step_result account_export_begin(struct task *task)
{
	struct exporting *exporting = task_state(task);
	struct str name = task_path_parameter(task, 0);
	struct operator_account_parameters parameters = {.email = name};

	if (!task_is_of_operator(task))
		return web_refuse_all_but_operator(task);
	exporting->has_file_key = exporting->body.file_key.data &&
				  account_file_key(exporting->body.file_key, &exporting->file_key);
	if (!id_parse(name, &parameters.id))
		parameters.id = (struct id){0};
	statement_operator_account(task_new_query(task), &parameters, &exporting->account);
	return task_query(task, account_export_found);
}

static void account_export_finish(void *state)
{
	struct exporting *exporting = state;

	sodium_memzero(&exporting->file_key, sizeof(exporting->file_key));
}

ENDPOINT_ACCOUNT_EXPORT(.handler = account_export_begin, .state_size = sizeof(struct exporting),
			.finish = account_export_finish);
