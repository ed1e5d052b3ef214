/* displayctl device create --from FILE: all devices of a file, or none. */
#include "base/require.h"
#include "ctl/ctl.h"
#include "ctl/shell/csv.h"
#include "device_file.h"
#include "device_row.h"
#include "domain/device_link.h"

#include <stdlib.h>

enum { PORTION = 500 };

/* Conflict of a device in the file with the database. */
struct known_row {
	struct str kind; /* "serial", "mac"; or "account": it has no such */
	int64_t place;	 /* of the wish, from 1 */
};

static const struct record_field known_fields[] = {
    RECORD_STR(struct known_row, kind, .column = "kind"),
    RECORD_INT8(struct known_row, place, .column = "place"),
};
const struct record known_device_record = RECORD(struct known_row, known_fields);

struct made_row {
	struct id id;
	int64_t created_at_us;
};

static const struct record_field made_fields[] = {
    RECORD_ID(struct made_row, id, .column = "id"),
    RECORD_TIMESTAMP(struct made_row, created_at_us, .column = "created_at"),
};
const struct record made_device_record = RECORD(struct made_row, made_fields);

/* The columns of a portion of the wishes. */
struct columns {
	struct id ids[PORTION];
	struct str accounts[PORTION];
	struct str names[PORTION];
	struct str serials[PORTION];
	struct str macs[PORTION];
	struct str hashes[PORTION];
	unsigned count;
};

static void fill(struct columns *columns, const struct device_file *file, unsigned from)
{
	columns->count = file->count - from < PORTION ? file->count - from : PORTION;
	for (unsigned i = 0; i < columns->count; i++) {
		const struct device_wish *wish = &file->wishes[from + i];

		columns->ids[i] = wish->id;
		columns->accounts[i] = wish->account;
		columns->names[i] = wish->name;
		columns->serials[i] = wish->serial;
		columns->macs[i] = wish->mac;
		columns->hashes[i] = str_from(wish->key_hash);
	}
}

/* ---- before: what the database will not take, with its lines ---- */

static void blame(struct device_file *file, const struct known_row *row,
		  const struct device_wish *wish)
{
	if (str_equal(row->kind, STR("account")))
		device_file_fault(file, wish->line, "there is no account %.*s",
				  STR_ARG(wish->account));
	else
		device_file_fault(
		    file, wish->line, "there is a device with the %.*s %.*s already",
		    STR_ARG(row->kind),
		    STR_ARG(str_equal(row->kind, STR("mac")) ? wish->mac : wish->serial));
}

static enum ctl_exit check_portion(struct ctl *ctl, struct device_file *file, unsigned from,
				   const struct columns *columns)
{
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_device_known(ctl_new_query(ctl),
			       &(struct device_known_parameters){
				   .serials = {columns->serials, columns->count},
				   .macs = {columns->macs, columns->count},
				   .accounts = {columns->accounts, columns->count},
			       },
			       NULL);
	code = ctl_query(ctl, &rows);
	for (unsigned i = 0; code == CTL_DONE && i < rows.count; i++) {
		const struct known_row *row = (const struct known_row *)rows.rows + i;

		require(row->place >= 1 && row->place <= columns->count);
		blame(file, row, &file->wishes[from + row->place - 1]);
	}
	return code;
}

static enum ctl_exit check_all(struct ctl *ctl, struct device_file *file, struct columns *columns)
{
	enum ctl_exit code = CTL_DONE;

	for (unsigned from = 0; code == CTL_DONE && from < file->count; from += PORTION) {
		fill(columns, file, from);
		code = check_portion(ctl, file, from, columns);
	}
	return code == CTL_DONE ? device_file_end(file) : code;
}

/* ---- making them ---- */

static void begin_output(const struct ctl *ctl, struct buffer *text)
{
	if (ctl->json)
		buffer_append_char(text, '[');
	else
		buffer_append_str(text,
				  STR("name,serial,mac,account,id,key,pollUrl,websocketUrl\r\n"));
}

static void append_device(const struct ctl *ctl, const struct device_wish *wish,
			  const struct device_row *row, struct buffer *text)
{
	const struct str fields[] = {row->name, row->serial, row->mac,	    wish->account,
				     {0},	row->key,    row->poll_url, row->websocket_url};
	char id[ID_TEXT_LENGTH + 1];

	if (ctl->json) {
		if (wish->line > 0 && buffer_length(text) > 1)
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

static enum ctl_exit append_portion(struct ctl *ctl, const struct device_wish *wishes,
				    const struct ctl_rows *rows, struct buffer *text)
{
	enum ctl_exit code = CTL_DONE;

	for (unsigned i = 0; code == CTL_DONE && i < rows->count; i++) {
		const struct device_wish *wish = &wishes[i];
		struct device_row row = {
		    .id = wish->id,
		    .name = wish->name,
		    .serial = wish->serial.length ? wish->serial : (struct str){0},
		    .mac = wish->mac.length ? wish->mac : (struct str){0},
		    .created_at_us = ((const struct made_row *)rows->rows)[i].created_at_us,
		};

		code = ctl_make_urls(ctl, wish->id, str_from(wish->key), &row);
		if (code == CTL_DONE)
			append_device(ctl, wish, &row, text);
	}
	return code;
}

/* Makes the devices, unless a name that was free before is taken now. */
static enum ctl_exit make_portion(struct ctl *ctl, const struct device_wish *wishes,
				  const struct columns *columns, struct buffer *text)
{
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_device_create_many(ctl_new_query(ctl),
				     &(struct device_create_many_parameters){
					 .ids = {columns->ids, columns->count},
					 .accounts = {columns->accounts, columns->count},
					 .names = {columns->names, columns->count},
					 .serials = {columns->serials, columns->count},
					 .macs = {columns->macs, columns->count},
					 .hashes = {columns->hashes, columns->count},
				     },
				     NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.refusal != REFUSAL_NONE || rows.count != columns->count)
		return ctl_fail(CTL_REFUSED, "somebody else made such a device, or removed an "
					     "account, meanwhile; no device was made: try again");
	return append_portion(ctl, wishes, &rows, text);
}

/* Keys are shown once: the devices are there only where the output is. */
static enum ctl_exit make_all(struct ctl *ctl, const struct device_file *file,
			      struct columns *columns, struct buffer *text)
{
	enum ctl_exit code = ctl_transaction(ctl, CTL_BEGIN);

	begin_output(ctl, text);
	for (unsigned from = 0; code == CTL_DONE && from < file->count; from += PORTION) {
		fill(columns, file, from);
		code = make_portion(ctl, &file->wishes[from], columns, text);
	}
	if (ctl->json)
		buffer_append_str(text, STR("]\n"));
	if (code == CTL_DONE)
		code = ctl_print(text);
	if (code == CTL_DONE)
		code = ctl_transaction(ctl, CTL_COMMIT);
	return code;
}

enum ctl_exit ctl_device_create_from(struct ctl *ctl, struct str path)
{
	struct device_file file;
	struct columns *columns = arena_alloc(&ctl->arena, sizeof(*columns));
	struct buffer text = {0};
	enum ctl_exit code = device_file_read(ctl, path.data, ctl_value(ctl, "account"), &file);

	if (code == CTL_DONE)
		code = check_all(ctl, &file, columns);
	if (code == CTL_DONE && file.count > 0)
		code = make_all(ctl, &file, columns, &text);
	else if (code == CTL_DONE)
		code = ctl_fail(CTL_USAGE, "%s names no device", file.path);
	buffer_finish(&text);
	device_file_finish(&file);
	return code;
}
