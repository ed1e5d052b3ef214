/* Header field of a request or an answer. */
#pragma once

#include <text/str.h>

struct http_field {
	struct str name;  /* as sent */
	struct str value; /* without white space around it */
};
