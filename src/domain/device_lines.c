#include "domain/device_lines.h"
#include "domain/device.h"
#include "domain/key.h"
#include "domain/person.h"

#include <text/utf8.h>

static const char *check_id(struct str text)
{
	struct id id;

	return id_parse(text, &id) ? NULL : "must be an ID";
}

static const char *check_name(struct str name)
{
	return name.length && utf8_length(name) <= DEVICE_NAME_LENGTH_MAX
		   ? device_name_check(name)
		   : "must have 1 to 25 characters";
}

static const char *check_hash(struct str text)
{
	for (size_t i = 0; i < text.length; i++)
		if (!strchr("0123456789abcdef", text.data[i]) || !text.data[i])
			return "must be in hexadecimal";
	return text.length == 2 * (size_t)KEY_HASH_BYTES ? NULL : "must have 64 digits";
}

enum need { ALWAYS, TO_MAKE, NEVER };

static const struct {
	const char *name;
	const char *(*check)(struct str text);
	enum need need;
} columns[] = {
    {"id", check_id, TO_MAKE},	      {"account", email_check, TO_MAKE},
    {"name", check_name, ALWAYS},     {"serial", device_serial_check, NEVER},
    {"mac", device_mac_check, NEVER}, {"hash", check_hash, TO_MAKE},
};
enum { COLUMNS = array_length(columns) };

/* Order in which a line's faults are reported. */
static const unsigned order[COLUMNS] = {0, 2, 3, 4, 1, 5};

static void add_fault(struct device_check *check, const char *name, const char *fault)
{
	char text[sizeof(check->refused)];

	if (buffer_length(&check->faults))
		buffer_append_char(&check->faults, ',');
	buffer_printf(&check->faults, "{\"line\":%u,\"detail\":", check->line);
	snprintf(text, sizeof(text), "%s %s", name, fault);
	json_write_str(&check->faults, str_from(text));
	buffer_append_str(&check->faults, STR(",\"otherLine\":null}"));
}

/* Splits a line. Returns false if it has too few columns, or too many. */
static bool split(struct str line, struct str ret_texts[static COLUMNS])
{
	for (unsigned i = 0; i < COLUMNS; i++) {
		size_t length = str_find(line, '\t');

		ret_texts[i] = (struct str){line.data, length};
		if ((length < line.length) != (i + 1 < COLUMNS))
			return false;
		line = str_from_offset(line, length < line.length ? length + 1 : length);
	}
	return true;
}

static void check_line(struct device_check *check, struct str line, bool only_check)
{
	struct str texts[COLUMNS];

	if (!split(line, texts)) {
		snprintf(check->refused, sizeof(check->refused), "a line must have six fields");
		return;
	}
	for (unsigned i = 0; i < COLUMNS && !check->refused[0]; i++) {
		unsigned column = order[i];
		bool is_needed = columns[column].need == ALWAYS ||
				 (columns[column].need == TO_MAKE && !only_check);
		const char *fault =
		    texts[column].length || is_needed ? columns[column].check(texts[column]) : NULL;

		if (fault && !only_check)
			snprintf(check->refused, sizeof(check->refused), "%s %s",
				 columns[column].name, fault);
		else if (fault)
			add_fault(check, columns[column].name, fault);
		if (fault)
			texts[column] = STR("");
	}
	for (unsigned i = 0; only_check && i < COLUMNS; i++) {
		if (i > 0 || check->line > 1)
			buffer_append_char(&check->lines, i > 0 ? '\t' : '\n');
		buffer_append_str(&check->lines, texts[i]);
	}
}

void device_lines_check(const struct device_lines *lines, struct device_check *ret)
{
	struct str rest = lines->lines;
	bool is_last = false;

	while (!is_last && !ret->refused[0]) {
		size_t length = str_find(rest, '\n');

		if (++ret->line > DEVICE_LINES_MAX)
			snprintf(ret->refused, sizeof(ret->refused),
				 "there are more than 10000 devices");
		else
			check_line(ret, (struct str){rest.data, length}, lines->only_check);
		is_last = length == rest.length;
		rest = str_from_offset(rest, is_last ? length : length + 1);
	}
}

void device_check_finish(struct device_check *check)
{
	buffer_finish(&check->faults);
	buffer_finish(&check->lines);
}
