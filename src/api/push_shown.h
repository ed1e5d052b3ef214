/* Makes the field Displayd-Shown of an answer: when a pushed image is shown. */
#pragma once

#include "domain/push.h"
#include "task/task.h"

/* Text in the arena. stored: result of storing the image for task_device(). */
struct str api_push_shown(struct task *task, const struct push_body *body,
			  const struct push_stored *stored);
