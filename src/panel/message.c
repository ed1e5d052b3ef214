#include "message.h"

#include "base/require.h"

#include <stdio.h>
#include <stdlib.h>
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

bool message_parse(struct str text, struct message *ret_message)
{
	yyjson_doc *document = yyjson_read(text.data ? text.data : "", text.length, 0);
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

void message_client_info(const struct client_info *info, struct buffer *text)
{
	yyjson_mut_doc *document = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *root = yyjson_mut_obj(document);
	yyjson_mut_val *object = yyjson_mut_obj_add_obj(document, root, "client_info");
	size_t length;
	char *json;

	yyjson_mut_doc_set_root(document, root);
	yyjson_mut_obj_add_str(document, object, "firmware_version", info->firmware_version);
	yyjson_mut_obj_add_str(document, object, "firmware_type", "displayctl");
	yyjson_mut_obj_add_int(document, object, "protocol_version", 1);
	yyjson_mut_obj_add_str(document, object, "mac", info->mac);
	yyjson_mut_obj_add_str(document, object, "ssid", "");
	yyjson_mut_obj_add_str(document, object, "hostname", "displayctl-panel");
	yyjson_mut_obj_add_str(document, object, "image_url", info->image_url);
	yyjson_mut_obj_add_bool(document, object, "swap_colors", false);
	yyjson_mut_obj_add_int(document, object, "wifi_power_save", 0);
	yyjson_mut_obj_add_bool(document, object, "skip_display_version", true);
	yyjson_mut_obj_add_bool(document, object, "ap_mode", false);
	yyjson_mut_obj_add_bool(document, object, "prefer_ipv6", false);
	json = yyjson_mut_write(document, YYJSON_WRITE_ALLOW_INVALID_UNICODE, &length);
	require(json != NULL); /* only memory can be missing */
	buffer_append(text, json, length);
	free(json);
	yyjson_mut_doc_free(document);
}
