#include "api/operator_note.h"
#include "db/db.h"
#include "domain/firmware.h"
#include "endpoints.h"
#include "firmware/firmware.h"

/* POST /v1/firmware-updates - all panels of an account get firmware, one after the other
 * (firmware/firmware.h). */

enum { DEVICES_MAX = 1000 };

struct starting {
	struct firmware_series_start_row row;
	struct firmware_series shown;
};

static struct step_result shown(struct task *task)
{
	const struct starting *starting = task_state(task);

	if (task_row_count(task) == 0)
		return task_refuse(task);
	return task_reply_record(task, 200, &firmware_series_record, &starting->shown);
}

static struct step_result started(struct task *task)
{
	struct starting *starting = task_state(task);

	if (task_row_count(task) == 0)
		return task_refuse(task);
	if (id_is_none(starting->row.series_id))
		return task_fail(task, PROBLEM_FIRMWARE_SERIES_RUNS,
				 "an update of all panels of this account is running");
	db_hint(task_service(task)->db, STR(FIRMWARE_HINT));
	statement_firmware_series_get(task_new_query(task),
				      &(struct firmware_series_get_parameters){
					  .account_id = task_account_id(task),
					  .chosen_ids = task_key_devices(task),
				      },
				      &starting->shown);
	return task_query(task, shown);
}

static struct step_result firmware_series_start_begin(struct task *task)
{
	struct starting *starting = task_state(task);

	statement_firmware_series_start(task_new_query(task),
					&(struct firmware_series_start_parameters){
					    .account_id = task_account_id(task),
					    .chosen_ids = task_key_devices(task),
					    .series_id = id_new(),
					    .row_limit = DEVICES_MAX,
					    .address = task_request(task)->remote_address,
					    .session_id = api_noted_session(task),
					},
					&starting->row);
	return task_query(task, started);
}

ENDPOINT_FIRMWARE_SERIES_START(.handler = firmware_series_start_begin,
			       .state_size = sizeof(struct starting));
