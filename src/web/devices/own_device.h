/* Shared parts of the endpoints of devices. */
#pragma once

#include "db/statements.h"
#include "web/access.h"

/* State of endpoints that answer with a device as its owner's pages show it. */
struct own_device {
	struct device change; /* first: a body is read into it */
	struct own_device_allow_row allowed;
	struct own_device_get_row row;
};

/* Fields of struct own_device_get_row. */
extern const struct record own_device_record;

struct delivery *web_delivery(struct task *task);

/* Prepares task_query(): reads the path's device again into row of the state. */
void own_device_ask(struct task *task);
/* Reads the path's device again and answers with it. */
task_step own_device_reply;
/* Answers 404: the device was removed after the pre-handler checks had found it. */
task_step own_device_fail;
