#include "domain/device_lines.h"
#include "domain/device.h"
#include "domain/device_reference.h"
#include "domain/key.h"
#include "domain/person.h"

#include <text/utf8.h>

enum { LINE_ID, LINE_ACCOUNT, LINE_NAME, LINE_SERIAL, LINE_MAC, LINE_HASH, LINE_FIELDS };

static const struct record_field fields[] = {
    RECORD_STR(struct device_lines, lines, .body = "lines", .required = true),
    RECORD_BOOL(struct device_lines, only_check, .body = "onlyCheck"),
};
const struct record device_lines_record = RECORD(struct device_lines, fields);

static const char *check_id(struct str text)
{
	struct id id;

	return id_parse(text, &id) ? NULL : "the first field must be an ID";
}

static const char *check_name(struct str name)
{
	return utf8_is_valid(name) && utf8_length(name) <= DEVICE_NAME_LENGTH_MAX
		   ? device_name_check(name)
		   : "the name must have 1 to 25 characters";
}

static const char *check_serial(struct str serial)
{
	return serial_is_valid(serial) ? NULL : "the serial number is not valid";
}

static const char *check_mac(struct str text)
{
	uint8_t mac[MAC_BYTES];

	return mac_parse(text, mac) ? NULL : "the MAC address is not valid";
}

static const char *check_hash(struct str text)
{
	for (size_t i = 0; i < text.length; i++)
		if (!strchr("0123456789abcdef", text.data[i]) || !text.data[i])
			return "the hash must be in hexadecimal";
	return text.length == 2 * (size_t)KEY_HASH_BYTES ? NULL : "the hash must have 64 digits";
}

static const char *check_line(struct str line, bool may_be_empty)
{
	static const char *(*const checks[LINE_FIELDS])(struct str) = {
	    [LINE_ID] = check_id,	  [LINE_ACCOUNT] = email_check, [LINE_NAME] = check_name,
	    [LINE_SERIAL] = check_serial, [LINE_MAC] = check_mac,	[LINE_HASH] = check_hash,
	};

	for (unsigned i = 0; i < LINE_FIELDS; i++) {
		size_t length = str_find(line, '\t');
		struct str field = {line.data, length};
		bool is_none = !length && (may_be_empty || i == LINE_SERIAL || i == LINE_MAC);
		const char *fault = is_none ? NULL : checks[i](field);

		if (fault)
			return fault;
		if ((length < line.length) != (i + 1 < LINE_FIELDS))
			return "a line must have six fields";
		line = str_from_offset(line, length < line.length ? length + 1 : length);
	}
	return NULL;
}

const char *device_lines_check(const struct device_lines *lines, unsigned *ret_line)
{
	struct str rest = lines->lines;
	bool is_last = false;

	for (*ret_line = 1; !is_last; ++*ret_line) {
		size_t length = str_find(rest, '\n');
		const char *fault = check_line((struct str){rest.data, length}, lines->only_check);

		if (fault)
			return fault;
		if (*ret_line > DEVICE_LINES_MAX)
			return "there are more than 10000 devices";
		is_last = length == rest.length;
		rest = str_from_offset(rest, is_last ? length : length + 1);
	}
	return NULL;
}
