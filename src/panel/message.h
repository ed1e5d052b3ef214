/* What a server tells a panel in a text: one JSON object (device-link.md). */
#pragma once

#include "base/buffer.h"

enum { MESSAGE_URL_MAX = 512 };

struct message {
	bool immediate;
	bool reboot;
	int dwell_s;	/* 1 to 3,600; 0: not named */
	int brightness; /* 0 to 100; -1: not named */
	/* Empty: not named. Longer ones are cut. */
	char image_url[MESSAGE_URL_MAX];
	char ota_url[MESSAGE_URL_MAX];
};

/* False when text is no JSON object. Members of the wrong type count as not named, as in the
 * firmware; numbers out of range are moved into it. */
bool message_parse(struct str text, struct message *ret_message);

struct client_info {
	const char *firmware_version;
	const char *mac; /* lower case, with colons */
	const char *image_url;
};

/* Appends what the firmware says of itself after connecting. */
void message_client_info(const struct client_info *info, struct buffer *text);
