/* Devices that a body names: "devices": ["ID", ...] or "all" (domain/chosen_devices.h). One after
 * the other is found, and the answer lists a result for each.
 *
 *   chosen_devices_walk() -> all of the account, if "all"
 *     .---> next name -> found -> chosen->each()
 *     |                    |         |
 *     '--- a problem ------'         '-- chosen_devices_note() --> the next one; after the last the
 * answer
 *
 * The struct is part of the endpoint's state, and its finish() calls chosen_devices_finish(). */
#pragma once

#include "base/buffer.h"
#include "db/statements.h"
#include "http/problem.h"
#include "task/task.h"

struct chosen_devices {
	bool is_for_all;
	struct push_devices_row all;
	struct json_walk names; /* remaining names, if not for all */
	struct str name;	/* name of the device, as given by the caller */
	unsigned count;		/* number of devices so far */
	struct buffer json;
	/* Called for each device that the caller may use, which is task_device(). It calls
	 * chosen_devices_note() at its end. */
	task_step *each;
	/* Called for each result. */
	void (*count_status)(int status);
};

/* Why nothing was done for one device. */
struct device_problem {
	const struct problem_kind *kind; /* NULL: it was done */
	struct str detail;		 /* in the arena or static */
	unsigned retry_after_s;		 /* for 429 and 503; 0: none */
};

/* Begins with the first device. chosen: each is set. devices: of the body, unless is_for_all. */
__attribute__((warn_unused_result)) struct step_result
chosen_devices_walk(struct task *task, struct chosen_devices *chosen,
		    const struct json_value *devices, bool is_for_all);

/* Writes the result of the device, and continues with the next one. shown: when its picture is
 * shown; data is NULL: it does not matter. */
__attribute__((warn_unused_result)) struct step_result
chosen_devices_note(struct task *task, struct chosen_devices *chosen,
		    const struct device_problem *problem, struct str shown);

void chosen_devices_finish(struct chosen_devices *chosen);
