/* The body of a push. */
#pragma once

#include "record/record.h"

enum { PUSH_DURATION_DEFAULT_S = 5 };

struct push_body {
	struct str image;	    /* as sent: base64 or data URL */
	struct str installation_id; /* empty: a temporary image */
	const struct json_value *duration;
	const struct json_value *background;
	int64_t duration_s;    /* after the check; of a temporary image */
	bool in_background;    /* after the check */
	bool is_installation;  /* after the check */
	struct str media_type; /* after the check: of a data URL, else empty */
	struct str base64;     /* after the check: unchecked; data is NULL where there is none */
};

/* What became of a push in the database. */
struct push_stored {
	int64_t generation;	     /* of the device, with this push */
	int64_t previous_generation; /* of the push before it */
	bool is_close;		     /* that one was stored a moment ago */
	bool is_stored;		     /* false: the ID is that of an app's installation */
};

extern const struct record push_stored_record;

/* Its check reads duration and background, which are ignored in some bodies. */
extern const struct record push_body_record;
