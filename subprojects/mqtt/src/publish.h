/* Publishes the retained topics of a device, only those that have changed. */
#pragma once

#include "device.h"
#include "session.h"

struct publisher {
	struct session *session;
	const char *base;      /* PREFIX/ACCOUNT */
	const char *discovery; /* prefix of Home Assistant's discovery topics */
};

/* Publishes the changes of the device since the last call. Returns false if the broker takes no
 * more now: call again later. */
bool publish_device(const struct publisher *publisher, struct device *device)
    __attribute__((warn_unused_result));
/* Publishes the picture that the panel shows. Returns false as publish_device() does. */
bool publish_picture(const struct publisher *publisher, struct device *device, const char *png,
		     size_t length) __attribute__((warn_unused_result));
/* Notes that topics of the device may be on the broker: all but those of entries, or that of one
 * entry, named as topic_encode() writes it. */
void publish_note_device(const struct publisher *publisher, struct device *device);
void publish_note_entry(const struct publisher *publisher, struct device *device,
			const char *encoded);
/* Removes all topics of a removed device. Returns false as publish_device() does. */
bool publish_removal(const struct publisher *publisher, struct device *device)
    __attribute__((warn_unused_result));
/* Publishes all topics again, for a new session. */
void publish_anew(struct device *device);
/* Publishes the error of a command: not retained, and dropped if there is no room. code: of
 * docs/api/problems.yaml. */
void publish_error(const struct publisher *publisher, const char *device, const char *command,
		   int status, const char *code, const char *detail);
