/* Body of a push: a picture that a program sends to a device, shown at once or in turn. */
#pragma once

#include "domain/display.h"
#include "domain/settings.h"
#include "record/record.h"

enum {
	PUSH_DURATION_DEFAULT_S = 5,
	PUSH_EXPIRES_MIN_S = 60,
	PUSH_EXPIRES_MAX_S = 30 * 24 * 3600,
	PUSH_SHOW_FOR_MIN_S = 5,
	PUSH_SHOW_FOR_MAX_S = 24 * 3600,
	/* Time within which the database knows of a panel with a WebSocket. */
	PUSH_ONLINE_WITHIN_S = 70,
};

/* Text that the server draws. Omitted members are empty before the check, and have their default
 * after it. */
struct push_message {
	struct str text;
	struct str color, background; /* "#ffb000" */
	struct str font;
	struct str align;	/* "left", "center", "right" */
	struct str scroll;	/* "auto", "left", "up", "none" */
	struct str icon;	/* as sent, like an image; empty: none */
	struct str icon_base64; /* after the check: not yet decoded */
};

enum { MESSAGE_TEXT_MAX = 500 /* code points */ };

struct push_body {
	struct str image;		  /* as sent: base64 or data URL */
	struct str installation_id;	  /* empty: a temporary image */
	struct str installation_id_again; /* of /v0, which has two names for it */
	struct str coalesce_id;		  /* of /v0, without effect */
	const struct json_value *duration;
	const struct json_value *background;
	int64_t expires_in_s; /* of an installation; 0: it stays */
	int64_t show_for_s;   /* of a temporary image, in place of duration; 0: left out */
	bool is_waking;	      /* shown even if the panel sleeps */
	bool is_held;	      /* shown until it is removed */
	bool is_fitted;	      /* a picture that is too large for the panel is halved */
	const struct json_value *device_id; /* of /v0, not used: the path names the device */
	const struct json_value *devices;   /* of a push to several devices */
	struct push_message message;	    /* of a push of a message, which has no image */
	int64_t duration_s;		    /* after the check: of a temporary image; for a message
					     * 0: as long as its text takes */
	bool in_background;		    /* after the check */
	bool is_installation;		    /* after the check */
	const char *id_member; /* after the check: member of the body that has the ID */
	bool is_for_all;       /* after the check: for all devices of the account; else
				* devices is an array of 1 to LIMIT_PUSH_DEVICES names */
	struct str media_type; /* after the check: media type of a data URL, else empty */
	struct str base64;     /* after the check: not yet decoded; NULL data: there is none */
};

/* Row of the statement that stores a push. */
struct push_stored {
	int64_t generation;	     /* of the device, with this push */
	int64_t previous_generation; /* generation of the previous push */
	bool is_close;		     /* the previous push was stored within the last second */
	bool is_stored;		     /* false: the account has no room for the picture, or the
				      * ID is that of an app's installation */
	bool is_full;		     /* not stored because the account has no room */
	bool is_summed;		     /* the account's bytes were added up */
	int64_t room;		     /* bytes that are left to the account */
	int64_t byte_limit;	     /* limit that an administrator set for the account; 0: none */
	bool has_expired;	     /* expired installations must be removed first */
	struct str pinned_installation_id; /* pinned installation of the device; NULL data: none */
	int64_t last_online_us;
	bool has_connected; /* the device's panel has connected at least once */
	struct sleep_setting sleep_set;
	struct dim_setting dim_set;
};

extern const struct record push_stored_record;

/* The record's check reads duration and background, since some bodies may have any value there. */
extern const struct record push_body_record;

/* Record of a message's body. */
extern const struct record message_body_record;

/* Record of the body of a push to several devices. */
extern const struct record push_devices_body_record;

/* Record of a body of /v0: null and {} mean that a member was left out, and an ID may be empty. */
extern const struct record push_v0_body_record;

/* Splits an image as callers send it, base64 or a data URL, into its media type, which is empty
 * without a data URL, and its base64 text, which is in the arena if the URL is percent-encoded.
 * Returns NULL, or the fault ("is ..."). */
const char *push_split_image(struct str image, struct arena *arena, struct str *ret_media_type,
			     struct str *ret_base64);

/* Body of /v0's push_app: an app to render and to show as a push. */
struct push_app_body {
	struct push_body push; /* without an image */
	struct str app;	       /* ID or slug; empty: that of the entry with the installation's ID */
	struct str publish;    /* "foreground" or "background" */
	const struct json_value *settings_value;
	struct settings settings; /* after the check */
};

/* Also a body of /v0. */
extern const struct record push_app_body_record;

/* Returns the shortest allowed duration, in seconds, in which an animation is shown completely;
 * else the longest. */
int64_t push_duration_for(int64_t animation_ms);

/* Checks the ID of a pushed installation that has the right length. Returns NULL, or the fault
 * ("must ..."). */
const char *push_id_check(struct str id);
