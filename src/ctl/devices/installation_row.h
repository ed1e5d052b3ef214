/* Options of an installation: shown by list and show, changed by update. */
#pragma once

#include "ctl/server/client.h"

struct options_row {
	struct id app_id; /* zero for a pushed image */
	struct str id;
	struct str kind; /* "push", or that of an app */
	struct str app_name;
	struct str hours;    /* data is NULL: always */
	struct str weekdays; /* likewise: all */
	int64_t created_at_us;
	int64_t display_s; /* 0: the schedule interval */
	bool is_pushed;
	bool is_enabled;
	bool is_pinned;
	bool is_night;
	struct str picture; /* its hash; data is NULL: none */
};

/* Returns the record for printing; an API key sees nothing of the night. */
const struct record *installation_options_record(const struct ctl *ctl);

struct str ctl_installation_path(struct ctl *ctl, struct id device_id, struct str id);

/* Asks for the rotation of a device: rows of struct options_row, in its order. */
enum ctl_exit ctl_ask_rotation(struct ctl *ctl, struct id device_id, struct ctl_rows *ret_rows);
/* Finds one entry of it; of an app, if must_be_app is set. CTL_DONE, or the reason was said. */
enum ctl_exit ctl_find_installation(struct ctl *ctl, struct id device_id, struct str id,
				    bool must_be_app, const struct options_row **ret_options);
