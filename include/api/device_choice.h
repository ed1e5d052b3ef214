/* Devices that a request names: "devices=ID,ID" of its query. */
#pragma once

#include "task/task.h"

enum { DEVICE_CHOICE_MAX = 200 };

struct device_choice {
	struct id ids[DEVICE_CHOICE_MAX];
	unsigned count;
};

/* Reads at most max of them, each once; none: count is 0. Returns false if the query is wrong:
 * answer it with *ret_answer. */
bool api_read_devices(struct task *task, struct device_choice *chosen, unsigned max,
		      struct step_result *ret_answer);
