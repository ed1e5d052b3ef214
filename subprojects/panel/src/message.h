/* Text messages between a server and a panel: JSON objects. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum { MESSAGE_URL_MAX = 512 };

struct message {
	bool immediate;
	bool reboot;
	int dwell_s;	/* 1 to 3,600; 0: not named */
	int brightness; /* 0 to 100; -1: not named */
	/* Empty: not named. Longer URLs are cut. */
	char image_url[MESSAGE_URL_MAX];
	char ota_url[MESSAGE_URL_MAX];
};

/* Returns false if text is no JSON object. Members of the wrong type count as not named, as in the
 * firmware; numbers out of range are clamped. */
bool message_parse(const char *text, size_t size, struct message *ret_message);

/* Writes the firmware's report about itself after connecting. The version and the MAC address must
 * need no escapes. */
void message_client_info(const char *firmware_version, const char *mac, const char *image_url,
			 FILE *text);
