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

static const struct setting {
	const char *name;     /* in the API */
	const char *firmware; /* in client_info */
	enum setting_kind kind;
} settings[] = {
    {"hostname", "hostname", SETTING_NAME},
    {"syslogAddr", "syslog_addr", SETTING_TEXT},
    {"sntpServer", "sntp_server", SETTING_TEXT},
    {"imageUrl", "image_url", SETTING_ADDRESS},
    {"swapColors", "swap_colors", SETTING_BOOL},
    {"wifiPowerSave", "wifi_power_save", SETTING_LEVEL},
    {"skipDisplayVersion", "skip_display_version", SETTING_BOOL},
    {"skipBootAnimation", "skip_boot_animation", SETTING_BOOL},
    {"apMode", "ap_mode", SETTING_BOOL},
    {"preferIPv6", "prefer_ipv6", SETTING_BOOL},
    {"disableTouch", "disable_touch", SETTING_BOOL},
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
