/* displayctl export: one account in a file of lines (ctl/account_file.h), all of one moment. */
#include "base/hex.h"
#include "ctl/ctl.h"
#include "ctl/exchange/account_file.h"
#include "ctl/exchange/backup_tables.h"
#include "ctl/exchange/new_file.h"
#include "ctl/exchange/pass_phrase.h"
#include "main/secret_key.h"

struct export_row {
	struct str file;
	struct str account;
	int64_t lines;
	int64_t devices;
	int64_t apps;
	int64_t secrets_left_out;
};

static const struct record_field fields[] = {
    RECORD_STR(struct export_row, file, .name = "file"),
    RECORD_STR(struct export_row, account, .name = "account"),
    RECORD_INT(struct export_row, lines, .name = "lines"),
    RECORD_INT(struct export_row, devices, .name = "devices"),
    RECORD_INT(struct export_row, apps, .name = "apps"),
    RECORD_INT(struct export_row, secrets_left_out, .name = "secretsLeftOut"),
};
static const struct record record = RECORD(struct export_row, fields);

struct export
{
	struct ctl *ctl;
	struct new_file file;
	crypto_hash_sha256_state state;
	struct str phrase; /* NULL: secret settings stay behind */
	struct settings_key key, file_key;
	struct export_row row;
};

/* Writes the rows of a statement. They stay in an arena of their own while one row is written. */
typedef enum ctl_exit each_row(struct export *export, const struct ctl_rows *rows);

static enum ctl_exit run_query(struct export *export, each_row *write)
{
	struct ctl *ctl = export->ctl;
	struct ctl_rows rows = {0};
	enum ctl_exit code = ctl_query(ctl, &rows);

	return code == CTL_DONE ? write(export, &rows) : code;
}

static enum ctl_exit write_bytes(struct export *export, struct str bytes)
{
	struct reason why;

	crypto_hash_sha256_update(&export->state, (const uint8_t *)bytes.data, bytes.length);
	if (new_file_write(&export->file, bytes.data, bytes.length))
		return CTL_DONE;
	if (new_file_finish(&export->file, &why) == 0)
		return CTL_FAILED;
	return ctl_fail(CTL_FAILED, "%s", why.text);
}

static enum ctl_exit write_line(struct export *export, struct str line)
{
	enum ctl_exit code = write_bytes(export, line);

	export->row.lines++;
	return code == CTL_DONE ? write_bytes(export, STR("\n")) : code;
}

static struct str to_base64(struct arena *arena, const void *data, size_t size)
{
	size_t room = sodium_base64_ENCODED_LEN(size, sodium_base64_VARIANT_ORIGINAL);
	char *text = arena_alloc(arena, room);

	sodium_bin2base64(text, room, data, size, sodium_base64_VARIANT_ORIGINAL);
	return str_from(text);
}

/* The line with the secret settings, sealed for the file instead of the instance. */
static enum ctl_exit write_sealed(struct export *export, struct id device, struct str entry,
				  struct str line, struct str sealed)
{
	struct arena *arena = &export->ctl->arena;
	struct buffer again = {0};
	struct str json, text;

	if (!settings_open(&export->key, device, entry, sealed, arena, &json))
		return ctl_fail(CTL_FAILED, "of the installation \"%.*s\": %s", STR_ARG(entry),
				settings_open_failed);
	settings_seal(&export->file_key, device, entry, json, &again);
	text = to_base64(arena, again.data, buffer_length(&again));
	buffer_finish(&again);
	line.length--; /* the brace */
	return write_line(export,
			  ARENA_JOIN(arena, line, STR(",\"secretSettings\":\""), text, STR("\"}")));
}

/* ---- what an account has ---- */

static enum ctl_exit write_entries(struct export *export, struct id device)
{
	struct ctl *ctl = export->ctl;
	int64_t after = INT64_MIN;
	enum ctl_exit code = CTL_DONE;
	bool is_left = true;

	while (code == CTL_DONE && is_left) {
		struct arena kept = ctl->arena;
		const struct export_entry_row *row;
		struct ctl_rows rows = {0};

		ctl->arena = (struct arena){0};
		statement_export_entry(
		    ctl_new_query(ctl),
		    &(struct export_entry_parameters){.device_id = device, .after_rank = after},
		    NULL);
		code = ctl_query(ctl, &rows);
		row = rows.rows;
		is_left = code == CTL_DONE && rows.count > 0;
		if (is_left) {
			bool is_secret = row->sealed.data;

			after = row->rank;
			export->row.secrets_left_out += is_secret && !export->phrase.data;
			code = is_secret && export->phrase.data
				   ? write_sealed(export, device, row->id, row->line, row->sealed)
				   : write_line(export, row->line);
		}
		arena_finish(&ctl->arena);
		ctl->arena = kept;
	}
	return code;
}

static enum ctl_exit write_devices(struct export *export, const struct ctl_rows *rows)
{
	const struct export_devices_row *devices = rows->rows;
	enum ctl_exit code = CTL_DONE;

	for (unsigned i = 0; code == CTL_DONE && i < rows->count; i++) {
		code = write_line(export, devices[i].line);
		if (code == CTL_DONE)
			code = write_entries(export, devices[i].id);
	}
	export->row.devices = rows->count;
	return code;
}

static enum ctl_exit write_versions(struct export *export, struct id app)
{
	struct ctl *ctl = export->ctl;
	int64_t after = 0;
	enum ctl_exit code = CTL_DONE;
	bool is_left = true;

	while (code == CTL_DONE && is_left) {
		struct arena kept = ctl->arena;
		const struct export_version_row *row;
		struct ctl_rows rows = {0};

		ctl->arena = (struct arena){0};
		statement_export_version(
		    ctl_new_query(ctl),
		    &(struct export_version_parameters){.app_id = app, .after_sequence = after},
		    NULL);
		code = ctl_query(ctl, &rows);
		row = rows.rows;
		is_left = code == CTL_DONE && rows.count > 0;
		if (is_left) {
			after = row->sequence;
			code = write_line(export, row->line);
		}
		arena_finish(&ctl->arena);
		ctl->arena = kept;
	}
	return code;
}

static enum ctl_exit write_drafts(struct export *export, const struct ctl_rows *rows)
{
	const struct export_draft_row *draft = rows->rows;

	return rows->count ? write_line(export, draft->line) : CTL_DONE;
}

static enum ctl_exit write_apps(struct export *export, const struct ctl_rows *rows)
{
	const struct export_apps_row *apps = rows->rows;
	enum ctl_exit code = CTL_DONE;

	for (unsigned i = 0; code == CTL_DONE && i < rows->count; i++) {
		code = write_line(export, apps[i].line);
		if (code == CTL_DONE)
			code = write_versions(export, apps[i].id);
		if (code != CTL_DONE)
			return code;
		statement_export_draft(ctl_new_query(export->ctl),
				       &(struct export_draft_parameters){apps[i].id}, NULL);
		code = run_query(export, write_drafts);
	}
	export->row.apps = rows->count;
	return code;
}

static enum ctl_exit write_keys(struct export *export, const struct ctl_rows *rows)
{
	const struct export_keys_row *keys = rows->rows;
	enum ctl_exit code = CTL_DONE;

	for (unsigned i = 0; code == CTL_DONE && i < rows->count; i++)
		code = write_line(export, keys[i].line);
	return code;
}

static enum ctl_exit write_end(struct export *export)
{
	crypto_hash_sha256_state state = export->state;
	uint8_t sum[crypto_hash_sha256_BYTES];
	char digits[2 * crypto_hash_sha256_BYTES + 1];

	crypto_hash_sha256_final(&state, sum);
	hex_encode(sum, sizeof(sum), digits);
	return write_line(export,
			  arena_printf(&export->ctl->arena,
				       "{\"kind\":\"end\",\"lines\":%lld,\"sha256\":\"%s\"}",
				       (long long)export->row.lines + 1, digits));
}

/* ---- all of it ---- */

static enum ctl_exit write_secrets(struct export *export)
{
	const struct config *config = &export->ctl->config;
	uint8_t salt[ACCOUNT_SALT_BYTES];
	struct reason why;
	struct str line;
	enum ctl_exit code;
	int found;

	if (!export->phrase.data)
		return CTL_DONE;
	found = secret_key_find(config->state_dir, config->secret_key_file, &export->key, &why);
	if (found < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	randombytes_buf(salt, sizeof(salt));
	code = pass_phrase_key(export->phrase, salt, &export->file_key);
	line = ARENA_JOIN(&export->ctl->arena, STR("{\"kind\":\"secrets\",\"salt\":\""),
			  to_base64(&export->ctl->arena, salt, sizeof(salt)), STR("\"}"));
	return code == CTL_DONE ? write_line(export, line) : code;
}

static enum ctl_exit write_all(struct export *export, const struct export_account_row *account)
{
	struct ctl *ctl = export->ctl;
	enum ctl_exit code = write_line(export, account->line);

	if (code == CTL_DONE)
		code = write_secrets(export);
	if (code == CTL_DONE) {
		statement_export_apps(ctl_new_query(ctl),
				      &(struct export_apps_parameters){account->id}, NULL);
		code = run_query(export, write_apps);
	}
	if (code == CTL_DONE) {
		statement_export_devices(ctl_new_query(ctl),
					 &(struct export_devices_parameters){account->id}, NULL);
		code = run_query(export, write_devices);
	}
	if (code == CTL_DONE) {
		statement_export_keys(ctl_new_query(ctl),
				      &(struct export_keys_parameters){account->id}, NULL);
		code = run_query(export, write_keys);
	}
	return code == CTL_DONE ? write_end(export) : code;
}

static enum ctl_exit write_file(struct export *export, const struct export_account_row *account)
{
	struct reason why;
	enum ctl_exit code;

	if (new_file_open(&export->file, export->row.file.data, &why) < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	code = write_all(export, account);
	if (code != CTL_DONE) {
		new_file_drop(&export->file);
		return code;
	}
	if (new_file_finish(&export->file, &why) < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	return CTL_DONE;
}

static enum ctl_exit run(struct ctl *ctl, void *context)
{
	struct export *export = context;
	struct ctl_rows rows = {0};
	enum ctl_exit code = backup_run(ctl, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");

	if (code != CTL_DONE)
		return code;
	ctl->is_in_transaction = true; /* until the connection ends */
	statement_export_account(ctl_new_query(ctl),
				 &(struct export_account_parameters){export->row.account}, NULL);
	code = ctl_query(ctl, &rows);
	if (code == CTL_DONE && rows.count == 0)
		return ctl_fail_account(export->row.account);
	return code == CTL_DONE ? write_file(export, rows.rows) : code;
}

enum ctl_exit ctl_export(struct ctl *ctl)
{
	struct export export = {
	    .ctl = ctl, .row = {.file = ctl->positionals[0], .account = ctl_value(ctl, "account")}};
	enum ctl_exit code = pass_phrase_read(ctl, &export.phrase);

	crypto_hash_sha256_init(&export.state);
	if (code == CTL_DONE)
		code = ctl_with_database(ctl, /* alone= */ false, run, &export);
	sodium_memzero(&export.key, sizeof(export.key));
	sodium_memzero(&export.file_key, sizeof(export.file_key));
	if (code != CTL_DONE)
		return code;
	if (export.row.secrets_left_out)
		fprintf(stderr,
			"displayctl: secret settings of %lld installations are left out; with "
			"--pass-phrase-file they travel, encrypted\n",
			(long long)export.row.secrets_left_out);
	if (str_equal(export.row.file, STR("-")))
		return CTL_DONE;
	return ctl_print_row(ctl, &record, &export.row);
}
