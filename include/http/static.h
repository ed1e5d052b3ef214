/* Files that the program holds, made into a table by tools/embed_static.py.
 *
 * Each has the bytes as they are and, where that saves something, compressed ones; each of these is
 * a representation with a strong entity tag of its own (RFC 9110 section 8.8.3). They are sent
 * without a copy. */
#pragma once

#include "http/coding.h"
#include "http/response.h"

struct http_static_body {
	struct str bytes; /* data is NULL where there is none; HTTP_CODING_IDENTITY always is */
	struct str tag;	  /* "\"...\"" */
};

struct http_static_file {
	const char *path; /* "/docs" */
	struct str content_type;
	struct str cache_control;
	struct http_static_body bodies[HTTP_CODING_COUNT];
};

/* The file with this path; NULL where there is none. files are sorted by path, byte by byte. */
const struct http_static_file *http_static_find(const struct http_static_file *files, size_t count,
						struct str path);

/* Fills in the answer to GET or HEAD, 200 or 304 (to If-None-Match), and adds Cache-Control, ETag
 * and, where there is more than one coding, Vary and Content-Encoding. Accept-Encoding decides the
 * coding (RFC 9110 section 12.5.3): identity where it excludes all that the file has. */
void http_static_answer(const struct http_request *request, const struct http_static_file *file,
			struct http_response *response);
