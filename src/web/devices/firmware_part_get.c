#include "db/statements.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/firmware/{firmwareId}/parts/{part} - a part of an image of firmware, for a page that
 * fills in its fields. An image may have 8 MiB: parts limit what a request holds in memory. */

enum { PART_BYTES = 256 * 1024, PARTS_MAX = 99 };

static struct step_result refuse(struct task *task)
{
	return task_fail(task, PROBLEM_FIRMWARE_NOT_FOUND,
			 "there is no such image, or no such part");
}

static struct step_result part_found(struct task *task)
{
	const struct firmware_part_row *row = task_state(task);

	if (task_row_count(task) == 0 || row->content.length == 0)
		return refuse(task);
	task_add_field(task, STR("Cache-Control"), STR("private, max-age=31536000, immutable"));
	return task_reply(task, 200, STR("application/octet-stream"), row->content);
}

static struct step_result firmware_part_get_begin(struct task *task)
{
	unsigned long long part;
	struct id id;

	if (!id_parse(task_path_parameter(task, 0), &id) ||
	    !str_to_uint64(task_path_parameter(task, 1), PARTS_MAX, &part))
		return refuse(task);
	statement_firmware_part(task_new_query(task),
				&(struct firmware_part_parameters){
				    .image_id = id,
				    .start = (int32_t)part * PART_BYTES,
				    .length = PART_BYTES,
				},
				task_state(task));
	return task_query(task, part_found);
}

ENDPOINT_OWN_FIRMWARE_PART(.handler = firmware_part_get_begin,
			   .state_size = sizeof(struct firmware_part_row));
