#include "endpoints.h"

/* GET /openapi.json and GET /docs - the contract, for machines and for people. Both are made at
 * build time and need no other host. */

extern const struct str document_openapi;
extern const struct str document_reference;

static struct verdict reply(struct task *task, struct str content_type, struct str document)
{
	task_add_field(task, STR("Cache-Control"), STR("no-cache"));
	if (task_is_not_modified(task, document))
		return task_reply(task, 304, (struct str){0}, (struct str){0});
	return task_reply(task, 200, content_type, document);
}

static struct verdict openapi(struct task *task)
{
	return reply(task, STR("application/json"), document_openapi);
}

static struct verdict docs(struct task *task)
{
	task_add_field(task, STR("Content-Security-Policy"),
		       STR("default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
			   "form-action 'none'; frame-ancestors 'none'"));
	task_add_field(task, STR("X-Content-Type-Options"), STR("nosniff"));
	return reply(task, STR("text/html; charset=utf-8"), document_reference);
}

const struct endpoint endpoint_docs = {.name = "docs", .handler = docs};
const struct endpoint endpoint_openapi = {.name = "openapi", .handler = openapi};
