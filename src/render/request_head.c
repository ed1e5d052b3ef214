#include "request_head.h"
#include "base/require.h"
#include "base/zones.h"
#include "domain/display.h"
#include "frame.h"
#include "record/json_memory.h"
#include "render/config_zone.h"

#include <panelimage/panelimage.h>
#include <text/utf8.h>

enum {
	TEXTS_MAX = 128 * 1024, /* in JSON they may become six times as long */
	ZONE_CHANGES_MAX = 1000,
};

/* Range of the zone's offsets that scripts in TypeScript get. */
#define ZONE_FROM_S INT64_C(-2208988800) /* 1900 */
#define ZONE_UNTIL_S INT64_C(4102444800) /* 2100 */

/* Adds the zone, since a process in the sandbox has no tz database. Returns false if there is no
 * such zone. */
static bool add_zone(yyjson_mut_doc *head, struct str name)
{
	struct zone_change changes[ZONE_CHANGES_MAX];
	const struct zone *zone = zones_find(name);
	yyjson_mut_val *array = yyjson_mut_arr(head);
	unsigned count;

	if (!zone)
		return false;
	count = zone_changes(zone, ZONE_FROM_S, ZONE_UNTIL_S, changes, ZONE_CHANGES_MAX);
	for (unsigned i = 0; i < count; i++) {
		yyjson_mut_arr_add_sint(head, array, changes[i].at_s);
		yyjson_mut_arr_add_int(head, array, changes[i].offset_s);
	}
	return yyjson_mut_obj_add_val(head, yyjson_mut_doc_get_root(head), "zone", array);
}

static bool add_config(yyjson_mut_doc *head, struct str config, struct str zone, bool keeps_zone)
{
	/* Keep the text: do not parse in situ. */
	yyjson_doc *parsed = yyjson_read_opts((char *)config.data, config.length,
					      YYJSON_READ_NOFLAG, &json_memory, NULL);
	yyjson_val *root = yyjson_doc_get_root(parsed);
	yyjson_mut_val *copy = yyjson_is_obj(root) ? yyjson_val_mut_copy(head, root) : NULL;

	yyjson_doc_free(parsed);
	if (!copy)
		return false;
	if (!keeps_zone || !yyjson_mut_obj_get(copy, CONFIG_ZONE))
		config_set_zone(head, copy, zone);
	return yyjson_mut_obj_add_val(head, yyjson_mut_doc_get_root(head), "config", copy);
}

/* Adds a text unless it is empty. */
static bool add_text(yyjson_mut_doc *head, const char *name, struct str text)
{
	if (text.length == 0)
		return true;
	return utf8_is_valid(text) &&
	       yyjson_mut_obj_add_strncpy(head, yyjson_mut_doc_get_root(head), name, text.data,
					  text.length);
}

static bool add_members(yyjson_mut_doc *head, const struct engine_job *job)
{
	struct str zone = job->timezone.length ? job->timezone : STR("UTC");
	yyjson_mut_val *root = yyjson_mut_doc_get_root(head);

	yyjson_mut_obj_add_sint(head, root, "now_ms", job->now_ms);
	yyjson_mut_obj_add_uint(head, root, "seed", job->seed);
	yyjson_mut_obj_add_uint(head, root, "width", job->width ? job->width : DISPLAY_WIDTH);
	yyjson_mut_obj_add_uint(head, root, "height", job->height ? job->height : DISPLAY_HEIGHT);
	if (job->is_doubled)
		yyjson_mut_obj_add_bool(head, root, "is_2x", true);
	if (job->max_duration_ms)
		yyjson_mut_obj_add_uint(head, root, "max_duration_ms", job->max_duration_ms);
	if (job->max_whole_ms)
		yyjson_mut_obj_add_uint(head, root, "max_whole_ms", job->max_whole_ms);
	yyjson_mut_obj_add_uint(head, root, "max_bytes",
				job->max_bytes ? job->max_bytes : PANELIMAGE_OUTPUT_MAX_BYTES);
	if (job->wall_extra_ms)
		yyjson_mut_obj_add_uint(head, root, "wall_extra_ms", job->wall_extra_ms);
	yyjson_mut_obj_add_bool(head, root, "network", job->has_network);
	return add_text(head, "version", job->scope) && add_text(head, "timezone", zone) &&
	       add_text(head, "locale", job->locale) && add_text(head, "handler", job->handler) &&
	       add_text(head, "parameter", job->parameter) &&
	       add_config(head, job->config.length ? job->config : STR("{}"), zone,
			  job->keeps_zone) &&
	       (job->language != ENGINE_TYPESCRIPT || add_zone(head, zone));
}

yyjson_mut_doc *request_head_create(const struct engine_job *job)
{
	yyjson_mut_doc *head = yyjson_mut_doc_new(&json_memory);

	yyjson_mut_doc_set_root(head, yyjson_mut_obj(head));
	if (job->config.length + job->parameter.length + job->handler.length + job->scope.length +
		    job->timezone.length + job->locale.length <=
		TEXTS_MAX &&
	    job->script.length <= FRAME_BLOB_MAX && job->compiled.length <= FRAME_BLOB_MAX &&
	    add_members(head, job))
		return head;
	yyjson_mut_doc_free(head);
	return NULL;
}

static void put(yyjson_mut_doc *head, const char *name, yyjson_mut_val *value)
{
	yyjson_mut_obj_put(yyjson_mut_doc_get_root(head), yyjson_mut_str(head, name), value);
}

void request_head_write(yyjson_mut_doc *head, const char *what, const struct request_time *time,
			struct str blob, struct buffer *ret_frame)
{
	size_t length = 0;
	char *text;

	put(head, "what", yyjson_mut_str(head, what));
	put(head, "timeout_ms", yyjson_mut_uint(head, time->timeout_ms));
	if (time->encode_ms)
		put(head, "encode_ms", yyjson_mut_uint(head, time->encode_ms));
	if (time->network_ms) {
		put(head, "network_ms", yyjson_mut_uint(head, time->network_ms));
		put(head, "reports_waits", yyjson_mut_true(head));
	}
	text = yyjson_mut_write_opts(head, YYJSON_WRITE_NOFLAG, &json_memory, &length, NULL);
	/* request_head_create() has checked that texts are UTF-8 and parts short. */
	require(text && frame_append(ret_frame, (struct str){text, length}, blob));
	free(text);
}
