#include "api/device_choice.h"
#include "domain/installation.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/entries?devices=ID,ID - names of the entries of the account's devices, and whether their
 * apps fail. */

struct naming {
	struct device_choice chosen;
	struct entry_names names;
};

static struct step_result entry_names_found(struct task *task)
{
	const struct naming *naming = task_state(task);

	return task_reply_record(task, 200, &entry_names_record, &naming->names);
}

static struct step_result entry_names_begin(struct task *task)
{
	struct naming *naming = task_state(task);
	struct step_result answer;

	if (!api_read_devices(task, &naming->chosen, DEVICE_CHOICE_MAX, &answer))
		return answer;
	statement_entry_names(task_new_query(task),
			      &(struct entry_names_parameters){
				  .device_ids = {naming->chosen.ids, naming->chosen.count},
				  .account_id = task_account_id(task),
			      },
			      &naming->names);
	return task_query(task, entry_names_found);
}

ENDPOINT_ENTRY_NAMES(.handler = entry_names_begin, .state_size = sizeof(struct naming));
