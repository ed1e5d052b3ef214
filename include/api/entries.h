/* Changes of a rotation's entries, for endpoints of the public API and of the pages. */
#pragma once

#include "api/app_work.h"
#include "domain/entry_change.h"

/* Fills in the parameters for a change of the path's entry. Settings stay as they are, and the
 * state of the device is not checked. */
void api_entry_parameters(struct task *task, const struct entry_change *change,
			  struct rotation_entry_update_parameters *ret_parameters);

/* Adds settings that replace those of work->source. */
void api_entry_settings(struct rotation_entry_update_parameters *parameters,
			const struct app_work *work, const struct stored_settings *stored);

/* 404: the device has no such entry. */
task_step api_fail_no_entry;
/* Handler of the endpoint's "refused": the entry was removed meanwhile, or the rotation is full. */
task_step api_entry_refused;
