/* Translates commands on the broker into API requests. */
#pragma once

#include "device.h"

#include <sandboxed/bytes.h>
#include <stdbool.h>

enum { ORDER_BODY_MAX = 1 << 20 };

struct order {
	struct order *next;
	const char *method;
	char path[TOPIC_MAX];
	struct bytes body; /* JSON */
	struct bytes text; /* text of a message, at most DEVICE_TEXT_MAX characters */
	bool has_text;	   /* whether the command is a message */
	char device[TOPIC_ID_BYTES];
	const char *command; /* static text for messages */
};

/* Makes the requests of a command, in order. The caller calls order_destroy() on them. Returns
 * NULL, with a static text in *ret_problem, if the payload is not valid or there is no memory. */
struct order *order_read(const struct topic *topic, const struct device *device,
			 const char *payload, size_t length, const char **ret_problem);
/* Static text. */
const char *order_name(enum topic_command command);
void order_destroy(struct order *order);
