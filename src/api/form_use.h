/* Notes the use of kept forms, so that unused forms make room for others. */
#pragma once

#include "task/task.h"

/* Notes that the task's account uses the form of a version in a locale. Nobody waits for it. */
void api_note_form_use(struct task *task, struct id version_id, struct str locale);
