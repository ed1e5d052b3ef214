/* Options of an installation: shown by list and show, changed by update. */
#pragma once

#include "ctl/ctl.h"

struct options_row {
	struct id app_id; /* zero for a pushed image */
	struct str id;
	struct str app_name;
	struct str hours;    /* data is NULL: always */
	struct str weekdays; /* likewise: all */
	int64_t created_at_us;
	int64_t display_s; /* 0: the schedule interval */
	bool is_pushed;
	bool is_enabled;
	bool is_pinned;
	bool is_night;
};

extern const struct record installation_options_record;
