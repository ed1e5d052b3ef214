/* Texts between a server and a panel: JSON objects (device-link.md). */
#pragma once

#include <stdbool.h>
#include <stdio.h>

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
bool message_parse(const char *text, size_t size, struct message *ret_message);

/* Writes what the firmware says of itself after connecting. The version and the hardware address
 * need no escape. */
void message_client_info(const char *firmware_version, const char *mac, const char *image_url,
			 FILE *text);
