#include "api/app_name.h"
#include "chosen_devices.h"
#include "delivery/delivery.h"
#include "domain/chosen_devices.h"
#include "domain/device.h"
#include "endpoints.h"

/* POST /v1/brightness - sets the brightness of several devices. POST /v1/pin - pins an entry of
 * each, or unpins. One device after the other; the answer lists the failure of each. */

/* Takes the request's token for this device, except for the first one, whose token the pre-handler
 * checks have taken. Returns false, with the result of the device, if there is none. */
static bool take_token(struct task *task, struct chosen_devices *chosen,
		       struct step_result *ret_result)
{
	struct device_problem problem = {PROBLEM_REQUESTS_TOO_MANY, STR("too many requests"), 0};

	if (chosen->count == 0 || task_take_token(task, &problem.retry_after_s))
		return true;
	*ret_result = chosen_devices_note(task, chosen, &problem, (struct str){0});
	return false;
}

static struct step_result note_changed(struct task *task, struct chosen_devices *chosen,
				       int64_t generation)
{
	delivery_device_changed(api_delivery(task), task_device(task)->id, generation);
	return chosen_devices_note(task, chosen, &(struct device_problem){0}, (struct str){0});
}

static struct step_result note_gone(struct task *task, struct chosen_devices *chosen)
{
	return chosen_devices_note(
	    task, chosen,
	    &(struct device_problem){PROBLEM_DEVICE_NOT_FOUND, STR("there is no such device"), 0},
	    (struct str){0});
}

/* ---- brightness ---- */

struct brightening {
	struct brightness_change body; /* first: the pre-handler checks read the request into it */
	struct chosen_devices chosen;
	struct device change, device;
};

/* The member of a device that is changed. */
static const struct record_field brightness_fields[] = {
    RECORD_INT2(struct device, brightness, .body = "brightness"),
};
static const struct record brightness_record = RECORD(struct device, brightness_fields);

static struct step_result brightened(struct task *task)
{
	struct brightening *all = task_state(task);

	if (task_row_count(task) == 0)
		return note_gone(task, &all->chosen);
	return note_changed(task, &all->chosen, all->device.generation);
}

static struct step_result brighten(struct task *task)
{
	struct brightening *all = task_state(task);
	struct step_result result;

	if (!take_token(task, &all->chosen, &result))
		return result;
	all->change.brightness = all->body.brightness;
	statement_device_update(
	    task_new_query(task),
	    &(struct device_update_parameters){
		.id = task_device(task)->id,
		.account_id = task_account_id(task),
		.change = &all->change,
		.change_present = record_present_as(&brightness_record, 1, &device_record),
	    },
	    &all->device);
	return task_query(task, brightened);
}

static struct step_result brightness_begin(struct task *task)
{
	struct brightening *all = task_state(task);

	all->chosen.each = brighten;
	return chosen_devices_walk(task, &all->chosen, all->body.devices, all->body.is_for_all);
}

static void brightness_finish(void *state)
{
	chosen_devices_finish(&((struct brightening *)state)->chosen);
}

/* ---- pin ---- */

struct pinning {
	struct pin_change body; /* first: the pre-handler checks read the request into it */
	struct chosen_devices chosen;
	struct device_pin_row row;
};

static struct step_result note_no_entry(struct task *task)
{
	struct pinning *all = task_state(task);

	return chosen_devices_note(
	    task, &all->chosen,
	    &(struct device_problem){PROBLEM_INSTALLATION_NOT_FOUND,
				     STR("the device has no such installation"), 0},
	    (struct str){0});
}

static struct step_result pinned(struct task *task)
{
	struct pinning *all = task_state(task);

	if (task_row_count(task) == 0)
		return note_gone(task, &all->chosen);
	if (!all->row.has_entry)
		return note_no_entry(task);
	return note_changed(task, &all->chosen, all->row.generation);
}

static struct step_result pin(struct task *task)
{
	struct pinning *all = task_state(task);
	struct app_name app = app_name_of(all->body.app);
	struct step_result result;

	if (!take_token(task, &all->chosen, &result))
		return result;
	statement_device_pin(
	    task_new_query(task),
	    &(struct device_pin_parameters){
		.device_id = task_device(task)->id,
		.id = all->body.installation_id.data ? all->body.installation_id : STR(""),
		.app_id = app.id,
		.slug = app.slug.data ? app.slug : STR(""),
	    },
	    &all->row);
	return task_query(task, pinned);
}

static struct step_result pin_begin(struct task *task)
{
	struct pinning *all = task_state(task);

	all->chosen.each = pin;
	return chosen_devices_walk(task, &all->chosen, all->body.devices, all->body.is_for_all);
}

static struct step_result pin_refused(struct task *task)
{
	return task_constraint_error(task) == CONSTRAINT_ENTRY_GONE ? note_no_entry(task)
								    : task_fail_constraint(task);
}

static void pin_finish(void *state)
{
	chosen_devices_finish(&((struct pinning *)state)->chosen);
}

ENDPOINT_BRIGHTNESS_SET(.handler = brightness_begin, .state_size = sizeof(struct brightening),
			.finish = brightness_finish);
ENDPOINT_PIN_SET(.handler = pin_begin, .state_size = sizeof(struct pinning), .refused = pin_refused,
		 .finish = pin_finish);
