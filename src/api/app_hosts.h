/* Records the hosts that apps ask in previews: an app's page names them, as those of renders. */
#pragma once

#include "render/engine.h"
#include "task/task.h"

/* Notes the hosts that the job has asked (job->answer), without those that tell of its settings.
 * app_id: all zero: nobody but its author sees the script, and nothing is noted. Nobody waits for
 * it.
 */
void api_note_hosts(struct task *task, struct id app_id, const struct engine_job *job);
