/* Field Date (RFC 9110 section 6.6.1). */
#pragma once

#include <text/str.h>

#include <stdint.h>

enum { HTTP_DATE_LENGTH = 29 };

/* Cached text of the current second. A zeroed one is ready. */
struct http_date {
	int64_t second; /* second of text, since 1970 */
	char text[HTTP_DATE_LENGTH + 1];
};

/* Returns "Fri, 20 Nov 2026 08:15:30 GMT", followed by a NUL, valid until the next call. */
struct str http_date_now(struct http_date *date);
