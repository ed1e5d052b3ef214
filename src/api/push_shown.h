/* The field Displayd-Shown of the answer to a push: when the image is shown. */
#pragma once

#include "domain/push.h"
#include "task/task.h"

/* Adds the field. stored: the image was stored for this device, which the prologue has read. */
void api_tell_shown(struct task *task, const struct push_body *body,
		    const struct push_stored *stored);
