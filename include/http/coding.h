/* Content codings of answers (RFC 9110 section 12.5.3). */
#pragma once

#include "http/request.h"

/* In order of preference if the client has none. */
enum http_coding { HTTP_CODING_BR, HTTP_CODING_GZIP, HTTP_CODING_IDENTITY, HTTP_CODING_COUNT };

/* Returns the coding that Accept-Encoding prefers among the available ones (has[coding]). Identity
 * if the field excludes all of them or is missing. */
enum http_coding http_choose_coding(const struct http_request *request,
				    const bool has[static HTTP_CODING_COUNT]);

enum { HTTP_WEIGHT_MAX = 1000 };

/* Returns the weight of an item of Accept or Accept-Encoding, in thousandths (RFC 9110 section
 * 12.4.2), from the parameters after its name: "; q=0.5". */
int http_weight(struct str parameters);
