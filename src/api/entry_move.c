#include "api/entries.h"
#include "api/operator_note.h"
#include "delivery/delivery.h"
#include "domain/installation.h"
#include "endpoints.h"

/* POST /v1/devices/{deviceId}/installations/{installationId}/move - moves an entry to the top of
 * its rotation, or to the bottom. */

/* Limit of attempts while others add entries: each failed attempt means that one was added. */
enum { MOVE_TRIES = 8 };

struct moving {
	struct entry_move body; /* first: the pre-handler checks read the request into it */
	struct entry_move_row row;
	unsigned tries;
};

static task_step entry_move_begin;

static struct step_result entry_move_reply(struct task *task)
{
	return task_reply_empty(task, 200);
}

static struct step_result entry_moved(struct task *task)
{
	struct moving *moving = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
	if (moving->row.is_stale && ++moving->tries == MOVE_TRIES)
		return task_fail_busy(task, PROBLEM_DATA_LOCKED, 1,
				      "entries are still being added, try again");
	if (moving->row.is_stale)
		return entry_move_begin(task);
	if (!moving->row.has_entry)
		return api_fail_no_entry(task);
	delivery_device_changed(api_delivery(task), task_device(task)->id, moving->row.generation);
	return api_note_change(task, "rotation.order", STR(""), entry_move_reply);
}

static struct step_result entry_move_begin(struct task *task)
{
	struct moving *moving = task_state(task);

	statement_entry_move(task_new_query(task),
			     &(struct entry_move_parameters){
				 .device_id = task_device(task)->id,
				 .id = task_path_parameter(task, 1),
				 .is_top = str_equal(moving->body.to, STR("top")),
			     },
			     &moving->row);
	return task_query(task, entry_moved);
}

ENDPOINT_ENTRY_MOVE(.handler = entry_move_begin, .state_size = sizeof(struct moving));
