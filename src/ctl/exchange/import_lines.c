#include "ctl/exchange/import_lines.h"
#include "ctl/devices/settings_key.h"
#include "ctl/exchange/pass_phrase.h"
#include "domain/app.h"

#include <text/base64.h>

static enum ctl_exit run(struct account_import *import, const struct account_line *line)
{
	bool has_row;

	return import_run(import, line, &has_row);
}

static enum ctl_exit import_account(struct account_import *import, const struct account_line *line)
{
	struct str given = ctl_value(import->ctl, "email");
	struct str email = given.data ? given : line->email;

	snprintf(import->email, sizeof(import->email), "%.*s", STR_ARG(email));
	import->account_id = id_new();
	statement_import_account(
	    ctl_new_query(import->ctl),
	    &(struct import_account_parameters){
		.id = import->account_id, .email = str_from(import->email), .line = line->text},
	    NULL);
	return run(import, line);
}

static enum ctl_exit import_secrets(struct account_import *import, const struct account_line *line)
{
	uint8_t salt[ACCOUNT_SALT_BYTES + 3];
	size_t size = 0;
	enum ctl_exit code;

	if (ctl_value(import->ctl, "without-secrets").data)
		return CTL_DONE;
	if (!import->phrase.data)
		return ctl_fail(CTL_REFUSED,
				"the file has secret settings: give their --pass-phrase-file, or "
				"leave them behind by --without-secrets");
	if (!import->has_key)
		return ctl_fail(CTL_REFUSED, "this instance has no key for secret settings yet: "
					     "start displayd once");
	if (line->salt.length > 24 || base64_decode(line->salt, salt, &size) < 0 ||
	    size != ACCOUNT_SALT_BYTES)
		return import_fail_line(import, "its salt must have %d bytes", ACCOUNT_SALT_BYTES);
	code = settings_key_check(import->ctl, &import->key);
	if (code != CTL_DONE)
		return code;
	return pass_phrase_key(import->phrase, salt, &import->file_key);
}

/* Nothing is published by an import alone. */
static enum ctl_exit import_app(struct account_import *import, const struct account_line *line)
{
	bool stays = ctl_value(import->ctl, "public-apps").data;

	import->app_id = line->id;
	import->row.apps++;
	statement_import_app(ctl_new_query(import->ctl),
			     &(struct import_app_parameters){
				 .account_id = import->account_id,
				 .visibility = stays ? (struct str){0} : STR("private"),
				 .line = line->text,
			     },
			     NULL);
	return run(import, line);
}

static enum ctl_exit import_version(struct account_import *import, const struct account_line *line)
{
	char checksum[APP_CHECKSUM_LENGTH + 1];

	import->row.versions++;
	app_checksum(line->script_language, line->script_content, checksum);
	statement_import_version(ctl_new_query(import->ctl),
				 &(struct import_version_parameters){
				     .id = id_new(),
				     .app_id = import->app_id,
				     .checksum = str_from(checksum),
				     .line = line->text,
				 },
				 NULL);
	return run(import, line);
}

static enum ctl_exit import_draft(struct account_import *import, const struct account_line *line)
{
	statement_import_draft(
	    ctl_new_query(import->ctl),
	    &(struct import_draft_parameters){.app_id = import->app_id, .line = line->text}, NULL);
	return run(import, line);
}

static enum ctl_exit import_device(struct account_import *import, const struct account_line *line)
{
	import->device_id = line->id;
	import->picture_limit_bytes = line->picture_limit_bytes;
	import->position = 0;
	import->row.devices++;
	statement_import_device(ctl_new_query(import->ctl),
				&(struct import_device_parameters){.account_id = import->account_id,
								   .line = line->text},
				NULL);
	return run(import, line);
}

static enum ctl_exit import_key(struct account_import *import, const struct account_line *line)
{
	import->row.keys++;
	statement_import_key(
	    ctl_new_query(import->ctl),
	    &(struct import_key_parameters){.account_id = import->account_id, .line = line->text},
	    NULL);
	return run(import, line);
}

static enum ctl_exit import_passkey(struct account_import *import, const struct account_line *line)
{
	statement_import_passkey(
	    ctl_new_query(import->ctl),
	    &(struct import_passkey_parameters){
		.id = id_new(), .account_id = import->account_id, .line = line->text},
	    NULL);
	return run(import, line);
}

static enum ctl_exit import_end(struct account_import *import, const struct account_line *line)
{
	statement_import_tell(ctl_new_query(import->ctl),
			      &(struct import_tell_parameters){.email = str_from(import->email),
							       .action = STR("account.import")},
			      NULL);
	return run(import, line);
}

enum ctl_exit import_line(struct account_import *import, const struct account_line *line)
{
	static enum ctl_exit (*const functions[ACCOUNT_LINE_KINDS])(struct account_import *,
								    const struct account_line *) = {
	    [ACCOUNT_LINE_ACCOUNT] = import_account, [ACCOUNT_LINE_SECRETS] = import_secrets,
	    [ACCOUNT_LINE_APP] = import_app,	     [ACCOUNT_LINE_VERSION] = import_version,
	    [ACCOUNT_LINE_DRAFT] = import_draft,     [ACCOUNT_LINE_DEVICE] = import_device,
	    [ACCOUNT_LINE_ENTRY] = import_entry,     [ACCOUNT_LINE_KEY] = import_key,
	    [ACCOUNT_LINE_PASSKEY] = import_passkey, [ACCOUNT_LINE_END] = import_end,
	};

	return functions[line->kind](import, line);
}
