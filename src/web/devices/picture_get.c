#include "delivery/delivery.h"
#include "delivery/picture_size.h"
#include "delivery/recolouring.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/devices/{deviceId}/pictures/{hash} - a picture that the device has, perhaps with a
 * filter, in the size in which it is stored: pages show it in that of the panel.
 */

struct get {
	struct picture_by_hash_row row;
	struct recolouring recolouring;
};

static struct step_result picture_get_fail(struct task *task)
{
	return task_fail(task, PROBLEM_PICTURE_NOT_FOUND, "the device has no such picture");
}

static struct step_result picture_get_reply(struct task *task, struct str webp)
{
	/* A picture with this hash never changes, and is private. */
	task_add_field(task, STR("Cache-Control"), STR("private, max-age=31536000, immutable"));
	return task_reply(task, 200, STR("image/webp"), webp);
}

static struct step_result picture_get_recoloured(struct task *task)
{
	const struct get *get = task_state(task);

	return picture_get_reply(
	    task, arena_copy(task_arena(task), recolouring_result(&get->recolouring)));
}

static bool recolour_step(void *argument)
{
	return recolouring_step(argument);
}

static struct step_result picture_get_found(struct task *task)
{
	struct get *get = task_state(task);
	struct recolouring *recolouring = &get->recolouring;

	if (task_row_count(task) == 0)
		return picture_get_fail(task);
	if (picture_look_keeps_colors(recolouring->look))
		return picture_get_reply(task, get->row.picture);
	recolouring->webp = get->row.picture;
	recolouring->look.size = (uint8_t)picture_panel_size(recolouring->webp);
	return task_work(task, recolouring_lane(recolouring),
			 &(struct task_work){.run = recolour_step,
					     .argument = recolouring,
					     .size = get->row.picture.length},
			 picture_get_recoloured);
}

static struct step_result picture_get_begin(struct task *task)
{
	struct get *get = task_state(task);
	struct str name = task_path_parameter(task, 1);
	uint8_t hash[PICTURE_HASH_BYTES];
	struct str built_in;

	if (!view_picture_parse(name, hash, &get->recolouring.look.filter))
		return picture_get_fail(task);
	built_in = delivery_built_in_picture(hash, PANEL_SIZE_64X32);
	if (built_in.data)
		return picture_get_reply(task, built_in);
	statement_picture_by_hash(task_new_query(task),
				  &(struct picture_by_hash_parameters){
				      .device_id = task_device(task)->id,
				      .hash = {name.data, sizeof(hash) * 2},
				  },
				  &get->row);
	return task_query(task, picture_get_found);
}

static void picture_get_finish(void *state)
{
	struct get *get = state;

	recolouring_finish(&get->recolouring);
}

ENDPOINT_PICTURE_GET(.handler = picture_get_begin, .state_size = sizeof(struct get),
		     .finish = picture_get_finish);
