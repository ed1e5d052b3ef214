#include "message.h"

#include "events.h"

#include <yyjson.h>

static int read_number(yyjson_val *object, const char *name, int min, int max, int missing)
{
	yyjson_val *value = yyjson_obj_get(object, name);
	double number;

	if (!yyjson_is_num(value))
		return missing;
	number = yyjson_get_num(value);
	return number < min ? min : number > max ? max : (int)number;
}

static void read_text(yyjson_val *object, const char *name, char *text, size_t size)
{
	yyjson_val *value = yyjson_obj_get(object, name);

	text[0] = '\0';
	if (yyjson_is_str(value))
		snprintf(text, size, "%s", yyjson_get_str(value));
}

bool message_parse(const char *text, size_t size, struct message *ret_message)
{
	yyjson_doc *document = yyjson_read(text ? text : "", size, 0);
	yyjson_val *object = yyjson_doc_get_root(document);
	bool is_object = yyjson_is_obj(object);

	if (is_object) {
		ret_message->immediate = yyjson_is_true(yyjson_obj_get(object, "immediate"));
		ret_message->reboot = yyjson_is_true(yyjson_obj_get(object, "reboot"));
		ret_message->dwell_s = read_number(object, "dwell_secs", 1, 3600, 0);
		ret_message->brightness = read_number(object, "brightness", 0, 100, -1);
		read_text(object, "image_url", ret_message->image_url, MESSAGE_URL_MAX);
		read_text(object, "ota_url", ret_message->ota_url, MESSAGE_URL_MAX);
	}
	yyjson_doc_free(document);
	return is_object;
}

void message_client_info(const char *firmware_version, const char *mac, const char *image_url,
			 FILE *text)
{
	fprintf(text,
		"{\"client_info\":{\"firmware_version\":\"%s\",\"firmware_type\":\"displayctl\","
		"\"protocol_version\":1,\"mac\":\"%s\",\"ssid\":\"\","
		"\"hostname\":\"displayctl-panel\",\"image_url\":",
		firmware_version, mac);
	events_quote(text, image_url, strlen(image_url));
	fputs(",\"swap_colors\":false,\"wifi_power_save\":0,\"skip_display_version\":true,"
	      "\"ap_mode\":false,\"prefer_ipv6\":false}}",
	      text);
}
