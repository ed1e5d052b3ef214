/* displayctl import tronbyt: asks the server to import files of a tronbyt server, one after the
 * other, and prints what was imported and what was not. */
#include "base/limits.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/shell/input.h"
#include "ctl/shell/table.h"
#include "domain/device.h"
#include "domain/tronbyt.h"

static void append_cell(struct buffer *text, struct str value, unsigned width)
{
	struct buffer cell = {0};
	struct str shown;

	ctl_append_visible(value, "\n\t", &cell);
	shown = buffer_view(&cell);
	buffer_append_str(text, shown);
	for (size_t used = table_width(shown); used < width; used++)
		buffer_append_char(text, ' ');
	buffer_finish(&cell);
}

/* Appends a sentence, indented and wrapped. */
static void append_sentence(struct buffer *text, struct str sentence)
{
	enum { WIDTH = 80, INDENT = 4 };
	struct buffer visible = {0};
	struct str rest, word;
	size_t used = 0;

	ctl_append_visible(sentence, "\n\t", &visible);
	rest = buffer_view(&visible);
	while (str_next(&rest, ' ', &word)) {
		if (used == 0 || used + 1 + table_width(word) > WIDTH) {
			buffer_append_str(text, used ? STR("\n    ") : STR("    "));
			used = INDENT;
		} else {
			buffer_append_char(text, ' ');
			used++;
		}
		buffer_append_str(text, word);
		used += table_width(word);
	}
	buffer_append_char(text, '\n');
	buffer_finish(&visible);
}

static struct str state_words(struct str state, bool is_dry_run)
{
	if (str_equal(state, STR("new")))
		return is_dry_run ? STR("to be imported") : STR("imported");
	if (str_equal(state, STR("there")))
		return STR("exists already");
	return STR("not imported");
}

/* Appends how many entries were imported; if these are not all, also of how many. */
static void append_entries(struct buffer *text, const struct tronbyt_shown *row)
{
	if (row->entries < row->entries_in_file)
		buffer_printf(text, "%lld of ", (long long)row->entries);
	buffer_printf(text, "%lld %s", (long long)row->entries_in_file,
		      row->entries_in_file == 1 ? "entry" : "entries");
}

static void append_came(bool is_dry_run, const struct ctl_rows *rows, struct buffer *text)
{
	enum { NAME_WIDTH = DEVICE_NAME_LENGTH_MAX + 2, STATE_WIDTH = 17 };
	char id[ID_TEXT_LENGTH + 1];

	for (unsigned i = 0; i < rows->count; i++) {
		const struct tronbyt_shown *row = (const struct tronbyt_shown *)rows->rows + i;

		append_cell(text, row->name, NAME_WIDTH);
		append_cell(text, state_words(row->state, is_dry_run), STATE_WIDTH);
		if (!str_equal(row->state, STR("there")))
			append_entries(text, row);
		buffer_printf(text, "%s%.*s%s%s\n", row->alias.length ? ", keeps /" : "",
			      STR_ARG(row->alias), row->alias.length ? "/" : "",
			      row->alias_needs_key ? " with its key" : "");
		if (!row->websocket_url.length)
			continue;
		id_format(row->id, id);
		buffer_printf(text, "  id   %s\n  url  %.*s\n", id, STR_ARG(row->websocket_url));
	}
}

/* Appends a block for each remark: its reason is a sentence, too long for a column. */
static void append_not_brought(const struct ctl_rows *rows, struct buffer *text)
{
	struct str device = {0};

	for (unsigned i = 0; i < rows->count; i++) {
		const struct tronbyt_note *note = (const struct tronbyt_note *)rows->rows + i;

		if (i == 0)
			buffer_append_str(text, STR("\nNot imported, or changed:\n"));
		if (i == 0 || !str_equal(device, note->device)) {
			append_cell(text, note->device, 0);
			buffer_append_char(text, '\n');
		}
		device = note->device;
		buffer_append_str(text, STR("  "));
		if (note->entry.length) {
			append_cell(text, note->entry, 0);
			buffer_append_str(text, STR(", "));
		}
		append_cell(text, note->what, 0);
		buffer_append_char(text, '\n');
		append_sentence(text, note->why);
	}
}

static enum ctl_exit print(struct ctl *ctl, struct str report)
{
	bool can_open = str_equal(ctl_json_part(ctl, report, "canOpenAddresses"), STR("true"));
	struct ctl_rows came, missing;
	struct buffer text = {0};
	enum ctl_exit code =
	    ctl_read_rows(ctl, ctl_json_part(ctl, report, "devices"), &tronbyt_shown_record, &came);

	if (code == CTL_DONE)
		code = ctl_read_rows(ctl, ctl_json_part(ctl, report, "notBrought"),
				     &tronbyt_note_record, &missing);
	if (code != CTL_DONE)
		return code;
	append_came(ctl_value(ctl, "dry-run").data, &came, &text);
	append_not_brought(&missing, &text);
	if (can_open && !ctl_value(ctl, "open-addresses").data)
		buffer_append_str(&text,
				  STR("\nIf panels do not send their keys, import the file with "
				      "--open-addresses:\nthey then come without, and so can "
				      "anyone who guesses an address.\n"));
	code = ctl_print(&text);
	buffer_finish(&text);
	return code;
}

/* Prints the report; with --json, reports of several files form an array. */
static enum ctl_exit print_report(struct ctl *ctl, struct str report, unsigned index)
{
	if (!ctl->json)
		return print(ctl, report);
	if (ctl->options.positional_count > 1)
		printf("%s", index ? "," : "[");
	return ctl_print_json(ctl, report);
}

static enum ctl_exit import_file(struct ctl *ctl, const char *path, unsigned index)
{
	bool is_dry = ctl_value(ctl, "dry-run").data, keeps = ctl_value(ctl, "keep-addresses").data;
	bool opens = ctl_value(ctl, "open-addresses").data;
	struct ctl_request request = {
	    .method = "POST",
	    .path = ARENA_JOIN(&ctl->arena, STR("/v1/import/tronbyt?dryRun="),
			       is_dry ? STR("true") : STR("false"), STR("&keepAddresses="),
			       keeps ? STR("true") : STR("false"), STR("&openAddresses="),
			       opens ? STR("true") : STR("false")),
	    .account = ctl_value(ctl, "account"),
	    .file = str_from(path),
	};
	struct str report = {0};
	struct buffer file = {0};
	enum ctl_exit code = ctl_read_file("", path, LIMIT_UPLOAD_BODY_BYTES, &file);

	if (code == CTL_DONE && buffer_length(&file) > LIMIT_UPLOAD_BODY_BYTES)
		code = ctl_fail(CTL_USAGE, "%s is larger than %d bytes", path,
				LIMIT_UPLOAD_BODY_BYTES);
	if (code == CTL_DONE) {
		request.body = arena_copy(&ctl->arena, buffer_view(&file));
		code = ctl_ask_json(ctl, &request, &report);
	}
	buffer_finish(&file);
	if (code != CTL_DONE)
		return code;
	return print_report(ctl, report, index);
}

enum ctl_exit ctl_import_tronbyt(struct ctl *ctl)
{
	const struct options *options = &ctl->options;
	enum ctl_exit code = CTL_DONE;
	unsigned done = 0;

	if (options->positional_count == 0)
		return ctl_fail(CTL_USAGE, "import tronbyt needs a FILE");
	for (; done < options->positional_count && code == CTL_DONE; done += code == CTL_DONE) {
		if (options->positional_count > 1 && !ctl->json)
			printf("%s%s:\n", done ? "\n" : "", options->positionals[done]);
		code = import_file(ctl, options->positionals[done], done);
	}
	/* Close the array even after an error: keys of imported devices are shown only once. */
	if (options->positional_count > 1 && ctl->json && done)
		printf("]\n");
	return code;
}
