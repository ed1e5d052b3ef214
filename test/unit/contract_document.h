/* The description of an API as a test reads it, and its routes. */
#pragma once

/* clang-format off */
#include "cmocka_test.h"
/* clang-format on */

#include "http/router.h"

#include <yyjson.h>

static yyjson_doc *document;
static yyjson_val *root;

static int free_document(void **state)
{
	(void)state;
	yyjson_doc_free(document);
	return 0;
}

/* Resolves "#/components/schemas/X" to the schema X. */
static yyjson_val *resolve(yyjson_val *node)
{
	yyjson_val *reference = yyjson_obj_get(node, "$ref");

	return reference ? resolve(yyjson_doc_ptr_get(document, yyjson_get_str(reference) + 1))
			 : node;
}

static const char *method_name(enum http_method method)
{
	static const char *const names[HTTP_METHOD_OTHER + 1] = {
	    [HTTP_GET] = "get",	    [HTTP_POST] = "post",     [HTTP_PUT] = "put",
	    [HTTP_PATCH] = "patch", [HTTP_DELETE] = "delete",
	};

	return names[method];
}

static const struct route *find_route_in(const struct route_table *table, const char *method,
					 const char *path)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct route *route = &table->routes[i];

		if (strcmp(method_name(route->method), method) == 0 &&
		    strcmp(route->path, path) == 0)
			return route;
	}
	return NULL;
}
