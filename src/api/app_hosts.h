/* Records the hosts that apps ask in previews: an app's page shows them, as those of renders. */
#pragma once

#include "render/engine.h"
#include "task/task.h"

/* Records the hosts that the job has asked (job->answer), without those that reveal its settings.
 * app_id all zero: only its author sees the script, so nothing is recorded. Does not wait.
 */
void api_note_hosts(struct task *task, struct id app_id, const struct engine_job *job);
