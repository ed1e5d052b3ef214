/* displayctl import: sends the lines of an export to the server, which creates the complete account
 * or nothing. */
#include "base/hex.h"
#include "ctl/ctl.h"
#include "ctl/exchange/account_file.h"
#include "ctl/exchange/pass_phrase.h"
#include "ctl/server/client.h"
#include "ctl/server/remote.h"
#include "domain/secret_settings.h"

#include <errno.h>
#include <unistd.h>

enum {
	PART_BYTES = 256 * 1024, /* lines are sent at this size, or at PART_LINES */
	PART_LINES = 2000,
	APPLY_PATIENCE_MS = 11 * 60 * 1000, /* a little longer than the server needs at most */
};

struct import {
	struct ctl *ctl;
	struct account_reader reader;
	struct str phrase; /* data NULL: not given */
	char file_key[2 * SETTINGS_KEY_BYTES + 1];
	struct str path;		 /* path of the import; data NULL: not begun */
	struct buffer part;		 /* lines not sent yet */
	uint64_t part_count, sent_count; /* numbers of lines */
};

/* ---- the server ---- */

static enum ctl_exit import_begin(struct import *import)
{
	struct ctl *ctl = import->ctl;
	bool is_public = ctl_value(ctl, "public-apps").data;
	bool skips = ctl_value(ctl, "skip-missing-apps").data;
	const struct ctl_request request = {
	    .method = "POST",
	    .path = STR("/web/admin/imports"),
	    .body = ctl_body(ctl, CTL_MEMBERS({"email", ctl_value(ctl, "email"), false},
					      ctl_flag("publicApps", is_public),
					      ctl_flag("skipMissingApps", skips))),
	};
	struct str created = {0};
	enum ctl_exit code = ctl_ask_json(ctl, &request, &created);

	if (code == CTL_DONE)
		import->path = ARENA_JOIN(&ctl->arena, STR("/web/admin/imports/"),
					  ctl_json_text(ctl, created, "id"));
	return code;
}

/* Returns a request that may be repeated: the server may restart during the import. */
static struct ctl_request request_of(struct import *import, const char *method, const char *what)
{
	return (struct ctl_request){
	    .method = method,
	    .path = ARENA_JOIN(&import->ctl->arena, import->path, str_from(what)),
	    .may_repeat = true,
	    .sentences = {{404, NULL,
			   STR("the server ended the import because it was not continued in time; "
			       "nothing was changed")}},
	};
}

static void show_progress(const struct import *import)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%llu lines", (unsigned long long)import->sent_count);
}

static enum ctl_exit send_part(struct import *import)
{
	struct ctl *ctl = import->ctl;
	struct str key = str_from(import->file_key[0] ? import->file_key : NULL);
	struct ctl_request request = request_of(import, "POST", "/lines");
	struct buffer body = {0};
	enum ctl_exit code;

	if (!import->part_count)
		return CTL_DONE;
	ctl_write_body(
	    (const struct ctl_member[]){
		{"firstLine", arena_decimal(&ctl->arena, (int64_t)import->sent_count + 1), true},
		{"lines", buffer_view(&import->part), false},
		{"fileKey", key, false},
		{0}},
	    &body);
	request.body = buffer_view(&body);
	code = ctl_ask_row(ctl, &request, NULL, NULL);
	buffer_finish(&body);
	import->sent_count += import->part_count;
	import->part_count = 0;
	buffer_clear(&import->part);
	show_progress(import);
	return code;
}

static enum ctl_exit apply(struct import *import, struct str *ret_imported)
{
	struct ctl_request request = request_of(import, "POST", "/apply");

	request.patience_ms = APPLY_PATIENCE_MS;
	return ctl_ask_json(import->ctl, &request, ret_imported);
}

/* Ends a rejected import. If that fails, the server ends it later. */
static void import_end(const struct import *import)
{
	const struct server_target target = remote_target(import->ctl);
	struct server_answer answer;
	struct reason why;

	(void)!server_socket_ask(&target,
				 &(struct server_request){.method = "DELETE", .path = import->path},
				 &answer, &why);
	server_answer_finish(&answer);
}

/* ---- the file ---- */

static enum ctl_exit take_secrets(struct import *import, const struct account_file_line *line)
{
	struct settings_key key;
	enum ctl_exit code;

	if (ctl_value(import->ctl, "without-secrets").data)
		return CTL_DONE;
	if (!import->phrase.data)
		return ctl_fail(CTL_REFUSED,
				"the file has secret settings; use --pass-phrase-file, or "
				"--without-secrets to leave them out");
	if (!line->has_salt)
		return ctl_fail(CTL_REFUSED, "line %llu of the file: its salt must have %d bytes",
				(unsigned long long)import->reader.sum.count, ACCOUNT_SALT_BYTES);
	code = pass_phrase_key(import->phrase, line->salt, &key);
	hex_encode(key.bytes, sizeof(key.bytes), import->file_key);
	sodium_memzero(&key, sizeof(key));
	return code;
}

/* Adds a line to the part. The line of secrets is not sent, but it is counted. */
static enum ctl_exit take_line(struct import *import, const struct account_file_line *line)
{
	enum ctl_exit code = import->path.data ? CTL_DONE : import_begin(import);

	if (code != CTL_DONE || line->kind == ACCOUNT_FILE_END)
		return code == CTL_DONE ? send_part(import) : code;
	if (line->kind == ACCOUNT_FILE_SECRETS) {
		code = send_part(import);
		import->sent_count++;
		return code == CTL_DONE ? take_secrets(import, line) : code;
	}
	if (import->part_count)
		buffer_append_char(&import->part, '\n');
	buffer_append_str(&import->part, line->text);
	import->part_count++;
	if (buffer_length(&import->part) < PART_BYTES && import->part_count < PART_LINES)
		return CTL_DONE;
	return send_part(import);
}

/* Reads and adds a line. Its memory is freed before the next one is read. */
static enum ctl_exit take_next(struct import *import, bool *ret_is_end)
{
	struct account_file_line line;
	struct arena arena = {0};
	struct reason why;
	enum ctl_exit code;

	*ret_is_end = true;
	if (account_read(&import->reader, &arena, &line, &why) == 0) {
		code = take_line(import, &line);
		*ret_is_end = line.kind == ACCOUNT_FILE_END;
	} else {
		/* Send the lines before it first: one of them may be invalid, too. */
		code = import->path.data ? send_part(import) : CTL_DONE;
		if (code == CTL_DONE)
			code = ctl_fail(CTL_REFUSED, "%s", why.text);
	}
	arena_finish(&arena);
	return code;
}

static enum ctl_exit import_run(struct import *import, struct str *ret_imported)
{
	enum ctl_exit code = pass_phrase_read(import->ctl, &import->phrase);
	bool is_end = false;

	account_reader_begin(&import->reader);
	while (code == CTL_DONE && !is_end)
		code = take_next(import, &is_end);
	if (code == CTL_DONE)
		code = apply(import, ret_imported);
	if (import->sent_count && isatty(STDERR_FILENO))
		fputc('\n', stderr);
	if (import->path.data && code != CTL_DONE && code != CTL_DATABASE)
		import_end(import);
	account_reader_finish(&import->reader);
	buffer_finish(&import->part);
	sodium_memzero(import->file_key, sizeof(import->file_key));
	return code;
}

enum ctl_exit ctl_import(struct ctl *ctl)
{
	struct import import = {.ctl = ctl};
	struct str imported = {0};
	const char *path = ctl->positionals[0].data;
	enum ctl_exit code;

	if (strcmp(path, "-") == 0 && str_equal(ctl_value(ctl, "pass-phrase-file"), STR("-")))
		return ctl_fail(CTL_USAGE,
				"standard input cannot be both the file and the pass phrase");
	import.reader.file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	if (!import.reader.file)
		return ctl_fail(errno == ENOENT ? CTL_NOT_FOUND : CTL_FAILED, "cannot read %s: %s",
				path, strerror(errno));
	code = import_run(&import, &imported);
	fclose(import.reader.file);
	return code == CTL_DONE ? ctl_print_json(ctl, imported) : code;
}
