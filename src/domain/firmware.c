#include "domain/firmware.h"
#include "domain/device.h"

#include <text/utf8.h>

enum { HOSTNAME_LENGTH_MAX = 64, TEXT_LENGTH_MAX = 128, POWER_SAVE_MAX = 2 };

enum setting_kind {
	SETTING_BOOL,
	SETTING_LEVEL,
	SETTING_NAME,	 /* text of any characters */
	SETTING_TEXT,	 /* of printable ASCII; may be empty */
	SETTING_ADDRESS, /* URL, without its query */
};

#define SETTING(name, member, kind)                                                                \
	{                                                                                          \
		name, #member, kind, offsetof(struct firmware_change, member)                      \
	}

static const struct setting {
	const char *name;     /* in the API */
	const char *firmware; /* in client_info, and in messages */
	enum setting_kind kind;
	size_t offset; /* in struct firmware_change */
} settings[] = {
    SETTING("hostname", hostname, SETTING_NAME),
    SETTING("syslogAddr", syslog_addr, SETTING_TEXT),
    SETTING("sntpServer", sntp_server, SETTING_TEXT),
    SETTING("imageUrl", image_url, SETTING_ADDRESS),
    SETTING("swapColors", swap_colors, SETTING_BOOL),
    SETTING("wifiPowerSave", wifi_power_save, SETTING_LEVEL),
    SETTING("skipDisplayVersion", skip_display_version, SETTING_BOOL),
    SETTING("skipBootAnimation", skip_boot_animation, SETTING_BOOL),
    SETTING("apMode", ap_mode, SETTING_BOOL),
    SETTING("preferIPv6", prefer_ipv6, SETTING_BOOL),
    SETTING("disableTouch", disable_touch, SETTING_BOOL),
};

static bool is_ascii(struct str text)
{
	for (size_t i = 0; i < text.length; i++)
		if (text.data[i] < ' ' || text.data[i] > '~')
			return false;
	return text.length <= TEXT_LENGTH_MAX;
}

/* Cuts a URL before its query. Returns false if it may name a user. */
static bool cut_address(struct str *url)
{
	size_t end = str_find(*url, '?'), fragment = str_find(*url, '#');

	if (str_find(*url, '@') < url->length)
		return false;
	url->length = end < fragment ? end : fragment;
	return true;
}

static bool write_text(struct buffer *json, enum setting_kind kind, struct str text)
{
	if (kind == SETTING_NAME
		? utf8_length(text) > HOSTNAME_LENGTH_MAX || device_name_check(text) != NULL
		: !is_ascii(text))
		return false;
	if (kind == SETTING_ADDRESS && !cut_address(&text))
		return false;
	json_write_str(json, text);
	return true;
}

/* Appends a value as JSON. Returns false, and appends nothing, if it is invalid. */
static bool write_value(struct buffer *json, const struct setting *setting,
			const struct json_value *value)
{
	struct str text;
	int64_t number;
	bool is_on;

	switch (setting->kind) {
	case SETTING_BOOL:
		if (!json_get_bool(value, &is_on))
			return false;
		buffer_append_str(json, is_on ? STR("true") : STR("false"));
		return true;
	case SETTING_LEVEL:
		if (!json_get_integer(value, &number) || number < 0 || number > POWER_SAVE_MAX)
			return false;
		buffer_append_char(json, (char)('0' + number));
		return true;
	default:
		return json_get_str(value, &text) && write_text(json, setting->kind, text);
	}
}

void firmware_settings_read(const struct json_value *client_info, struct buffer *buffer)
{
	bool is_first = true;

	buffer_append_char(buffer, '{');
	for (size_t i = 0; i < array_length(settings); i++) {
		const struct json_value *value = json_member(client_info, settings[i].firmware);
		struct buffer json = {0};

		if (value && write_value(&json, &settings[i], value)) {
			if (!is_first)
				buffer_append_char(buffer, ',');
			is_first = false;
			json_write_str(buffer, str_from(settings[i].name));
			buffer_append_char(buffer, ':');
			buffer_append_str(buffer, buffer_view(&json));
		}
		buffer_finish(&json);
	}
	buffer_append_char(buffer, '}');
}

/* ---- settings to change ---- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_name(struct str text, const char *others)
{
	for (size_t i = 0; i < text.length; i++)
		if (!is_letter(text.data[i]) && !(text.data[i] && strchr(others, text.data[i])))
			return false;
	return text.length > 0;
}

static bool is_port(struct str text)
{
	unsigned long long port;

	return str_to_uint64(text, UINT16_MAX, &port) && port > 0;
}

/* Whether the text is HOST:PORT, or HOST if the port may be missing. */
static bool is_server(struct str text, bool needs_port)
{
	size_t colon = str_find(text, ':');

	if (colon == text.length)
		return !needs_port && is_name(text, ".-");
	return is_name((struct str){text.data, colon}, ".-") &&
	       is_port(str_from_offset(text, colon + 1));
}

const char *firmware_address_check(struct str url)
{
	static const struct str schemes[] = {{"https://", 8}, {"http://", 7}};

	for (size_t i = 0; i < array_length(schemes); i++)
		if (url.length <= FIRMWARE_ADDRESS_LENGTH_MAX && str_starts_with(url, schemes[i]) &&
		    is_server(str_from_offset(url, schemes[i].length), false))
			return NULL;
	return "must be https://HOST[:PORT] or http://HOST[:PORT], at most 100 characters";
}

/* Returns the fault of a text for a setting, or NULL. */
static const char *text_fault(const struct setting *setting, struct str text)
{
	/* Firmware does not store longer ones. */
	enum { HOSTNAME_MAX = 32, SNTP_SERVER_LENGTH_MAX = 64 };

	if (setting->kind == SETTING_NAME)
		return text.length <= HOSTNAME_MAX && is_name(text, "-") && text.data[0] != '-' &&
			       text.data[text.length - 1] != '-'
			   ? NULL
			   : "must have 1 to 32 letters, digits or \"-\", with no \"-\" at its "
			     "ends";
	if (text.length == 0)
		return NULL;
	if (setting->offset == offsetof(struct firmware_change, syslog_addr))
		return text.length <= TEXT_LENGTH_MAX && is_server(text, true)
			   ? NULL
			   : "must be HOST:PORT, at most 128 characters, or empty";
	return text.length <= SNTP_SERVER_LENGTH_MAX && is_name(text, ".-")
		   ? NULL
		   : "must be the name of a host, at most 64 characters, or empty";
}

static const char *value_fault(const struct setting *setting, const struct json_value *value)
{
	struct str text;
	int64_t number;
	bool is_on;

	switch (setting->kind) {
	case SETTING_BOOL:
		return json_get_bool(value, &is_on) ? NULL : "must be true or false";
	case SETTING_LEVEL:
		return json_get_integer(value, &number) && number >= 0 && number <= POWER_SAVE_MAX
			   ? NULL
			   : "must be an integer from 0 to 2";
	case SETTING_ADDRESS: /* the handler compares it */
		return NULL;
	default:
		return json_get_str(value, &text) ? text_fault(setting, text) : "must be a string";
	}
}

static const struct json_value *value_of(const struct firmware_change *change,
					 const struct setting *setting)
{
	return *(const struct json_value *const *)(const void *)((const char *)change +
								 setting->offset);
}

static bool check_values(const struct firmware_change *change, struct faults *faults)
{
	bool has_any = false;

	for (size_t i = 0; i < array_length(settings); i++) {
		const struct json_value *value = value_of(change, &settings[i]);
		const char *fault = value ? value_fault(&settings[i], value) : NULL;

		has_any |= value != NULL;
		if (fault)
			faults_add(faults, str_from(settings[i].name), "%s", fault);
	}
	return has_any;
}

void firmware_change_check(void *body, uint64_t seen, struct faults *faults)
{
	const struct firmware_change *change = body;
	bool has_any = check_values(change, faults);

	if (seen == 0 && faults->count == 0)
		faults_add(faults, (struct str){0}, "must have at least one field to change");
	if (change->address.length && has_any)
		faults_add(faults, STR("address"), "must be the only field");
}

void firmware_change_v0_check(void *body, uint64_t seen, struct faults *faults)
{
	(void)seen;
	check_values(body, faults);
}

static void write_member(struct buffer *json, const char *name, const struct json_value *value)
{
	if (buffer_length(json) > 1)
		buffer_append_char(json, ',');
	json_write_str(json, str_from(name));
	buffer_append_char(json, ':');
	json_write_value(json, value);
}

struct str firmware_change_write(const struct firmware_change *change, struct arena *arena)
{
	struct buffer json = {0};
	struct str text;

	buffer_append_char(&json, '{');
	for (size_t i = 0; i < array_length(settings); i++)
		if (settings[i].kind != SETTING_ADDRESS && value_of(change, &settings[i]))
			write_member(&json, settings[i].name, value_of(change, &settings[i]));
	buffer_append_char(&json, '}');
	text = arena_copy(arena, buffer_view(&json));
	buffer_finish(&json);
	return text;
}

/* ---- messages ---- */

/* Ends the message, if it has a member. */
static unsigned end_message(struct buffer *json, struct arena *arena, struct str *ret_message)
{
	if (buffer_length(json) <= 1)
		return 0;
	buffer_append_char(json, '}');
	*ret_message = arena_copy(arena, buffer_view(json));
	buffer_clear(json);
	buffer_append_char(json, '{');
	return 1;
}

static size_t member_length(const struct setting *setting, const struct json_value *value)
{
	struct buffer json = {0};
	size_t length;

	json_write_value(&json, value);
	length = strlen(setting->firmware) + strlen("\"\":,}") + buffer_length(&json);
	buffer_finish(&json);
	return length;
}

unsigned firmware_messages(struct str text, struct arena *arena,
			   struct str ret_messages[static FIRMWARE_MESSAGES_MAX])
{
	struct json_document document = {0};
	struct buffer json = {0};
	struct str reason;
	unsigned count = 0;

	buffer_append_char(&json, '{');
	if (json_parse(text, arena, &document, &reason))
		for (size_t i = 0; i < array_length(settings); i++) {
			const struct json_value *value =
			    json_member(document.root, settings[i].name);

			if (!value)
				continue;
			if (buffer_length(&json) + member_length(&settings[i], value) >
			    FIRMWARE_MESSAGE_BYTES_MAX)
				count += end_message(&json, arena, &ret_messages[count]);
			write_member(&json, settings[i].firmware, value);
		}
	count += end_message(&json, arena, &ret_messages[count]);
	buffer_finish(&json);
	json_document_finish(&document);
	return count;
}
