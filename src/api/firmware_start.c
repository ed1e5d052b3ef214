#include "api/operator_note.h"
#include "delivery/delivery.h"
#include "domain/firmware.h"
#include "domain/firmware_image.h"
#include "domain/panel_report.h"
#include "endpoints.h"

/* POST /v1/devices/{deviceId}/firmware/update - a device's panel gets the URL of an image for its
 * board.
 *
 *   firmware_choose -> check -> firmware_start -> the panel's worker (delivery/orders.h) -> show */

struct starting {
	struct firmware_start_body body; /* first: the pre-handler checks read a body into it */
	struct firmware_choose_row row;
	struct firmware_start_row started;
	struct firmware firmware;
};

static struct step_result fail_none(struct task *task)
{
	return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
}

static struct step_result shown(struct task *task)
{
	const struct starting *starting = task_state(task);

	if (task_row_count(task) == 0)
		return fail_none(task);
	return task_reply_record(task, 200, &firmware_record, &starting->firmware);
}

static struct step_result started(struct task *task)
{
	struct starting *starting = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_FIRMWARE_NOT_AVAILABLE,
				 "the image or the device was changed meanwhile");
	delivery_device_changed(api_delivery(task), task_device(task)->id,
				starting->started.generation);
	statement_firmware_get(task_new_query(task),
			       &(struct firmware_get_parameters){task_device(task)->id},
			       &starting->firmware);
	return task_query(task, shown);
}

static struct step_result fail_image(struct task *task)
{
	const struct starting *starting = task_state(task);
	struct str board = starting->row.board, version = starting->body.version;

	if (!board.data)
		return task_fail(task, PROBLEM_BOARD_NEEDED,
				 "the device has no board, and an update is for one board; choose "
				 "it first");
	if (firmware_board_check(board))
		return task_fail(task, PROBLEM_BOARD_WITHOUT_UPDATES,
				 "panels with the board %.*s take no updates", STR_ARG(board));
	if (version.data)
		return task_fail(task, PROBLEM_FIRMWARE_NOT_AVAILABLE,
				 "the server has no firmware %.*s for the board %.*s",
				 STR_ARG(version), STR_ARG(board));
	return task_fail(task, PROBLEM_FIRMWARE_NOT_AVAILABLE,
			 "the server has no firmware for the board %.*s", STR_ARG(board));
}

/* Returns whether the panel may get the image, else with the answer. */
static bool may_start(struct task *task, struct step_result *ret_answer)
{
	const struct starting *starting = task_state(task);
	const struct firmware_choose_row *row = &starting->row;
	struct id device = task_device(task)->id;
	int64_t since_us;

	if (panel_updates_of(row->firmware_version) != PANEL_ORDERS_TAKEN)
		*ret_answer = task_fail(
		    task, PROBLEM_FIRMWARE_TOO_OLD,
		    "the panel's firmware is %.*s; updates require 1.4.6 or newer",
		    STR_ARG(row->firmware_version.length ? row->firmware_version : STR("unknown")));
	else if (row->is_same || (!row->is_newer && !starting->body.allow_downgrade))
		*ret_answer = task_fail(
		    task, PROBLEM_FIRMWARE_NOT_NEWER,
		    row->is_same ? "the panel has %.*s already"
				 : "the panel has %.*s, which is higher; allowDowngrade permits it",
		    STR_ARG(row->firmware_version));
	else if (!delivery_is_online(api_delivery(task), device, row->last_online_at,
				     row->has_connected, &since_us))
		*ret_answer = task_fail(task, PROBLEM_PANEL_OFFLINE, "the panel is offline");
	else if (delivery_has_several_connections(api_delivery(task), device))
		*ret_answer =
		    task_fail(task, PROBLEM_PANELS_SEVERAL,
			      "the device has several panel connections, and each of them "
			      "would get the firmware; disconnect the others");
	else
		return true;
	return false;
}

static struct step_result chosen(struct task *task)
{
	struct starting *starting = task_state(task);
	struct step_result answer;

	if (task_row_count(task) == 0)
		return fail_none(task);
	if (id_is_none(starting->row.image_id) || firmware_board_check(starting->row.board))
		return fail_image(task);
	if (!may_start(task, &answer))
		return answer;
	statement_firmware_start(task_new_query(task),
				 &(struct firmware_start_parameters){
				     .id = task_device(task)->id,
				     .image_id = starting->row.image_id,
				     .address = task_request(task)->remote_address,
				     .session_id = api_noted_session(task),
				 },
				 &starting->started);
	return task_query(task, started);
}

static struct step_result firmware_start_begin(struct task *task)
{
	struct starting *starting = task_state(task);

	statement_firmware_choose(task_new_query(task),
				  &(struct firmware_choose_parameters){
				      .id = task_device(task)->id,
				      .version = starting->body.version,
				  },
				  &starting->row);
	return task_query(task, chosen);
}

ENDPOINT_FIRMWARE_START(.handler = firmware_start_begin, .state_size = sizeof(struct starting));
