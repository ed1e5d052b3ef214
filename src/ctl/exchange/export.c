/* displayctl export: writes the lines of one account, which the server sends from one snapshot, to
 * a file (ctl/exchange/account_file.h). */
#include "base/hex.h"
#include "ctl/ctl.h"
#include "ctl/exchange/account_file.h"
#include "ctl/exchange/new_file.h"
#include "ctl/exchange/pass_phrase.h"
#include "ctl/server/client.h"
#include "domain/account_import.h"

struct export
{
	struct ctl *ctl;
	struct new_file file;
	struct account_file_sum sum;
	struct str secrets;  /* line with the salt of secret settings; data NULL: none */
	struct buffer input; /* an incomplete line, or the last one */
	struct reason why;   /* why the file cannot be written */
	struct account_exported exported;
};

static void write_line(struct export *export, struct str line)
{
	account_file_sum_add(&export->sum, line);
	new_file_write(&export->file, line.data, line.length);
	new_file_write(&export->file, "\n", 1);
}

/* Writes each line when the next one has begun: the last line is the server's summary. */
static bool export_take(void *context, const void *data, size_t size)
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
	struct account_exported *exported = &export->exported;
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
	*ret_body = ctl_body(ctl, CTL_MEMBERS(ctl_text("fileKey", str_from(digits))));
	sodium_memzero(&key, sizeof(key));
	sodium_memzero(digits, sizeof(digits));
	return code;
}

static enum ctl_exit export_ask(struct export *export, struct str body)
{
	struct ctl *ctl = export->ctl;
	struct str account = ctl_value(ctl, "account");
	const struct ctl_request request = {
	    .method = "POST",
	    .path = ARENA_JOIN(&ctl->arena, STR("/web/admin/accounts/"), ctl_encode(ctl, account),
			       STR("/export")),
	    .body = body,
	    .take = export_take,
	    .take_context = export,
	    .subject = account,
	};
	enum ctl_exit code = ctl_ask_bytes(ctl, &request);

	return code == CTL_DONE ? write_end(export) : code;
}

static enum ctl_exit write_file(struct export *export, struct str body)
{
	enum ctl_exit code;

	if (new_file_open(&export->file, export->ctl->positionals[0].data, &export->why) < 0)
		return ctl_fail(CTL_FAILED, "%s", export->why.text);
	code = export_ask(export, body);
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
	struct export export = {.ctl = ctl};
	struct str body;
	enum ctl_exit code = make_key(&export, &body);

	account_file_sum_begin(&export.sum);
	if (code == CTL_DONE)
		code = write_file(&export, body);
	buffer_finish(&export.input);
	if (code != CTL_DONE)
		return code;
	if (export.exported.secrets_left_out)
		fprintf(stderr,
			"displayctl: secret settings of %lld installations are left out; use "
			"--pass-phrase-file to export them, encrypted\n",
			(long long)export.exported.secrets_left_out);
	if (str_equal(ctl->positionals[0], STR("-")))
		return CTL_DONE;
	return ctl_print_members(
	    ctl, CTL_MEMBERS(ctl_text("file", ctl->positionals[0]),
			     ctl_text("account", ctl_value(ctl, "account")),
			     ctl_number(ctl, "lines", (int64_t) export.sum.count),
			     ctl_number(ctl, "devices", export.exported.devices),
			     ctl_number(ctl, "apps", export.exported.apps),
			     ctl_number(ctl, "secretsLeftOut", export.exported.secrets_left_out)));
}
