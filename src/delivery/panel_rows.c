#include "panel_rows.h"
#include "base/clock.h"
#include "base/require.h"
#include "following.h"
#include "render_keys.h"

#include <stdlib.h>
#include <string.h>

/* The picture of a pushed installation: a new one from the row, or the one in the panel's old
 * content.
 */
static struct picture take_picture(struct panel *panel, const struct panel_installations_row *row)
{
	struct pictures *pictures = panel->panels->pictures;
	struct picture none = {0};

	if (row->picture.data)
		return pictures_keep(pictures, panel->share, row->picture);
	for (unsigned i = 0; i < panel->content.installation_count; i++) {
		struct content_installation *old = &panel->content.installations[i];

		if (old->position == row->position &&
		    old->picture_generation == row->picture_generation) {
			struct picture picture = old->picture;

			old->picture = none;
			return picture;
		}
	}
	return none; /* fetched at its turn */
}

static struct content_push make_push(struct panel *panel, const struct panel_load_row *row,
				     const struct installation_rows *installations)
{
	struct content_push *old = &panel->content.push;
	struct content_push push = {
	    .generation = row->push_generation,
	    .is_installation = row->push_installation_id.data != NULL,
	    .installation_position = -1,
	    .is_held = row->is_push_held,
	    .is_waking = row->is_push_waking,
	    .duration_s = (int32_t)row->push_duration_s,
	    .created_us = row->push_created_at,
	    .displayed_us = row->push_displayed_at,
	};

	for (unsigned i = 0; i < installations->count && push.is_installation; i++) {
		if (str_equal(installations->rows[i].id, row->push_installation_id))
			push.installation_position = installations->rows[i].position;
	}
	if (push.generation && push.generation == old->generation) {
		push.picture = old->picture;
		old->picture = (struct picture){0};
		/* Keep the time: this worker may know it earlier than the database. */
		if (push.displayed_us == 0)
			push.displayed_us = old->displayed_us;
	} else if (row->push_picture.data) {
		push.picture =
		    pictures_keep(panel->panels->pictures, panel->share, row->push_picture);
	}
	return push;
}

/* 0: the ID is NULL; -1: the entry has no picture. */
static int64_t position_of(const struct installation_rows *installations, struct str id)
{
	for (unsigned i = 0; id.data && i < installations->count; i++) {
		if (str_equal(installations->rows[i].id, id))
			return installations->rows[i].position;
	}
	return id.data ? -1 : 0;
}

/* The database's constraints keep the numbers in the ranges of the smaller types. */
static struct content_installation make_installation(struct panel *panel,
						     const struct panel_installations_row *row)
{
	struct content_installation installation = panel_new_installation(row->id, row->position);

	if (!row->render_key.data) { /* apps: see panel_set_entries() */
		installation.picture_generation = row->picture_generation;
		installation.picture = take_picture(panel, row);
	}
	if (row->expires_in_ms)
		installation.expires_us = clock_wall_us() + row->expires_in_ms * 1000;
	installation.is_disabled = !row->is_enabled;
	installation.display_s = (int32_t)row->display_s;
	installation.plays_whole = row->plays_whole;
	installation.pins_itself = row->pins_itself;
	installation.color_filter = (uint8_t)color_filter_of(row->color_filter);
	installation.schedule = (struct schedule){
	    .has_hours = row->has_hours,
	    .days_off = (uint8_t)(WEEKDAYS_ALL & ~row->weekdays),
	    .start_minute = (int16_t)row->start_minute,
	    .end_minute = (int16_t)row->end_minute,
	    .recurs_from = (int32_t)row->recurrence_from,
	    .recurs_on = row->recurrence_days,
	};
	return installation;
}

/* Returns the windows of the device's plan, with positions of their entries; NULL: none. A window
 * whose entry is gone says nothing about entries. */
static const struct plan *panel_plan(const struct panel_load_row *row,
				     const struct installation_rows *installations)
{
	struct arena arena = {0};
	struct plan *plan;

	if (row->device.plan_json.length == 0)
		return NULL;
	plan = memory_zalloc(sizeof(*plan));
	plan_parse(row->device.plan_json, row->device.place, &arena, plan);
	for (unsigned i = 0; i < plan->count; i++) {
		struct plan_window *window = &plan->windows[i];
		int64_t position =
		    window->entry_id.length ? position_of(installations, window->entry_id) : 0;

		window->entry_position = position > 0 ? position : 0;
		window->entry_id = (struct str){0};
	}
	arena_finish(&arena);
	return plan;
}

/* Recurrences are read again long before the known days end. */
static const int64_t RECURRENCES_KNOWN_US = INT64_C(5) * 86400 * 1000000;

static struct content make_content(struct panel *panel, const struct panel_load_row *row,
				   const struct installation_rows *installations)
{
	struct content content = {
	    .settings = display_settings_of(&row->device, &row->sleep_setting, &row->dim_setting,
					    panel_plan(row, installations)),
	    .turn_count = row->turn_count,
	    .turned_us = row->turned_at,
	    .night_brightness = (int16_t)row->night_brightness,
	    .installation_count = installations->count,
	};

	if (installations->count)
		content.installations =
		    memory_zalloc(installations->count * sizeof(content.installations[0]));
	for (unsigned i = 0; i < installations->count; i++) {
		content.installations[i] = make_installation(panel, &installations->rows[i]);
		content.has_ends |= content.installations[i].expires_us != 0;
		if (content.installations[i].schedule.recurs_from)
			content.known_until_us = clock_wall_us() + RECURRENCES_KNOWN_US;
	}
	content.pinned_position = position_of(installations, row->pinned_installation_id);
	content.night_position = position_of(installations, row->night_installation_id);
	content.push = make_push(panel, row, installations);
	return content;
}

static bool take_hash(struct str column, uint8_t hash[static KEY_HASH_BYTES])
{
	if (!column.data)
		return false;
	require(column.length == KEY_HASH_BYTES);
	memcpy(hash, column.data, KEY_HASH_BYTES);
	return true;
}

/* Returns NULL if the device has only its key, and nothing waits for its panel. */
static struct panel_ways *make_ways(const struct panel_load_row *row)
{
	struct panel_ways *ways;

	if (!row->alias.data && !row->second_key_hash.data && !row->order_generation &&
	    !row->firmware_generation)
		return NULL;
	ways = memory_zalloc(sizeof(*ways));
	ways->has_alias = row->alias.data;
	if (ways->has_alias)
		alias_hash(row->alias, ways->alias_hash);
	ways->has_alias_key = take_hash(row->alias_key_hash, ways->alias_key_hash);
	ways->is_alias_open = row->is_alias_open;
	ways->is_alias_guessable = row->is_alias_guessable;
	ways->has_second_key = take_hash(row->second_key_hash, ways->second_key_hash);
	ways->order_generation = row->order_generation;
	ways->firmware_generation = row->firmware_generation;
	return ways;
}

/* Whether a key or an address that connections may have used is no longer valid. */
static bool has_closed_a_way(const struct panel *panel, const struct panel_load_row *row,
			     const struct panel_ways *now)
{
	const struct panel_ways *before = panel->ways;

	if (panel->state != PANEL_READY)
		return false;
	return memcmp(panel->link_key_hash, row->link_key_hash.data, KEY_HASH_BYTES) != 0 ||
	       (before && before->has_alias &&
		(!now || !now->has_alias || now->is_alias_open < before->is_alias_open));
}

static void set_ways(struct panel *panel, struct panel_ways *ways)
{
	free(panel->ways);
	panel->ways = ways;
}

bool panel_apply(struct panel *panel, const struct panel_load_row *row,
		 const struct installation_rows *installations)
{
	struct content content, old;
	struct panel_ways *ways = make_ways(row);
	bool has_closed;

	if (panel->state == PANEL_NEW)
		panel_set_account(panel, row->device.account_id);
	panel_make_room(panel);
	content = make_content(panel, row, installations);
	require(row->link_key_hash.length == KEY_HASH_BYTES);
	has_closed = has_closed_a_way(panel, row, ways);
	set_ways(panel, ways);
	old = panel->content;
	panel->content = content;
	panel_set_entries(panel, installations->rows, installations->count, &old);
	panel_finish_content(panel->panels, &old);
	panel->generation = row->device.generation;
	panel->is_disabled = row->is_disabled;
	panel->has_connected |= row->has_connected;
	memcpy(panel->link_key_hash, row->link_key_hash.data, KEY_HASH_BYTES);
	panel->state = PANEL_READY;
	following_set(panel, row->leader_id,
		      (struct follower_options){row->own_brightness, row->own_sleep});
	panel_drop_old_order(panel);
	panel_recall_push(panel);
	panel_drop_old_push(panel);
	return has_closed || panel->is_disabled;
}
