/* Orders by hand to a device: asleep, awake, dimmed, undimmed, until its plan next changes. The
 * device is read, and the order stored if its settings are still the same. */
#pragma once

#include "db/statements.h"
#include "domain/display.h"
#include "task/task.h"

struct plan_order {
	bool is_sleep; /* else it is about dimming */
	bool is_on;    /* asleep, dimmed */
	unsigned tries;
	struct plan_get_row device;
	struct device_order_set_row row;
};

/* A device's settings with its plan. */
struct planned {
	struct plan plan;
	struct display_settings settings; /* points to the plan */
};

/* Reads the plan of a device's row. Texts lie in the arena of the task. entry_ids: of the device's
 * entries, a line each, for the plan's entries; the position of one is its window's index and 1. */
void api_read_plan(struct task *task, const struct device *device,
		   const struct sleep_setting *sleep_set, const struct dim_setting *dim_set,
		   struct str entry_ids, struct planned *ret_planned);

/* Reads the path's device; then next. */
__attribute__((warn_unused_result)) struct step_result
api_order_read(struct task *task, struct plan_order *order, task_step *next);
/* Stores the order after api_order_read(); then next, which calls api_order_stored(). */
__attribute__((warn_unused_result)) struct step_result
api_order_store(struct task *task, struct plan_order *order, task_step *next);
/* Goes on with next if the order is stored: panels follow it. Else with again, or answers 503 if
 * the device keeps changing. */
__attribute__((warn_unused_result)) struct step_result
api_order_stored(struct task *task, struct plan_order *order, task_step *again, task_step *next);
