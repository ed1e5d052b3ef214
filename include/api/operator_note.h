/* Notes of the operator's changes of devices and rotations in the audit log. Changes by their
 * owners have none: programs make them all the time. */
#pragma once

#include "task/task.h"

/* Session for an entry of the audit log that a statement makes. By it the log names displayctl;
 * none: the account itself has made the change. */
struct id api_noted_session(struct task *task);

/* Goes on with next, once the change of the path's device is committed; if the operator has made
 * it, after the audit log has it. entry: the ID of an entry of its rotation, or empty. Where the
 * log cannot be written the answer is 503, and the change stays. */
__attribute__((warn_unused_result)) struct step_result
api_note_change(struct task *task, const char *action, struct str entry, task_step *next);
