/* displayctl device create: creates one device, or with --from FILE all devices of a file or none.
 *
 *   read and check the file -> ask the server for conflicts -> print -> create all */
#include "base/require.h"
#include "ctl/ctl.h"
#include "ctl/shell/csv.h"
#include "device_file.h"
#include "device_row.h"

/* Fault of a line of the request. */
struct fault_row {
	int64_t line; /* from 1 */
	struct str detail;
	int64_t other_line; /* the line that the end of detail means; 0: none */
};

static const struct record_field fault_fields[] = {
    RECORD_INT(struct fault_row, line, .name = "line"),
    RECORD_STR(struct fault_row, detail, .name = "detail"),
    RECORD_INT(struct fault_row, other_line, .name = "otherLine", .nullable = true),
};
static const struct record fault_record = RECORD(struct fault_row, fault_fields);

/* Returns the lines of the request (domain/device_lines.h), in the arena. */
static struct str write_lines(struct ctl *ctl, const struct device_file *file)
{
	struct buffer text = {0};
	struct str lines;
	char id[ID_TEXT_LENGTH + 1];

	for (unsigned i = 0; i < file->count; i++) {
		const struct device_wish *wish = &file->wishes[i];

		id_format(wish->id, id);
		buffer_printf(&text, "%s%s\t%.*s\t%.*s\t%.*s\t%.*s\t%s", i ? "\n" : "", id,
			      STR_ARG(wish->account), STR_ARG(wish->name), STR_ARG(wish->serial),
			      STR_ARG(wish->mac), wish->key_hash);
	}
	lines = arena_copy(&ctl->arena, buffer_view(&text));
	buffer_finish(&text);
	return lines;
}

static enum ctl_exit device_create_ask(struct ctl *ctl, struct str lines, bool only_check,
				       struct ctl_rows *ret_faults)
{
	const struct ctl_request request = {
	    .method = "POST",
	    .path = STR("/web/admin/devices"),
	    .body = ctl_body(
		ctl, CTL_MEMBERS({"lines", lines, false}, ctl_flag("onlyCheck", only_check))),
	    .sentences = {{409, NULL,
			   STR("another user made such a device or removed an account meanwhile; "
			       "no device was made, try again")}}};
	struct str answer = {0};
	enum ctl_exit code = ctl_ask_json(ctl, &request, &answer);

	return code == CTL_DONE ? ctl_read_rows(ctl, ctl_json_part(ctl, answer, "faults"),
						&fault_record, ret_faults)
				: code;
}

/* Adds the faults that the server finds to those of the file, and prints all. */
static enum ctl_exit device_create_check(struct ctl *ctl, struct device_file *file,
					 struct str lines)
{
	struct ctl_rows rows = {0};
	enum ctl_exit code = CTL_DONE;

	if (file->count && file->count <= DEVICE_LINES_MAX)
		code = device_create_ask(ctl, lines, /* only_check= */ true, &rows);
	for (unsigned i = 0; code == CTL_DONE && i < rows.count; i++) {
		const struct fault_row *row = (const struct fault_row *)rows.rows + i;
		unsigned line;

		require(row->line >= 1 && row->line <= file->count && row->other_line >= 0 &&
			row->other_line <= file->count);
		line = file->wishes[row->line - 1].line;
		if (row->other_line)
			device_file_fault(file, line, "%.*s %u", STR_ARG(row->detail),
					  file->wishes[row->other_line - 1].line);
		else
			device_file_fault(file, line, "%.*s", STR_ARG(row->detail));
	}
	return code == CTL_DONE ? device_file_end(file) : code;
}

/* ---- output ---- */

static void append_device(const struct ctl *ctl, const struct device_wish *wish,
			  const struct device_row *row, struct buffer *text)
{
	const struct str fields[] = {row->name, row->serial, row->mac,	    wish->account,
				     {0},	row->key,    row->poll_url, row->websocket_url};
	char id[ID_TEXT_LENGTH + 1];

	if (ctl->json) {
		if (buffer_length(text) > 1)
			buffer_append_char(text, ',');
		record_write_json(&device_row_record, row, text);
		return;
	}
	id_format(row->id, id);
	for (unsigned i = 0; i < array_length(fields); i++) {
		if (i > 0)
			buffer_append_char(text, ',');
		csv_append(text, fields[i].data ? fields[i] : i == 4 ? str_from(id) : STR(""));
	}
	buffer_append_str(text, STR("\r\n"));
}

/* Returns the time in an ID (RFC 9562, version 7) in µs since 1970. */
static int64_t time_of(struct id id)
{
	int64_t ms = 0;

	for (unsigned i = 0; i < 6; i++)
		ms = ms << 8 | (uint8_t)id.bytes[i];
	return ms * 1000;
}

static enum ctl_exit print(struct ctl *ctl, const struct device_file *file)
{
	struct buffer text = {0};
	enum ctl_exit code = CTL_DONE;

	buffer_append_str(
	    &text,
	    ctl->json ? STR("[") : STR("name,serial,mac,account,id,key,pollUrl,websocketUrl\r\n"));
	for (unsigned i = 0; code == CTL_DONE && i < file->count; i++) {
		const struct device_wish *wish = &file->wishes[i];
		struct device_row row = {
		    .id = wish->id,
		    .name = wish->name,
		    .serial = wish->serial.length ? wish->serial : (struct str){0},
		    .mac = wish->mac.length ? wish->mac : (struct str){0},
		    .created_at_us = time_of(file->wishes[0].id) + i,
		};

		code = ctl_make_urls(ctl, wish->id, str_from(wish->key), &row);
		if (code == CTL_DONE)
			append_device(ctl, wish, &row, &text);
	}
	if (ctl->json)
		buffer_append_str(&text, STR("]\n"));
	if (code == CTL_DONE)
		return ctl_print(&text);
	buffer_finish(&text);
	return code;
}

/* Creates the devices of a file after their keys were printed: if printing fails, no device with an
 * unknown key remains. */
static enum ctl_exit create_from(struct ctl *ctl, struct str path)
{
	struct device_file file;
	struct ctl_rows none;
	struct str lines = {0};
	enum ctl_exit code = device_file_read(ctl, path.data, ctl_value(ctl, "account"), &file);

	if (code == CTL_DONE) {
		lines = write_lines(ctl, &file);
		code = device_create_check(ctl, &file, lines);
	}
	if (code == CTL_DONE && file.count == 0)
		code = ctl_fail(CTL_USAGE, "%s contains no device", file.path);
	if (code == CTL_DONE)
		code = print(ctl, &file);
	if (code == CTL_DONE)
		code = device_create_ask(ctl, lines, /* only_check= */ false, &none);
	device_file_finish(&file);
	return code;
}

/* ---- one device ---- */

static enum ctl_exit check_options(const struct ctl *ctl)
{
	static const char *const singles[] = {"name", "serial", "mac"};

	for (unsigned i = 0; i < array_length(singles); i++) {
		if (ctl_value(ctl, "from").data && ctl_value(ctl, singles[i]).data)
			return ctl_fail(CTL_USAGE, "--%s and --from exclude each other",
					singles[i]);
	}
	if (ctl_value(ctl, "from").data)
		return CTL_DONE;
	if (!ctl->remote && !ctl_value(ctl, "account").data)
		return ctl_fail(CTL_USAGE, "device create needs --account EMAIL");
	if (!ctl_value(ctl, "name").data)
		return ctl_fail(CTL_USAGE, "device create needs --name NAME, or --from FILE");
	return CTL_DONE;
}

enum ctl_exit ctl_device_create(struct ctl *ctl)
{
	struct str path = ctl_value(ctl, "from");
	struct ctl_request request = {
	    .method = "POST",
	    .path = STR("/web/devices"),
	    .account = ctl_value(ctl, "account"),
	    .sentences = {{409, PROBLEM_SERIAL_NUMBER_USED,
			   STR("there is a device with the serial number % already")},
			  {409, PROBLEM_MAC_ADDRESS_USED,
			   STR("there is a device with this MAC address already")}},
	    .subject = ctl_value(ctl, "serial")};
	enum ctl_exit code = check_options(ctl);

	if (code != CTL_DONE)
		return code;
	if (path.data && ctl->remote)
		return ctl_fail(CTL_REFUSED, "--from works only on the server's machine");
	if (path.data)
		return create_from(ctl, path);
	code = ctl_check_urls(ctl);
	if (code != CTL_DONE)
		return code;
	request.body = ctl_body_of_options(
	    ctl, (const struct ctl_member[]){{"timezone", STR("UTC"), false}, {0}});
	return ctl_make_device(ctl, &request);
}
