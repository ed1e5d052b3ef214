/* Notes of the operator's changes of devices and rotations in the audit log. Changes by their
 * owners are not noted: programs make them all the time. */
#pragma once

#include "task/task.h"

/* Session for an entry of the audit log that a statement makes. A session makes the log name
 * displayctl; none: the account itself made the change. */
struct id api_noted_session(struct task *task);

/* Hash of the API key that makes the change, for statements that store which key has set something
 * up. data is NULL: the owner makes it, or the operator. */
struct str api_maker(struct task *task);

/* Call it once the change of the path's device is committed. If the operator made the change,
 * writes it into the audit log; then goes on with next. entry: the ID of an entry of the rotation,
 * or empty. If the log cannot be written, answers 503, and the change stays. */
__attribute__((warn_unused_result)) struct step_result
api_note_change(struct task *task, const char *action, struct str entry, task_step *next);
