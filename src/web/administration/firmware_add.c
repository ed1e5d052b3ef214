#include "domain/esp_image.h"
#include "domain/firmware_image.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

#include <text/base64.h>

/* POST /web/admin/firmware - adds an image of panels' firmware.
 *
 *   begin -> a lane: decode it, read its header, verify its hash -> store -> tell */

struct addition {
	struct firmware_addition body; /* first: the pre-handler checks read the request into it */
	uint8_t *image;		       /* in the arena */
	size_t size;
	const char *fault; /* of the image; NULL: none */
	struct firmware_facts facts;
	struct firmware_add_row row;
	struct firmware_image shown;
};

/* Returns the version as panels report it, without "v". */
static struct str version_of(const struct addition *addition)
{
	struct str version =
	    addition->body.version.data ? addition->body.version : addition->facts.version;

	return version.length && (version.data[0] == 'v' || version.data[0] == 'V')
		   ? str_from_offset(version, 1)
		   : version;
}

static struct step_result stored(struct task *task)
{
	struct addition *addition = task_state(task);
	const struct firmware_add_row *row = &addition->row;

	if (task_row_count(task) == 0)
		return web_refuse_member(task);
	if (id_is_none(row->id))
		return row->is_known
			   ? task_fail(task, PROBLEM_FIRMWARE_EXISTS,
				       "there is an image of %.*s for %.*s already",
				       STR_ARG(version_of(addition)), STR_ARG(addition->body.board))
			   : task_fail(task, PROBLEM_FIRMWARE_IMAGES_TOO_MANY,
				       "there are %d images already, remove one first",
				       FIRMWARE_IMAGES_MAX);
	web_changed(task, (struct id){0}, "admin");
	addition->shown = (struct firmware_image){
	    .id = row->id,
	    .board = addition->body.board,
	    .version = version_of(addition),
	    .chip = str_from(addition->facts.chip),
	    .project = addition->facts.project,
	    .size_bytes = (int64_t)addition->size,
	    .sha256 = str_from(addition->facts.sha256),
	    .added_at_us = row->created_at,
	};
	return task_reply_record(task, 201, &firmware_image_record, &addition->shown);
}

static struct step_result store(struct task *task)
{
	struct addition *addition = task_state(task);
	const struct firmware_facts *facts = &addition->facts;

	statement_firmware_add(task_new_query(task),
			       &(struct firmware_add_parameters){
				   .id = id_new(),
				   .board = addition->body.board,
				   .version = version_of(addition),
				   .chip = str_from(facts->chip),
				   .project = facts->project,
				   .sha256 = str_from(facts->sha256),
				   .content = {(const char *)addition->image, addition->size},
				   .by_operator = task_is_of_operator(task),
				   .actor_id = task_account_id(task),
				   .address = web_address(task),
				   .session_id = web_session_id(task),
			       },
			       &addition->row);
	return task_query(task, stored);
}

static struct step_result checked(struct task *task)
{
	struct addition *addition = task_state(task);

	if (addition->fault)
		return task_fail_field_as(task, PROBLEM_FIRMWARE_INVALID, "image", "%s",
					  addition->fault);
	if (firmware_version_check(version_of(addition)))
		return task_fail_field(task, "version",
				       "is needed: the version in the image's header, \"%.*s\", "
				       "does not begin with a number below 100,000",
				       STR_ARG(addition->facts.version));
	return store(task);
}

static bool firmware_add_check(void *argument)
{
	struct addition *addition = argument;

	if (base64_decode(addition->body.image, addition->image, &addition->size) < 0)
		addition->fault = "must be base64";
	else
		addition->fault =
		    firmware_image_read((struct str){(const char *)addition->image, addition->size},
					addition->body.board, &addition->facts);
	return false;
}

static struct step_result firmware_add_begin(struct task *task)
{
	struct addition *addition = task_state(task);
	size_t length = addition->body.image.length;

	addition->image = arena_alloc(task_arena(task), base64_decoded_max(length));
	return task_work(task, LANE_LONG,
			 &(struct task_work){.run = firmware_add_check,
					     .argument = addition,
					     .size = length / TASK_TEXT_BYTES,
					     .is_text = true},
			 checked);
}

ENDPOINT_FIRMWARE_ADD(.handler = firmware_add_begin, .state_size = sizeof(struct addition));
