/* displayctl export: writes the lines of one account, which the server sends from one snapshot, to
 * a file (ctl/exchange/account_file.h). */
#include "base/hex.h"
#include "ctl/ctl.h"
#include "ctl/exchange/account_file.h"
#include "ctl/exchange/new_file.h"
#include "ctl/exchange/pass_phrase.h"
#include "ctl/server/client.h"
#include "domain/account_import.h"

struct export_row {
	struct str file;
	struct str account;
	int64_t lines;
	struct account_exported exported;
};

static const struct record_field fields[] = {
    RECORD_STR(struct export_row, file, .name = "file"),
    RECORD_STR(struct export_row, account, .name = "account"),
    RECORD_INT(struct export_row, lines, .name = "lines"),
    RECORD_INT(struct export_row, exported.devices, .name = "devices"),
    RECORD_INT(struct export_row, exported.apps, .name = "apps"),
    RECORD_INT(struct export_row, exported.secrets_left_out, .name = "secretsLeftOut"),
};
static const struct record record = RECORD(struct export_row, fields);

struct export
{
	struct ctl *ctl;
	struct new_file file;
	struct account_file_sum sum;
	struct str secrets;  /* line with the salt of secret settings; data NULL: none */
	struct buffer input; /* an incomplete line, or the last one */
	struct reason why;   /* why the file cannot be written */
	struct export_row row;
};

static void write_line(struct export *export, struct str line)
{
	account_file_sum_add(&export->sum, line);
	new_file_write(&export->file, line.data, line.length);
	new_file_write(&export->file, "\n", 1);
}

/* Writes each line when the next one has begun: the last line is the server's summary. */
static bool take(void *context, const void *data, size_t size)
{
	struct export *export = context;

	buffer_append(&export->input, data, size);
	while (export->file.error == 0) {
		struct str view = buffer_view(&export->input);
		size_t end = str_find(view, '\n');

		if (end + 1 >= view.length)
			break;
		write_line(export, (struct str){view.data, end});
		if (export->sum.count == 1 && export->secrets.data)
			write_line(export, export->secrets);
		buffer_consume(&export->input, end + 1);
	}
	return export->file.error == 0;
}

/* Reads the server's last line. */
static enum ctl_exit read_summary(struct export *export)
{
	struct json_document document = {0};
	struct str text = buffer_view(&export->input), why;
	struct account_exported *exported = &export->row.exported;
	bool is_read = json_parse(text, &export->ctl->arena, &document, &why) &&
		       record_read_answer(&account_exported_record, document.root,
					  &export->ctl->arena, exported);

	json_document_finish(&document);
	if (!is_read)
		return ctl_fail(CTL_FAILED, "the server's answer is incomplete");
	if (exported->problem.data)
		return ctl_fail(CTL_FAILED, "%.*s", STR_ARG(exported->problem));
	return CTL_DONE;
}

static enum ctl_exit write_end(struct export *export)
{
	char sum[2 * crypto_hash_sha256_BYTES + 1];
	enum ctl_exit code = read_summary(export);

	if (code != CTL_DONE)
		return code;
	if (export->sum.count == 0)
		return ctl_fail(CTL_FAILED, "the server's answer has no account");
	account_file_sum_text(&export->sum, sum);
	write_line(export, arena_printf(&export->ctl->arena,
					"{\"kind\":\"end\",\"lines\":%llu,\"sha256\":\"%s\"}",
					(unsigned long long)export->sum.count + 1, sum));
	export->row.lines = (int64_t) export->sum.count;
	return CTL_DONE;
}

/* Makes a key from the pass phrase, and the line with its salt. *ret_body: of the request. */
static enum ctl_exit make_key(struct export *export, struct str *ret_body)
{
	struct ctl *ctl = export->ctl;
	uint8_t salt[ACCOUNT_SALT_BYTES];
	char digits[2 * SETTINGS_KEY_BYTES + 1],
	    text[sodium_base64_ENCODED_LEN(ACCOUNT_SALT_BYTES, sodium_base64_VARIANT_ORIGINAL)];
	struct settings_key key;
	struct str phrase;
	enum ctl_exit code = pass_phrase_read(ctl, &phrase);

	*ret_body = STR("{}");
	if (code != CTL_DONE || !phrase.data)
		return code;
	randombytes_buf(salt, sizeof(salt));
	code = pass_phrase_key(phrase, salt, &key);
	hex_encode(key.bytes, sizeof(key.bytes), digits);
	sodium_bin2base64(text, sizeof(text), salt, sizeof(salt), sodium_base64_VARIANT_ORIGINAL);
	export->secrets = arena_printf(&ctl->arena, "{\"kind\":\"secrets\",\"salt\":\"%s\"}", text);
	*ret_body =
	    ctl_body(ctl, (const struct ctl_member[]){{"fileKey", str_from(digits), false}, {0}});
	sodium_memzero(&key, sizeof(key));
	sodium_memzero(digits, sizeof(digits));
	return code;
}

static enum ctl_exit ask(struct export *export, struct str body)
{
	struct ctl *ctl = export->ctl;
	const struct ctl_request request = {
	    .method = "POST",
	    .path = ARENA_JOIN(&ctl->arena, STR("/web/admin/accounts/"),
			       ctl_encode(ctl, export->row.account), STR("/export")),
	    .body = body,
	    .take = take,
	    .take_context = export,
	    .sentences = {{404, NULL,
			   ARENA_JOIN(&ctl->arena, STR("there is no account "),
				      export->row.account)}},
	};
	enum ctl_exit code = ctl_ask_bytes(ctl, &request);

	return code == CTL_DONE ? write_end(export) : code;
}

static enum ctl_exit write_file(struct export *export, struct str body)
{
	enum ctl_exit code;

	if (new_file_open(&export->file, export->row.file.data, &export->why) < 0)
		return ctl_fail(CTL_FAILED, "%s", export->why.text);
	code = ask(export, body);
	if (code != CTL_DONE && !export->file.error) {
		new_file_drop(&export->file);
		return code;
	}
	if (new_file_finish(&export->file, &export->why) < 0)
		return ctl_fail(CTL_FAILED, "%s", export->why.text);
	return code;
}

enum ctl_exit ctl_export(struct ctl *ctl)
{
	struct export export = {
	    .ctl = ctl, .row = {.file = ctl->positionals[0], .account = ctl_value(ctl, "account")}};
	struct str body;
	enum ctl_exit code = make_key(&export, &body);

	account_file_sum_begin(&export.sum);
	if (code == CTL_DONE)
		code = write_file(&export, body);
	buffer_finish(&export.input);
	if (code != CTL_DONE)
		return code;
	if (export.row.exported.secrets_left_out)
		fprintf(stderr,
			"displayctl: secret settings of %lld installations are left out; use "
			"--pass-phrase-file to export them, encrypted\n",
			(long long)export.row.exported.secrets_left_out);
	if (str_equal(export.row.file, STR("-")))
		return CTL_DONE;
	return ctl_print_row(ctl, &record, &export.row);
}
