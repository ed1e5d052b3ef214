#include "base/log.h"
#include "base/require.h"
#include "delivery_private.h"
#include "record/record.h"

#include <panelimage/panelimage.h>
#include <stdlib.h>

/* What the database has of a device, as it comes. */
struct panel_row {
	struct id id;
	struct str link_key_hash;
	bool is_disabled;
	int64_t generation;
	int64_t brightness;
	bool auto_dim;
	struct str timezone;
	int64_t schedule_interval_s;
	bool sleep_enabled;
	int64_t sleep_start_minute;
	int64_t sleep_end_minute;
	int64_t push_generation; /* 0: no push */
	struct str push_entry_id;
	struct str push_picture;
	int64_t push_duration_s;
	int64_t push_created_us;
	int64_t push_displayed_us;
};

static const struct record_field panel_row_fields[] = {
    RECORD_ID(struct panel_row, id, .column = "id"),
    RECORD_BYTES(struct panel_row, link_key_hash, .column = "link_key_hash"),
    RECORD_BOOL(struct panel_row, is_disabled, .column = "is_disabled"),
    RECORD_INT(struct panel_row, generation, .column = "generation"),
    RECORD_INT(struct panel_row, brightness, .column = "brightness"),
    RECORD_BOOL(struct panel_row, auto_dim, .column = "auto_dim"),
    RECORD_STR(struct panel_row, timezone, .column = "timezone"),
    RECORD_INT(struct panel_row, schedule_interval_s, .column = "schedule_interval_s"),
    RECORD_BOOL(struct panel_row, sleep_enabled, .column = "sleep_enabled"),
    RECORD_INT(struct panel_row, sleep_start_minute, .column = "sleep_start_minute"),
    RECORD_INT(struct panel_row, sleep_end_minute, .column = "sleep_end_minute"),
    RECORD_INT(struct panel_row, push_generation, .column = "push_generation", .nullable = true),
    RECORD_STR(struct panel_row, push_entry_id, .column = "push_entry_id", .nullable = true),
    RECORD_BYTES(struct panel_row, push_picture, .column = "push_picture", .nullable = true),
    RECORD_INT(struct panel_row, push_duration_s, .column = "push_duration_s", .nullable = true),
    RECORD_TIMESTAMP(struct panel_row, push_created_us, .column = "push_created_at",
		     .nullable = true),
    RECORD_TIMESTAMP(struct panel_row, push_displayed_us, .column = "push_displayed_at",
		     .nullable = true),
};
static const struct record panel_row_record = RECORD(panel_row_fields);

struct entry_row {
	struct str id;
	int64_t position;
	int64_t picture_generation;
	struct str picture; /* NULL where it is not newer than what is known */
};

static const struct record_field entry_row_fields[] = {
    RECORD_STR(struct entry_row, id, .column = "id"),
    RECORD_INT(struct entry_row, position, .column = "position"),
    RECORD_INT(struct entry_row, picture_generation, .column = "picture_generation"),
    RECORD_BYTES(struct entry_row, picture, .column = "picture", .nullable = true),
};
static const struct record entry_row_record = RECORD(entry_row_fields);

/* Two reads that travel together: the device with its push, and its entries. */
struct panel_load {
	struct panel *panel;
	struct arena arena;
	struct db_query device_query;
	struct db_query entries_query;
	unsigned under_way;
	bool has_failed;
	struct panel_row *row; /* NULL: no such device */
	struct entry_row *entries;
	unsigned entry_count;
};

static void *read_rows(const struct db_result *result, const struct record *record, size_t row_size,
		       struct arena *arena)
{
	char *rows = arena_zalloc(arena, row_size * result->row_count);
	struct record_value columns[20];

	require(result->column_count == record_column_count(record) &&
		result->column_count <= array_length(columns));
	for (unsigned row = 0; row < result->row_count; row++) {
		for (unsigned column = 0; column < result->column_count; column++)
			columns[column] = db_value(result, row, column);
		record_read_row(record, columns, arena, rows + row * row_size);
	}
	return rows;
}

/* ---- taking over what was loaded ---- */

static struct str copy_bytes(struct str bytes)
{
	char *copy = memory_alloc(bytes.length + 1);

	memcpy(copy, bytes.data, bytes.length);
	copy[bytes.length] = '\0';
	return (struct str){copy, bytes.length};
}

struct picture picture_make(struct str webp)
{
	struct picture picture = {.data = copy_bytes(webp)};
	struct panelimage_error error;
	struct panelimage_info info;

	if (panelimage_probe_webp((const uint8_t *)webp.data, webp.length, &info, &error) == 0 &&
	    info.animated)
		picture.loop_ms = info.duration_ms;
	return picture;
}

/* The picture of an entry: new from the row, or moved over from the content before. */
static struct picture take_picture(struct panel *panel, const struct entry_row *row)
{
	struct picture none = {0};

	/* Beyond the limit a picture is fetched each time its turn comes. */
	if (row->picture.data &&
	    panel->delivery->picture_bytes < panel->delivery->limits.picture_bytes)
		return picture_make(row->picture);
	for (unsigned i = 0; i < panel->content.entry_count; i++) {
		struct content_entry *old = &panel->content.entries[i];

		if (old->position == row->position &&
		    old->picture_generation == row->picture_generation) {
			struct picture picture = old->picture;

			old->picture = none;
			return picture;
		}
	}
	return none; /* fetched when its turn comes */
}

static struct content_push make_push(struct panel *panel, const struct panel_load *load)
{
	const struct panel_row *row = load->row;
	struct content_push *old = &panel->content.push;
	struct content_push push = {
	    .generation = row->push_generation,
	    .is_entry = row->push_entry_id.data != NULL,
	    .entry_position = -1,
	    .duration_s = row->push_duration_s,
	    .created_us = row->push_created_us,
	    .displayed_us = row->push_displayed_us,
	};

	for (unsigned i = 0; i < load->entry_count && push.is_entry; i++) {
		if (str_equal(load->entries[i].id, row->push_entry_id))
			push.entry_position = load->entries[i].position;
	}
	if (push.generation && push.generation == old->generation) {
		push.picture = old->picture;
		old->picture = (struct picture){0};
		/* This worker may know it before the database does. */
		if (push.displayed_us == 0)
			push.displayed_us = old->displayed_us;
	} else if (row->push_picture.data) {
		push.picture = picture_make(row->push_picture);
	}
	return push;
}

static size_t count_picture_bytes(const struct content *content)
{
	size_t bytes = content->push.picture.data.length;

	for (unsigned i = 0; i < content->entry_count; i++)
		bytes += content->entries[i].picture.data.length;
	return bytes;
}

void panel_recount_pictures(struct panel *panel)
{
	size_t bytes = count_picture_bytes(&panel->content);

	panel->delivery->picture_bytes += bytes - panel->picture_bytes;
	panel->picture_bytes = bytes;
}

static struct content make_content(struct panel *panel, const struct panel_load *load)
{
	const struct panel_row *row = load->row;
	struct content content = {
	    .settings = {.brightness = row->brightness,
			 .auto_dim = row->auto_dim,
			 .timezone = copy_bytes(row->timezone),
			 .schedule_interval_s = row->schedule_interval_s,
			 .sleep_enabled = row->sleep_enabled,
			 .sleep_start_minute = row->sleep_start_minute,
			 .sleep_end_minute = row->sleep_end_minute},
	    .entry_count = load->entry_count,
	};

	if (load->entry_count)
		content.entries = memory_zalloc(load->entry_count * sizeof(content.entries[0]));
	for (unsigned i = 0; i < load->entry_count; i++) {
		content.entries[i] = (struct content_entry){
		    .id = copy_bytes(load->entries[i].id),
		    .position = load->entries[i].position,
		    .picture_generation = load->entries[i].picture_generation,
		    .picture = take_picture(panel, &load->entries[i]),
		};
	}
	content.push = make_push(panel, load);
	return content;
}

static void apply(struct panel *panel, const struct panel_load *load)
{
	const struct panel_row *row = load->row;
	struct content content = make_content(panel, load);
	bool key_changed;

	require(row->link_key_hash.length == KEY_HASH_BYTES);
	key_changed = panel->state == PANEL_READY &&
		      memcmp(panel->link_key_hash, row->link_key_hash.data, KEY_HASH_BYTES) != 0;
	content_finish(&panel->content);
	panel->content = content;
	panel->generation = row->generation;
	panel->is_disabled = row->is_disabled;
	memcpy(panel->link_key_hash, row->link_key_hash.data, KEY_HASH_BYTES);
	panel->state = PANEL_READY;
	panel->loaded_ms = loop_now_ms(panel->delivery->service->loop);
	panel_recount_pictures(panel);
	panel_recall_push(panel);
	if (key_changed || panel->is_disabled)
		panel_drop_sessions(panel);
}

void panel_recall_push(struct panel *panel)
{
	struct content_push *push = &panel->content.push;

	if (push->generation && push->displayed_us == 0)
		push->displayed_us =
		    cursor_shown_us(panel->delivery->cursors, panel->id, push->generation);
}

/* ---- the two queries ---- */

static void load_finish(struct panel_load *load)
{
	struct panel *panel = load->panel;
	/* Where it failed, what is in memory goes on; the sweep tries again. */
	bool is_gone = load->has_failed ? panel->state == PANEL_NEW : !load->row;
	bool is_behind = load->has_failed && panel->state == PANEL_READY;

	if (panel->state != PANEL_GONE && !is_gone && !load->has_failed)
		apply(panel, load);
	panel->load = NULL;
	arena_finish(&load->arena);
	free(load);
	if (panel->state == PANEL_GONE) {
		panel_free_if_gone(panel);
		return;
	}
	if (is_gone) {
		panel_destroy(panel);
		return;
	}
	panel->pins++;
	panel_answer_searches(panel);
	panel->pins--;
	panel_changed(panel);
	if (is_behind) {
		panel->wanted_generation = panel->generation;
		sweep_soon(panel->delivery);
	} else if (panel->wanted_generation > panel->generation) {
		/* A hint came while this was under way. Only once: a hint may also be wrong. */
		panel->wanted_generation = panel->generation;
		panel_load_start(panel);
	}
}

static void on_device(struct db_query *query, const struct db_result *result)
{
	struct panel_load *load = container_of(query, struct panel_load, device_query);

	if (result->outcome != DB_OK)
		load->has_failed = true;
	else if (result->row_count)
		load->row =
		    read_rows(result, &panel_row_record, sizeof(struct panel_row), &load->arena);
	if (--load->under_way == 0)
		load_finish(load);
}

static void on_entries(struct db_query *query, const struct db_result *result)
{
	struct panel_load *load = container_of(query, struct panel_load, entries_query);

	if (result->outcome != DB_OK) {
		load->has_failed = true;
	} else {
		load->entries =
		    read_rows(result, &entry_row_record, sizeof(struct entry_row), &load->arena);
		load->entry_count = result->row_count;
	}
	if (--load->under_way == 0)
		load_finish(load);
}

/* Pictures newer than this are asked for. What was read with the device's generation may be older
 * than the entries that were read after it, so some pictures come twice; none is missed. */
static int64_t known_generation(const struct panel *panel)
{
	return panel->state == PANEL_READY ? panel->generation : -1;
}

void panel_load_start(struct panel *panel)
{
	struct db *db = panel->delivery->service->db;
	struct panel_load *load;

	/* A worker that stops answers who waits, and asks for nothing new. */
	if (panel->load || panel->state == PANEL_GONE ||
	    (panel->delivery->is_draining && panel->state == PANEL_READY))
		return;
	load = panel->load = memory_zalloc(sizeof(*load));
	load->panel = panel;
	load->under_way = 2;
	db_parameters_init(&load->device_query.parameters, &load->arena);
	db_add_id(&load->device_query.parameters, panel->id);
	db_add_int8(&load->device_query.parameters, panel->content.push.generation);
	load->device_query.statement = STATEMENT_PANEL_LOAD;
	load->device_query.done = on_device;
	db_parameters_init(&load->entries_query.parameters, &load->arena);
	db_add_id(&load->entries_query.parameters, panel->id);
	db_add_int8(&load->entries_query.parameters, known_generation(panel));
	load->entries_query.statement = STATEMENT_PANEL_ENTRIES;
	load->entries_query.done = on_entries;
	db_submit(db, &load->device_query);
	db_submit(db, &load->entries_query);
}
