/* Files embedded in the program, in a table made by tools/embed_static.py.
 *
 * Each has its plain bytes and, if that saves something, compressed ones; each of these is a
 * representation with a strong entity tag of its own (RFC 9110 section 8.8.3). They are sent
 * without a copy. */
#pragma once

#include "http/coding.h"
#include "http/response.h"

struct http_static_body {
	struct str bytes; /* data is NULL if there is none; HTTP_CODING_IDENTITY always exists */
	struct str tag;	  /* "\"...\"" */
};

struct http_static_file {
	const char *path; /* "/docs" */
	struct str content_type;
	struct str cache_control;
	struct http_static_body bodies[HTTP_CODING_COUNT];
};

/* Returns the file with this path, or NULL. files must be sorted by the bytes of their paths. */
const struct http_static_file *http_static_find(const struct http_static_file *files, size_t count,
						struct str path);

/* Fills in the answer to GET or HEAD, 200 or 304 (to If-None-Match), and adds Cache-Control, ETag
 * and, if the file has several codings, Vary and Content-Encoding. Accept-Encoding decides the
 * coding (RFC 9110 section 12.5.3): identity if it excludes all codings of the file. */
void http_static_answer(const struct http_request *request, const struct http_static_file *file,
			struct http_response *response);
