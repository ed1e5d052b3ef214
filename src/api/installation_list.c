#include "domain/installation.h"
#include "endpoints.h"
#include "task/list.h"

/* GET /v1/devices/{deviceId}/installations - its installations, in the order of the rotation. */

static void ask_short(struct task *task, struct db_query *query)
{
	statement_installation_list(
	    query, &(struct installation_list_parameters){.device_id = task_device(task)->id},
	    NULL);
}

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_installation_part(
	    query,
	    &(struct installation_part_parameters){.device_id = task_device(task)->id,
						   .after_rank = range->after.number,
						   .row_limit = range->limit},
	    NULL);
}

static struct list_position position(const void *row)
{
	const struct installation_part_row *part = row;

	return (struct list_position){.number = part->rank};
}

static const struct task_list list = {
    .letter = 'i',
    .ask_short = ask_short,
    .unshown_columns = 1, /* has_end */
    .ask_part = ask_part,
    .record = &installation_record,
    .start = {.number = INT64_MIN},
    .position = position,
};

static struct step_result begin(struct task *task)
{
	return task_reply_list(task, &list);
}

const struct endpoint endpoint_installation_list = {
    .handler = begin,
    .kept_as = READ_INSTALLATIONS,
    ENDPOINT_INSTALLATION_LIST,
};
