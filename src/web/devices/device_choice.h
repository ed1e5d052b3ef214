/* The devices that a request names: "devices=ID,ID" of its query. */
#pragma once

#include "task/task.h"
#include "web/page_views.h"

struct device_choice {
	struct id ids[PAGE_DEVICES_MAX];
	unsigned count;
};

/* Reads them, each once; none: count is 0. Returns false if the query is wrong: answer it with
 * *ret_answer. */
bool web_read_devices(struct task *task, struct device_choice *chosen, struct verdict *ret_answer);
