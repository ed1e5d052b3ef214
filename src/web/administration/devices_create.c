#include "base/limits.h"
#include "domain/device_lines.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* POST /web/admin/devices - the operator makes many devices, all or none, or asks for all faults.
 */

struct making {
	struct device_lines body; /* first: the pre-handler checks read the request into it */
	struct device_check check;
	struct devices_known_row known;
	struct devices_create_row created;
};

static const struct record_field fields[] = {
    RECORD_JSON(struct making, known.conflicts, .name = "faults"),
};
static const struct record shown_record = RECORD(struct making, fields);

static struct step_result devices_create_reply(struct task *task)
{
	return task_reply_record(task, 200, &shown_record, task_state(task));
}

/* Joins the faults of the check with those of the database: JSON, "[]" if there are none. */
static struct step_result looked_up(struct task *task)
{
	struct making *making = task_state(task);
	struct str faults = buffer_view(&making->check.faults), more = making->known.conflicts;

	if (faults.length)
		making->known.conflicts =
		    ARENA_JOIN(task_arena(task), STR("["), faults,
			       more.length > 2 ? STR(",") : STR(""), str_from_offset(more, 1));
	return devices_create_reply(task);
}

static struct step_result created(struct task *task)
{
	struct making *making = task_state(task);

	if (making->created.made == 0)
		return task_fail(task, PROBLEM_ACCOUNT_VANISHED,
				 "an account no longer exists; no device was created");
	web_changed(task, (struct id){0}, "admin");
	making->known.conflicts = STR("[]");
	return devices_create_reply(task);
}

static struct step_result checked(struct task *task)
{
	struct making *making = task_state(task);

	if (making->check.refused[0])
		return task_fail_field(task, "lines", "number %u: %s", making->check.line,
				       making->check.refused);
	if (making->body.only_check) {
		statement_devices_known(
		    task_new_query(task),
		    &(struct devices_known_parameters){buffer_view(&making->check.lines)},
		    &making->known);
		return task_query(task, looked_up);
	}
	statement_devices_create(task_new_query(task),
				 &(struct devices_create_parameters){
				     .lines = making->body.lines,
				     .session_id = web_session_id(task),
				 },
				 &making->created);
	return task_query(task, created);
}

static bool devices_create_check(void *argument)
{
	struct making *making = argument;

	device_lines_check(&making->body, &making->check);
	return false;
}

static struct step_result devices_create_begin(struct task *task)
{
	struct making *making = task_state(task);

	if (!task_is_of_operator(task))
		return web_refuse_all_but_operator(task);
	return task_work(task, LANE_SHORT,
			 &(struct task_work){.run = devices_create_check,
					     .argument = making,
					     .size = making->body.lines.length,
					     .is_text = true},
			 checked);
}

static struct step_result refused(struct task *task)
{
	if (task_constraint_error(task) != CONSTRAINT_SERIAL_TAKEN &&
	    task_constraint_error(task) != CONSTRAINT_MAC_TAKEN)
		return web_fail_constraint(task);
	return task_fail(task, PROBLEM_DEVICE_EXISTS,
			 "an account already has a device with one of these serial numbers or MAC "
			 "addresses; no device was created");
}

static void devices_create_finish(void *state)
{
	device_check_finish(&((struct making *)state)->check);
}

ENDPOINT_DEVICES_CREATE(.handler = devices_create_begin, .finish = devices_create_finish,
			.state_size = sizeof(struct making), .refused = refused);
