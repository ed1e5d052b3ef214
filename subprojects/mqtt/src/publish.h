/* Retained topics of a device: what changed is published, and nothing else. */
#pragma once

#include "device.h"
#include "session.h"

struct publisher {
	struct session *session;
	const char *base;      /* PREFIX/ACCOUNT */
	const char *discovery; /* where Home Assistant looks: its prefix */
};

/* Publishes what the device has become since the last call. False: the broker takes no more now;
 * call again. */
bool publish_device(const struct publisher *publisher, struct device *device)
    __attribute__((warn_unused_result));
/* Publishes the picture that the panel shows; likewise. */
bool publish_picture(const struct publisher *publisher, struct device *device, const char *png,
		     size_t length) __attribute__((warn_unused_result));
/* Notes that topics of the device may be on the broker: all but entries', or that of an entry, as
 * topic_encode() writes it. */
void publish_note_device(const struct publisher *publisher, struct device *device);
void publish_note_entry(const struct publisher *publisher, struct device *device,
			const char *encoded);
/* Takes away all topics of a device that is gone; likewise. */
bool publish_removal(const struct publisher *publisher, struct device *device)
    __attribute__((warn_unused_result));
/* All topics are published again: the session is another one. */
void publish_anew(struct device *device);
/* Says what became of a command: not retained, and lost if there is no room. */
void publish_error(const struct publisher *publisher, const char *device, const char *command,
		   int status, const char *detail);
