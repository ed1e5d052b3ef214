/* A device and its installations as rows of the database, on their way into a panel. */
#pragma once

#include "panels.h"
#include "record/record.h"

struct panel_row {
	int64_t number; /* of the device in its batch, from 1 */
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
	struct str push_installation_id;
	struct str push_picture;
	int64_t push_duration_s;
	int64_t push_created_us;
	int64_t push_displayed_us;
};

struct installation_row {
	int64_t number; /* of its device */
	struct str id;
	int64_t position;
	int64_t picture_generation;
	struct str picture; /* NULL where it is not newer than what is known, or too much */
};

struct installation_rows {
	const struct installation_row *rows;
	unsigned count;
};

extern const struct record panel_row_record;
extern const struct record installation_row_record;

/* Takes over what was loaded, in place of what the panel had. True: links that were allowed before
 * are no longer, because the key is another one or the device was disabled. */
bool panel_apply(struct panel *panel, const struct panel_row *row,
		 const struct installation_rows *installations);
