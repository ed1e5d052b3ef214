/* Content codings of answers (RFC 9110 section 12.5.3). */
#pragma once

#include "http/request.h"

/* In the order in which they are preferred where the client does not care. */
enum http_coding { HTTP_CODING_BR, HTTP_CODING_GZIP, HTTP_CODING_IDENTITY, HTTP_CODING_COUNT };

/* The coding that Accept-Encoding wants most of those that there are: has[coding]. Identity where
 * it excludes all of them, and where the field is missing. */
enum http_coding http_choose_coding(const struct http_request *request,
				    const bool has[static HTTP_CODING_COUNT]);

enum { HTTP_WEIGHT_MAX = 1000 };

/* The weight of an item of Accept or Accept-Encoding, in thousandths (RFC 9110 section 12.4.2),
 * from the parameters behind its name: "; q=0.5". */
int http_weight(struct str parameters);
