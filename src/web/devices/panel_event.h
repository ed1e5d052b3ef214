/* Data of the event "panel", see docs/api/pages. */
#pragma once

#include "record/record.h"

struct panel_event {
	struct id device_id;
	bool is_online;
	int64_t last_online_us;
	struct str connection; /* NULL data: offline; also below */
	bool is_acknowledged;
	struct str picture;
	struct str kind;
	struct str installation_id;
	int64_t since_us;
	int64_t until_us;
	int64_t brightness;
	bool has_no_next;
	struct str next_picture;
	struct str next_kind;
	struct str next_installation_id;
};

extern const struct record panel_event_record;
