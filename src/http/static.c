#include "http/static.h"
#include "base/memory.h"
#include "http/conditional.h"

#include <stdlib.h>

static int compare_path(const void *key, const void *element)
{
	const struct str *path = key;
	const struct http_static_file *file = element;
	struct str other = str_from(file->path);
	size_t length = path->length < other.length ? path->length : other.length;
	int order = memcmp(path->data, other.data, length);

	return order ? order : (path->length > other.length) - (path->length < other.length);
}

const struct http_static_file *http_static_find(const struct http_static_file *files, size_t count,
						struct str path)
{
	return path.length ? bsearch(&path, files, count, sizeof(*files), compare_path) : NULL;
}

void http_static_answer(const struct http_request *request, const struct http_static_file *file,
			struct http_response *response)
{
	static const struct str names[] = {
	    [HTTP_CODING_BR] = {"br", 2}, [HTTP_CODING_GZIP] = {"gzip", 4}};
	bool has[HTTP_CODING_COUNT];
	const struct http_static_body *body;
	enum http_coding coding;

	for (unsigned i = 0; i < HTTP_CODING_COUNT; i++)
		has[i] = file->bodies[i].bytes.data;
	coding = http_choose_coding(request, has);
	body = &file->bodies[coding];
	http_response_add(response, STR("Cache-Control"), file->cache_control);
	http_response_add(response, STR("ETag"), body->tag);
	if (file->bodies[HTTP_CODING_BR].bytes.data || file->bodies[HTTP_CODING_GZIP].bytes.data)
		http_response_add(response, STR("Vary"), STR("Accept-Encoding"));
	if (http_has_tag(request, body->tag)) {
		response->status = 304;
		return;
	}
	response->status = 200;
	response->content_type = file->content_type;
	response->body = body->bytes;
	if (coding != HTTP_CODING_IDENTITY)
		http_response_add(response, STR("Content-Encoding"), names[coding]);
}
