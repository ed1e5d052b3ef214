/* Topics of devices: PREFIX/ACCOUNT/DEVICE/... */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { TOPIC_MAX = 1100, TOPIC_ID_BYTES = 37, TOPIC_PART_BYTES = 800 };

enum topic_command {
	COMMAND_PUSH,
	COMMAND_MESSAGE,
	COMMAND_LIGHT,
	COMMAND_PINNED,
	COMMAND_PLAN,
	COMMAND_INTERVAL,
	COMMAND_NEXT,
	COMMAND_REBOOT,
	COMMAND_UPDATE,
	COMMAND_ENTRY,
};

struct topic {
	enum topic_command command;
	char device[TOPIC_ID_BYTES];
	char entry[TOPIC_PART_BYTES]; /* of COMMAND_ENTRY, as topic_encode() writes it */
};

/* Reads a command's topic; base is PREFIX/ACCOUNT. Returns false if it is no such topic. */
bool topic_read(const char *text, const char *base, struct topic *ret_topic)
    __attribute__((warn_unused_result));

/* Reads a retained topic of a device: its availability, or that of an entry, whose ID is then in
 * ret_topic, else empty. Returns false for other topics. */
bool topic_read_told(const char *text, const char *base, struct topic *ret_topic)
    __attribute__((warn_unused_result));

/* Writes an ID as a level of a topic, and as a part of a URL's path: what is neither a letter nor a
 * digit nor one of "-._" becomes %XX. Returns false if it does not fit. */
bool topic_encode(const char *id, char *ret_text, size_t size) __attribute__((warn_unused_result));
