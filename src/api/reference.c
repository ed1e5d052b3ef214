#include "base/require.h"
#include "endpoints.h"
#include "http/static.h"

/* GET /openapi.json and GET /docs - the description of the API, for machines and for people. Both
 * are made at build time, and refer to no other host. */

extern const struct http_static_file documents[];
extern const size_t documents_count;

static struct step_result reference_reply(struct task *task, struct str path)
{
	const struct http_static_file *file = http_static_find(documents, documents_count, path);

	require(file);
	return task_reply_static(task, file);
}

static struct step_result openapi(struct task *task)
{
	return reference_reply(task, STR("/openapi.json"));
}

static struct step_result docs(struct task *task)
{
	task_add_field(task, STR("Content-Security-Policy"),
		       STR("default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
			   "form-action 'none'; frame-ancestors 'none'"));
	task_add_field(task, STR("X-Content-Type-Options"), STR("nosniff"));
	return reference_reply(task, STR("/docs"));
}

const struct endpoint endpoint_docs = {.name = "docs", .handler = docs};
const struct endpoint endpoint_openapi = {
    .name = "openapi",
    .handler = openapi,
    .allows_other_origins = true,
};
