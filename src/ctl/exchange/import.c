/* displayctl import: an account of an export, all of it or nothing. */
#include "base/memory.h"
#include "ctl/exchange/backup_tables.h"
#include "ctl/exchange/import_lines.h"
#include "ctl/exchange/pass_phrase.h"
#include "main/secret_key.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static const struct record_field fields[] = {
    RECORD_STR(struct account_import_row, account, .name = "account"),
    RECORD_INT(struct account_import_row, devices, .name = "devices"),
    RECORD_INT(struct account_import_row, entries, .name = "entries"),
    RECORD_INT(struct account_import_row, apps, .name = "apps"),
    RECORD_INT(struct account_import_row, versions, .name = "versions"),
    RECORD_INT(struct account_import_row, keys, .name = "keys"),
    RECORD_INT(struct account_import_row, skipped, .name = "skipped"),
};
static const struct record record = RECORD(struct account_import_row, fields);

static ssize_t read_bytes(void *context, void *data, size_t size)
{
	const struct account_import *import = context;
	ssize_t length;

	do {
		length = read(import->fd, data, size);
	} while (length < 0 && errno == EINTR);
	return length;
}

/* A line and all that it takes are gone when the next one is read. */
static enum ctl_exit take_next(struct account_import *import, bool *ret_is_end)
{
	struct ctl *ctl = import->ctl;
	struct arena kept = ctl->arena;
	struct account_line *line;
	struct reason why;
	enum ctl_exit code;

	ctl->arena = (struct arena){0};
	line = arena_alloc(&ctl->arena, sizeof(*line));
	if (account_read(&import->reader, &ctl->arena, line, &why) < 0)
		code = ctl_fail(CTL_REFUSED, "%s", why.text);
	else
		code = import_line(import, line);
	*ret_is_end = code != CTL_DONE || line->kind == ACCOUNT_LINE_END;
	arena_finish(&ctl->arena);
	ctl->arena = kept;
	return code;
}

static enum ctl_exit run(struct ctl *ctl, void *context)
{
	struct account_import *import = context;
	enum ctl_exit code = ctl_transaction(ctl, CTL_BEGIN);
	bool is_end = false;

	while (code == CTL_DONE && !is_end)
		code = take_next(import, &is_end);
	return code == CTL_DONE ? ctl_transaction(ctl, CTL_COMMIT) : code;
}

static enum ctl_exit run_import(struct account_import *import)
{
	const struct config *config = &import->ctl->config;
	enum ctl_exit code = pass_phrase_read(import->ctl, &import->phrase);
	struct reason why;
	int found;

	if (code != CTL_DONE)
		return code;
	found = secret_key_find(config->state_dir, config->secret_key_file, &import->key, &why);
	if (found < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	import->has_key = found;
	account_reader_begin(&import->reader);
	code = ctl_with_database(import->ctl, /* alone= */ false, run, import);
	account_reader_finish(&import->reader);
	return code;
}

enum ctl_exit ctl_import(struct ctl *ctl)
{
	struct account_import import = {.ctl = ctl};
	const char *path = ctl->positionals[0].data;
	enum ctl_exit code = ctl_look_for_database(ctl);

	if (code != CTL_DONE)
		return code;
	import.reader.read = read_bytes;
	import.reader.context = &import;
	import.fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (import.fd < 0)
		return ctl_fail(errno == ENOENT ? CTL_NOT_FOUND : CTL_FAILED, "cannot read %s: %s",
				path, strerror(errno));
	code = run_import(&import);
	if (import.fd != STDIN_FILENO)
		close(import.fd);
	sodium_memzero(&import.key, sizeof(import.key));
	sodium_memzero(&import.file_key, sizeof(import.file_key));
	if (code != CTL_DONE)
		return code;
	import.row.account = str_from(import.email);
	return ctl_print_row(ctl, &record, &import.row);
}
