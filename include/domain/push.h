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

/* Its check reads duration and background, which are ignored in some bodies. */
extern const struct record push_body_record;
