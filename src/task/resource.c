#include "base/id_capitals.h"
#include "domain/device_reference.h"
#include "task/known_owners.h"
#include "task_private.h"

/* Whether the caller is the operator, without naming an account. */
static bool is_for_any(const struct task *task)
{
	return task->is_of_operator && id_is_none(task->account_id);
}

/* Names other than IDs are unique only within an account. */
static struct step_result fail_account(struct task *task)
{
	return task_fail(task, PROBLEM_ACCOUNT_NEEDED,
			 "use the ID, or name the account in Displayd-Account");
}

static struct step_result on_owner_found(struct task *task)
{
	if (task_row_count(task) == 0 || task_is_closed_to_operator(task))
		return task_fail(task, PROBLEM_ACCOUNT_NOT_FOUND, "there is no such account");
	task->account_id = task->operators_account.id;
	return task_next_stage(task);
}

static struct step_result act_for(struct task *task, struct id owner_id)
{
	statement_operator_account(task_new_query(task),
				   &(struct operator_account_parameters){.id = owner_id},
				   &task->operators_account);
	return task_query(task, on_owner_found);
}

/* The operator acts for the owner, unless the request names an account. Some apps have no owner. */
static struct step_result resource_take(struct task *task, struct id owner_id,
					const char *of_another)
{
	if (is_for_any(task) && !id_is_none(owner_id))
		return act_for(task, owner_id);
	if (!id_equal(task->account_id, owner_id))
		return task_fail(task, PROBLEM_OF_OTHER_ACCOUNT, "%s", of_another);
	return task_next_stage(task);
}

/* ---- device ---- */

static const char of_another_account[] = "the device belongs to another account";

static void log_device(struct task *task)
{
	char text[ID_TEXT_LENGTH + 1];

	id_format(task->device.id, text);
	task->request->log_device = arena_copy(task_arena(task), str_from(text));
}

/* Takes an answer that is cached for the owner of the device. */
static struct step_result take_kept(struct task *task, struct id device_id)
{
	task->device = (struct device){.id = device_id, .account_id = task->account_id};
	log_device(task);
	return task_next_stage(task);
}

static struct step_result on_device_found(struct task *task)
{
	if (task->row_count == 0)
		return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
	log_device(task);
	task->kept_id = task->device.id;
	known_owners_note(&task->device.id, &task->device.account_id);
	return resource_take(task, task->device.account_id, of_another_account);
}

static struct step_result find_no_device(struct task *task, task_step *next)
{
	task->row_count = 0;
	return task_continue(task, next);
}

struct step_result task_find_device(struct task *task, struct str name, task_step *next)
{
	struct device_reference reference = device_reference_parse(name);
	struct db_query *query;
	struct str mac;

	if (reference.kind == DEVICE_REFERENCE_NONE)
		return find_no_device(task, next);
	if (is_for_any(task) && reference.kind != DEVICE_REFERENCE_ID)
		return fail_account(task);
	query = task_new_query(task);
	switch (reference.kind) {
	case DEVICE_REFERENCE_SERIAL:
		statement_device_by_serial(
		    query,
		    &(struct device_by_serial_parameters){reference.serial, task->account_id},
		    &task->device);
		break;
	case DEVICE_REFERENCE_MAC:
		mac = (struct str){(const char *)reference.mac, sizeof(reference.mac)};
		mac = arena_copy(task_arena(task), mac);
		statement_device_by_mac(query,
					&(struct device_by_mac_parameters){mac, task->account_id},
					&task->device);
		break;
	default:
		statement_device_by_id(query, &(struct device_by_id_parameters){reference.id},
				       &task->device);
	}
	return task_query(task, next);
}

static struct step_result find_device(struct task *task)
{
	struct str name = task_path_parameter(task, 0);
	struct device_reference reference;

	if (task->is_to_keep) {
		reference = device_reference_parse(name);
		if (reference.kind == DEVICE_REFERENCE_ID && task_finds_kept(task, reference.id))
			return take_kept(task, reference.id);
	}
	return task_find_device(task, name, on_device_found);
}

static bool has_precondition(const struct task *task)
{
	return http_request_field(task->request, STR("if-match")).data ||
	       http_request_field(task->request, STR("if-none-match")).data;
}

bool task_assumes_device(struct task *task)
{
	const struct endpoint *endpoint = task->endpoint;
	struct device_reference reference;

	if (!endpoint->may_assume_device || task->is_of_operator || has_precondition(task))
		return false;
	reference = device_reference_parse(task_path_parameter(task, 0));
	if (reference.kind != DEVICE_REFERENCE_ID ||
	    !known_owners_have(&reference.id, &task->account_id))
		return false;
	task->device = (struct device){.id = reference.id, .account_id = task->account_id};
	/* The device's absence is answered before a faulty body. */
	task->has_assumed_device = task_is_within_scope(task) && task_reads_fields(task);
	if (task->has_assumed_device)
		log_device(task);
	return task->has_assumed_device;
}

bool task_can_look_again(const struct task *task)
{
	return task->has_assumed_device;
}

struct step_result task_look_again(struct task *task)
{
	task->has_assumed_device = false;
	task->request->log_device = (struct str){0};
	return task_find_resource(task);
}

const struct problem_kind *task_device_problem(const struct task *task, const char **ret_why)
{
	bool is_of_another = !id_equal(task->device.account_id, task->account_id);

	*ret_why = is_of_another ? of_another_account : TASK_OTHER_DEVICES;
	if (is_of_another)
		return PROBLEM_OF_OTHER_ACCOUNT;
	return task_has_other_devices(task) ? PROBLEM_KEY_FOR_OTHER_DEVICES : NULL;
}

bool task_may_use_device(struct task *task, struct step_result *ret_answer)
{
	const struct problem_kind *forbidden;
	const char *why;

	if (task_row_count(task) == 0) {
		*ret_answer = task_fail(task, PROBLEM_DEVICE_NOT_FOUND,
					"there is no such device as the body names");
		return false;
	}
	forbidden = task_device_problem(task, &why);
	if (forbidden)
		*ret_answer = task_fail(task, forbidden, "%s", why);
	return !forbidden;
}

/* ---- app ---- */

static struct step_result on_app_found(struct task *task)
{
	if (task->row_count == 0)
		return task_fail(task, PROBLEM_APP_NOT_FOUND, "there is no such app");
	return resource_take(task, task->app.account_id, "the app belongs to another account");
}

static struct step_result find_app(struct task *task)
{
	struct db_query *query = task_new_query(task);
	struct str name = task_path_parameter(task, 0);
	struct id id;

	if (id_parse(name, &id))
		statement_app_by_id(query, &(struct app_by_id_parameters){id}, &task->app);
	else if (is_for_any(task))
		return fail_account(task);
	else
		statement_app_by_slug(
		    query, &(struct app_by_slug_parameters){task->account_id, name}, &task->app);
	return task_query(task, on_app_found);
}

struct step_result task_find_resource(struct task *task)
{
	return task->endpoint->resource == RESOURCE_DEVICE ? find_device(task) : find_app(task);
}

/* ---- installation ---- */

bool task_has_capital_name(struct task *task)
{
	return task->endpoint->names_installation && id_has_capitals(task_path_parameter(task, 1));
}

static struct step_result on_name_found(struct task *task)
{
	if (task->row_count > 0)
		task_set_path_parameter(task, 1, task->named.id);
	return task_next_stage(task);
}

struct step_result task_find_installation_name(struct task *task)
{
	statement_installation_name_find(
	    task_new_query(task),
	    &(struct installation_name_find_parameters){.device_id = task->device.id,
							.id = task_path_parameter(task, 1)},
	    &task->named);
	return task_query(task, on_name_found);
}
