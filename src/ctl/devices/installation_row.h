/* Options of an installation: shown by list and show, changed by update. */
#pragma once

#include "ctl/server/client.h"

struct options_row {
	struct id app_id; /* zero: a pushed picture */
	struct str id;
	struct str kind; /* "push", or the kind of an app */
	struct str app_name;
	struct str hours;    /* data NULL: always */
	struct str weekdays; /* data NULL: all days */
	int64_t created_at_us;
	int64_t display_s; /* 0: the device's schedule interval */
	bool is_pushed;
	bool is_enabled;
	bool is_pinned;
	bool is_night;
	int64_t picture_bytes; /* 0: no picture yet */
	struct str problem;    /* why the app shows nothing, or nothing new; data NULL: it does */
	struct str cut;	       /* what was left out of its animation; data NULL: nothing */
};

/* Prints the options. */
extern const struct record installation_options_record;

/* Returns the path of an entry in /v1, in the arena. id need not be encoded. */
struct str ctl_installation_path(struct ctl *ctl, struct id device_id, struct str id);

/* Asks for the rotation of a device: rows of struct options_row, in its order. device: its name,
 * for messages. Returns CTL_DONE, or another code after printing the reason. */
enum ctl_exit ctl_ask_rotation(struct ctl *ctl, struct id device_id, struct str device,
			       struct ctl_rows *ret_rows);
/* Finds an entry of the rotation; if must_be_app is set, only one with an app. *ret_options is in
 * the arena. Returns CTL_DONE, or another code after printing the reason. */
enum ctl_exit ctl_find_installation(struct ctl *ctl, struct id device_id, struct str id,
				    bool must_be_app, const struct options_row **ret_options);
