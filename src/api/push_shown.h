/* When a pushed image is shown, as the field Displayd-Shown of the answer says it. */
#pragma once

#include "domain/push.h"
#include "task/task.h"

/* Text in the arena. stored: of the image that was stored for task_device(). */
struct str api_push_shown(struct task *task, const struct push_body *body,
			  const struct push_stored *stored);
