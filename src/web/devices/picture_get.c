#include "base/hex.h"
#include "delivery/delivery.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/devices/{deviceId}/pictures/{hash} - a picture that the device has. */

struct get {
	struct picture_by_hash_row row;
};

static struct step_result picture_get_fail(struct task *task)
{
	return task_fail(task, PROBLEM_PICTURE_NOT_FOUND, "the device has no such picture");
}

static struct step_result reply(struct task *task, struct str webp)
{
	/* A picture with this hash never changes, and is private. */
	task_add_field(task, STR("Cache-Control"), STR("private, max-age=31536000, immutable"));
	return task_reply(task, 200, STR("image/webp"), webp);
}

static struct step_result picture_get_found(struct task *task)
{
	const struct get *get = task_state(task);

	return task_row_count(task) ? reply(task, get->row.picture) : picture_get_fail(task);
}

static struct step_result picture_get_begin(struct task *task)
{
	struct get *get = task_state(task);
	uint8_t hash[PICTURE_HASH_BYTES];
	struct str built_in;

	if (!hex_decode(task_path_parameter(task, 1), hash, sizeof(hash)))
		return picture_get_fail(task);
	built_in = delivery_built_in_picture(hash);
	if (built_in.data)
		return reply(task, built_in);
	statement_picture_by_hash(task_new_query(task),
				  &(struct picture_by_hash_parameters){
				      .device_id = task_device(task)->id,
				      .hash = task_path_parameter(task, 1),
				  },
				  &get->row);
	return task_query(task, picture_get_found);
}

ENDPOINT_PICTURE_GET(.handler = picture_get_begin, .state_size = sizeof(struct get));
