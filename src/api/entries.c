#include "api/entries.h"
#include "base/limits.h"

void api_entry_parameters(struct task *task, const struct entry_change *change,
			  struct rotation_entry_update_parameters *ret_parameters)
{
	*ret_parameters = (struct rotation_entry_update_parameters){
	    .device_id = task_device(task)->id,
	    .id = task_path_parameter(task, 1),
	    .change = change,
	    .change_present = change->present,
	    .sets_display = change->display != NULL,
	    .display_s = (int32_t)change->display_s,
	    .sets_hours = change->hours != NULL,
	    .start_minute = (int16_t)change->start_minute,
	    .end_minute = (int16_t)change->end_minute,
	    .sets_weekdays = change->weekdays != NULL,
	    .weekdays = (int16_t)change->weekdays_on,
	    .sets_pinned = change->present >> ENTRY_CHANGE_IS_PINNED_FIELD & 1,
	    .is_pinned = change->is_pinned,
	    .sets_name = change->name != NULL,
	    .name = change->new_name,
	};
}

void api_entry_settings(struct rotation_entry_update_parameters *parameters,
			const struct app_work *work, const struct stored_settings *stored)
{
	parameters->settings = stored->open;
	parameters->secret_settings = stored->encrypted;
	parameters->settings_hash = stored->hash;
	parameters->seen_hash = work->source.settings_hash;
	parameters->version_id = work->source.version_id;
}

struct step_result api_fail_no_entry(struct task *task)
{
	return task_fail(task, PROBLEM_INSTALLATION_NOT_FOUND,
			 "the device has no such installation");
}

struct step_result api_entry_refused(struct task *task)
{
	switch (task_constraint_error(task)) {
	case CONSTRAINT_ENTRY_GONE:
		return api_fail_no_entry(task);
	case CONSTRAINT_TOO_MANY_INSTALLATIONS:
		return task_fail(task, PROBLEM_ENTRIES_TOO_MANY,
				 "the device has %d entries already, remove one first",
				 LIMIT_DEVICE_INSTALLATIONS);
	default:
		return task_fail_constraint(task);
	}
}
